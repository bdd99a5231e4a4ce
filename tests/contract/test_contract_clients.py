"""Unmodified gapic clients, sync and async: every method in scope with its types, every other one UNIMPLEMENTED."""

import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import grpc
import grpc.aio
import pytest
from google.cloud import aiplatform_v1, tpu_v2alpha1
from google.cloud.aiplatform_v1.services.endpoint_service import transports as endpoint_transports
from google.cloud.aiplatform_v1.services.model_service import transports as model_transports
from google.cloud.aiplatform_v1.services.prediction_service import transports as prediction_transports
from google.cloud.tpu_v2alpha1.services.tpu.transports import TpuGrpcAsyncIOTransport, TpuGrpcTransport
from google.protobuf.empty_pb2 import Empty

from tests.emulator.google import HERE, LOCATION, THERE, ZONE, Google
from tpuserve.emulator.api import Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.settings import Settings

DIGITS, SERVING = f"{LOCATION}/models/digits", f"{LOCATION}/endpoints/serving"
RESULTS: dict[str, tuple[Any, Any]] = {
    "upload_model": (aiplatform_v1.UploadModelResponse, aiplatform_v1.UploadModelOperationMetadata),
    "create_endpoint": (aiplatform_v1.Endpoint, aiplatform_v1.CreateEndpointOperationMetadata),
    "deploy_model": (aiplatform_v1.DeployModelResponse, aiplatform_v1.DeployModelOperationMetadata),
    "mutate_deployed_model": (
        aiplatform_v1.MutateDeployedModelResponse,
        aiplatform_v1.MutateDeployedModelOperationMetadata,
    ),
    "undeploy_model": (aiplatform_v1.UndeployModelResponse, aiplatform_v1.UndeployModelOperationMetadata),
    "update_endpoint_long_running": (aiplatform_v1.Endpoint, aiplatform_v1.UpdateEndpointOperationMetadata),
    "delete_endpoint": (Empty, aiplatform_v1.DeleteOperationMetadata),
    "delete_model_version": (Empty, aiplatform_v1.DeleteOperationMetadata),
    "delete_model": (Empty, aiplatform_v1.DeleteOperationMetadata),
    "create_queued_resource": (tpu_v2alpha1.QueuedResource, tpu_v2alpha1.OperationMetadata),
    "delete_queued_resource": (tpu_v2alpha1.QueuedResource, tpu_v2alpha1.OperationMetadata),
}


def deployed(cloud: Google) -> Google:
    """An endpoint `serving` with the deployed model 1."""
    cloud.deploy(cloud.endpoint(), cloud.upload(), id="1")
    return cloud


def versioned(cloud: Google) -> Google:
    """A model `digits` with two versions."""
    cloud.upload()
    cloud.upload(parent_model=DIGITS)
    return cloud


def requested(cloud: Google) -> Google:
    """A queued resource `pool` that is ACTIVE."""
    cloud.active()
    return cloud


REPLICAS = {"paths": ["dedicated_resources.min_replica_count", "dedicated_resources.max_replica_count"]}
BEGUN: dict[str, Callable[[Google], Any]] = {
    "upload_model": lambda cloud: cloud.begin_upload(),
    "create_endpoint": lambda cloud: cloud.endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "e"}),
    "deploy_model": lambda cloud: cloud.begin_deploy(cloud.endpoint(), cloud.upload()),
    "mutate_deployed_model": lambda cloud: deployed(cloud).endpoints.mutate_deployed_model(
        endpoint=SERVING,
        deployed_model={"id": "1", "dedicated_resources": {"min_replica_count": 2}},
        update_mask=REPLICAS,
    ),
    "undeploy_model": lambda cloud: deployed(cloud).endpoints.undeploy_model(endpoint=SERVING, deployed_model_id="1"),
    "update_endpoint_long_running": lambda cloud: cloud.endpoints.update_endpoint_long_running(
        endpoint={"name": cloud.endpoint()}
    ),
    "delete_endpoint": lambda cloud: cloud.endpoints.delete_endpoint(name=cloud.endpoint()),
    "delete_model_version": lambda cloud: versioned(cloud).models.delete_model_version(name=f"{DIGITS}@2"),
    "delete_model": lambda cloud: versioned(cloud).models.delete_model(name=DIGITS),
    "create_queued_resource": lambda cloud: cloud.begin_request(),
    "delete_queued_resource": lambda cloud: requested(cloud).tpu.delete_queued_resource(
        request={"name": f"{ZONE}/queuedResources/pool", "force": True}
    ),
}


@pytest.mark.parametrize("method", RESULTS)
def test_an_operation_has_the_types_that_its_client_expects(cloud: Google, method: str) -> None:
    operation = BEGUN[method](cloud)
    cloud.wait(operation)
    result, metadata = RESULTS[method]

    assert (type(operation.result(timeout=1)), type(operation.metadata)) == (result, metadata)


def unsupported() -> list[str]:
    """The paths of all unary methods of the four services that the emulator does not serve."""
    served = set(Api(Core(Settings(), None, Path())).methods())
    transports = (
        model_transports.ModelServiceGrpcTransport,
        endpoint_transports.EndpointServiceGrpcTransport,
        prediction_transports.PredictionServiceGrpcTransport,
        TpuGrpcTransport,
    )
    paths = set()
    for transport in transports:
        source = inspect.getsource(transport)
        paths |= {text for text in source.split('"') if text.startswith("/google.") and "stream" not in text.lower()}
    return sorted(paths - served - {"/google.cloud.aiplatform.v1.PredictionService/ServerStreamingPredict"})


@pytest.mark.parametrize("path", unsupported())
def test_another_method_is_unimplemented_by_its_name(cloud: Google, path: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        cloud.channel.unary_unary(path)(b"")

    assert isinstance(caught.value, grpc.Call)
    assert (caught.value.code(), path.lstrip("/") in (caught.value.details() or "")) == (
        grpc.StatusCode.UNIMPLEMENTED,
        True,
    )


async def test_the_async_clients_do_the_whole_job(cloud: Google) -> None:
    address = cloud.control.address
    async with grpc.aio.insecure_channel(address) as channel:
        models: Any = aiplatform_v1.ModelServiceAsyncClient(
            transport=model_transports.ModelServiceGrpcAsyncIOTransport(channel=channel)
        )
        endpoints: Any = aiplatform_v1.EndpointServiceAsyncClient(
            transport=endpoint_transports.EndpointServiceGrpcAsyncIOTransport(channel=channel)
        )
        predictions: Any = aiplatform_v1.PredictionServiceAsyncClient(
            transport=prediction_transports.PredictionServiceGrpcAsyncIOTransport(channel=channel)
        )
        model = {"display_name": "digits", "container_spec": {"image_uri": "image"}}
        upload = await models.upload_model(request={"parent": LOCATION, "model_id": "digits", "model": model})
        assert (await upload.result()).model == f"{HERE}/models/digits"
        endpoint = await (await endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "e"})).result()
        machine = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 1}
        deploy = await endpoints.deploy_model(
            endpoint=endpoint.name,
            deployed_model={"model": DIGITS, "dedicated_resources": machine},
            traffic_split={"0": 100},
        )
        identifier = (await deploy.result()).deployed_model.id
        answer = await predictions.predict(endpoint=endpoint.name, instances=[1.0])
        assert answer.deployed_model_id == identifier


async def test_the_async_tpu_client_makes_a_collection(cloud: Google) -> None:
    async with grpc.aio.insecure_channel(cloud.control.address) as channel:
        client: Any = tpu_v2alpha1.TpuAsyncClient(transport=TpuGrpcAsyncIOTransport(channel=channel))
        node = {"runtime_version": "v2-alpha-tpuv6e", "accelerator_type": "v6e-8"}
        params = {"node_count": 2, "workload_type": "AVAILABILITY_OPTIMIZED"}
        spec = {"parent": ZONE, "multi_node_params": params, "node": node}
        operation = await client.create_queued_resource(
            parent=ZONE, queued_resource_id="pool", queued_resource={"tpu": {"node_spec": [spec]}}
        )
        assert (await operation.result()).name == f"{THERE}/queuedResources/pool"


async def test_a_loop_beside_the_emulator_s_is_not_disturbed(cloud: Google, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        async with grpc.aio.insecure_channel(cloud.control.address) as channel:
            call = cast("Any", channel).unary_unary("/google.cloud.aiplatform.v1.ModelService/ListModels")
            request = b"\x0a" + bytes([len(LOCATION)]) + LOCATION.encode()
            answers = [await call(request) for _ in range(200)]

    assert (len(answers), [record.getMessage() for record in caplog.records]) == (200, [])
