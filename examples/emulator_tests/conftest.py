"""Google's own clients, pointed at an emulator that is empty at the start of each test."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.cloud import aiplatform_v1
from google.cloud.aiplatform_v1.services.endpoint_service.transports import EndpointServiceGrpcTransport
from google.cloud.aiplatform_v1.services.model_service.transports import ModelServiceGrpcTransport

from tpuserve.emulator import Emulator

pytest_plugins = ["tpuserve.emulator.fixtures", "tpuserve.testing.faults"]

LOCATION = "projects/tpuserve-local/locations/us-east5"


@pytest.fixture
def channel(tpuserve_emulator: Emulator) -> Iterator[Any]:
    with grpc.insecure_channel(tpuserve_emulator.address) as opened:
        yield opened


@pytest.fixture
def endpoints(channel: Any) -> Any:
    return aiplatform_v1.EndpointServiceClient(transport=EndpointServiceGrpcTransport(channel=channel))


@pytest.fixture
def models(channel: Any) -> Any:
    return aiplatform_v1.ModelServiceClient(transport=ModelServiceGrpcTransport(channel=channel))


@pytest.fixture
def serving(endpoints: Any, models: Any) -> str:
    """An endpoint with deployed models 1 and 2, all of its traffic on the first."""
    model = {"display_name": "digits", "container_spec": {"image_uri": "registry/digits:1"}}
    uploaded = models.upload_model(parent=LOCATION, model=model).result().model
    endpoint = endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "digits"}).result().name
    resources = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 1}
    for identifier, split in (("1", {"0": 100}), ("2", {"0": 0, "1": 100})):
        deployed = {"id": identifier, "model": uploaded, "dedicated_resources": resources}
        endpoints.deploy_model(endpoint=endpoint, deployed_model=deployed, traffic_split=split).result()
    return endpoint
