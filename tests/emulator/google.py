"""An emulator as a client sees it: Google's own gapic clients over a plain channel, and shortcuts for arrangements."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import grpc
import pytest
from google.api_core.exceptions import GoogleAPICallError
from google.cloud import aiplatform_v1, tpu_v2alpha1
from google.cloud.aiplatform_v1.services.endpoint_service import transports as endpoint_transports
from google.cloud.aiplatform_v1.services.model_service import transports as model_transports
from google.cloud.aiplatform_v1.services.prediction_service import transports as prediction_transports
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcTransport
from google.longrunning import operations_pb2
from google.protobuf.duration_pb2 import Duration

from tpuserve.emulator import Control, Emulator

PROJECT, NUMBER = "tpuserve-local", 100000000001
LOCATION = f"projects/{PROJECT}/locations/us-east5"
ZONE = f"{LOCATION}-b"
HERE, THERE = LOCATION.replace(PROJECT, str(NUMBER)), ZONE.replace(PROJECT, str(NUMBER))
TPU_MACHINE = "ct6e-standard-1t"
_OPERATIONS = "/google.longrunning.Operations"


class Google:
    """Clients of one emulator, its control, and what nearly every test arranges."""

    def __init__(self, address: str, control: Control) -> None:
        self.control = control
        self.channel: Any = grpc.insecure_channel(address)
        models = model_transports.ModelServiceGrpcTransport(channel=self.channel)
        endpoints = endpoint_transports.EndpointServiceGrpcTransport(channel=self.channel)
        predictions = prediction_transports.PredictionServiceGrpcTransport(channel=self.channel)
        # Any: a dict for a message is the clients' own custom, which their annotations do not tell
        self.models: Any = aiplatform_v1.ModelServiceClient(transport=models)
        self.endpoints: Any = aiplatform_v1.EndpointServiceClient(transport=endpoints)
        self.predictions: Any = aiplatform_v1.PredictionServiceClient(transport=predictions)
        self.tpu: Any = tpu_v2alpha1.TpuClient(transport=TpuGrpcTransport(channel=self.channel))

    def wait(self, operation: Any, seconds: int = 20) -> operations_pb2.Operation:
        """The operation when it has ended, or as it is after that time."""
        call = self.channel.unary_unary(
            f"{_OPERATIONS}/WaitOperation",
            request_serializer=operations_pb2.WaitOperationRequest.SerializeToString,
            response_deserializer=operations_pb2.Operation.FromString,
        )
        name = operation if isinstance(operation, str) else operation.operation.name
        return call(operations_pb2.WaitOperationRequest(name=name, timeout=Duration(seconds=seconds)))

    def done(self, operation: Any) -> Any:
        """The operation's result, without the second that a client waits between two looks."""
        self.wait(operation)
        return operation.result(timeout=1)

    def begin_upload(self, model_id: str = "digits", image: str = "image", **more: Any) -> Any:
        """`model_fields` are added to the model, all else to the request."""
        model = {"display_name": model_id, "container_spec": {"image_uri": image}} | more.pop("model_fields", {})
        identity = {} if "parent_model" in more else {"model_id": model_id}
        return self.models.upload_model(request={"parent": LOCATION, "model": model, **identity, **more})

    def upload(self, model_id: str = "digits", image: str = "image", **more: Any) -> str:
        """A new model, or with `parent_model` a new version; returns models/M@V in full."""
        response = self.done(self.begin_upload(model_id, image, **more))
        return f"{response.model}@{response.model_version_id}"

    def endpoint(self, endpoint_id: str = "serving", **fields: Any) -> str:
        operation = self.endpoints.create_endpoint(
            parent=LOCATION, endpoint_id=endpoint_id, endpoint={"display_name": endpoint_id, **fields}
        )
        return self.done(operation).name

    def begin_deploy(self, endpoint: str, model: str, *, split: Mapping[str, int] | None = None, **more: Any) -> Any:
        """`resources` and `machine` add to dedicated_resources and machine_spec, all else to the deployed model."""
        machine = {"machine_type": TPU_MACHINE} | more.pop("machine", {})
        resources = {"machine_spec": machine, "min_replica_count": 1} | more.pop("resources", {})
        deployed = {"model": model, "dedicated_resources": resources, **more}
        request = {"endpoint": endpoint, "deployed_model": deployed, "traffic_split": split or {}}
        return self.endpoints.deploy_model(request=request)

    def deploy(self, endpoint: str, model: str, **more: Any) -> str:
        """Returns the id of the deployed model."""
        return self.done(self.begin_deploy(endpoint, model, **more)).deployed_model.id

    def serving(self) -> tuple[str, str, str]:
        """An endpoint that serves one model: endpoint, model version, deployed model id."""
        endpoint, model = self.endpoint(), self.upload()
        return endpoint, model, self.deploy(endpoint, model, split={"0": 100})

    def undeploy(self, endpoint: str, deployed_id: str, **split: int) -> None:
        self.done(self.endpoints.undeploy_model(endpoint=endpoint, deployed_model_id=deployed_id, traffic_split=split))

    def split(self, endpoint: str) -> dict[str, int]:
        return dict(self.endpoints.get_endpoint(name=endpoint).traffic_split)

    def update_split(self, endpoint: str, split: Mapping[str, int], etag: str = "") -> Any:
        given = {"name": endpoint, "traffic_split": dict(split), "etag": etag}
        return self.endpoints.update_endpoint(endpoint=given, update_mask={"paths": ["traffic_split"]})

    def begin_request(self, identifier: str = "pool", **more: Any) -> Any:
        """A collection of 3 slices; `spec`, `node`, `params` and `queued` change it, all else is the request's."""
        params = {"node_count": 3, "workload_type": "AVAILABILITY_OPTIMIZED"} | more.pop("params", {})
        node = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"} | more.pop("node", {})
        spec = {"parent": ZONE, "multi_node_params": params, "node": node} | more.pop("spec", {})
        queued = {"tpu": {"node_spec": [spec]}} | more.pop("queued", {})
        return self.tpu.create_queued_resource(
            request={"parent": ZONE, "queued_resource_id": identifier, "queued_resource": queued, **more}
        )

    def state(self, identifier: str = "pool") -> str:
        return self.tpu.get_queued_resource(name=f"{ZONE}/queuedResources/{identifier}").state.state.name

    def active(self, identifier: str = "pool", **more: Any) -> str:
        """A request that has become ACTIVE; returns its name."""
        self.control.set("queued_resource_operation_ends", "ACTIVE")
        return self.done(self.begin_request(identifier, **more)).name


@contextlib.contextmanager
def google(emulator: Emulator) -> Iterator[Google]:
    clients = Google(emulator.address, emulator.control)
    with clients.channel:
        yield clients


@contextlib.contextmanager
def refused(code: str, *words: str) -> Iterator[None]:
    """The block's call is answered with this code, and with a message that holds these words."""
    with pytest.raises(GoogleAPICallError) as caught:
        yield
    assert caught.value.grpc_status_code is not None
    assert caught.value.grpc_status_code.name == code
    assert [word for word in words if word not in str(caught.value.message)] == []
