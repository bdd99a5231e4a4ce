"""One piece of work that outlasts its call, as it is kept: a long-running operation, or a queued resource's way."""

from typing import Any, NamedTuple

import msgspec
from google.longrunning import operations_pb2
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.json_format import ParseDict
from google.rpc import status_pb2

from tpuserve.emulator import messages
from tpuserve.emulator.clock import timestamp
from tpuserve.emulator.tpu import v2


class Operation(msgspec.Struct, kw_only=True):
    """What must survive a restart so that the work goes on where it was."""

    name: str
    kind: str
    target: str
    created: float
    updated: float
    data: dict[str, Any] = {}  # what the work needs to know, as JSON
    stage: str = ""
    passed: list[str] = []  # steps that are over
    due: dict[str, float] = {}  # when a running step ends
    done: bool = False
    code: int = 0
    message: str = ""
    response: dict[str, Any] | None = None
    hidden: bool = False  # work of the service itself, no operation of the API
    version: str = ""  # of the API that began it, where it is not the one whose messages are kept
    cancelled: bool = False  # somebody asked for its end
    vanished: bool = False  # it goes on, or has ended, and is not found by its name


class Kind(NamedTuple):
    """How an operation of one kind describes itself."""

    metadata: Any
    verb: str = ""


KINDS: dict[str, Kind] = {
    "create_queued_resource": Kind(messages.TpuOperationMetadata, "create"),
    "delete_queued_resource": Kind(messages.TpuOperationMetadata, "delete"),
    "reset_queued_resource": Kind(messages.TpuOperationMetadata, "reset"),
    "perform_maintenance": Kind(messages.TpuOperationMetadata, "performMaintenance"),
    "delete_node": Kind(messages.TpuOperationMetadata, "delete"),
    "upload_model": Kind(messages.vertex("UploadModelOperationMetadata")),
    "delete_model": Kind(messages.vertex("DeleteOperationMetadata")),
    "delete_model_version": Kind(messages.vertex("DeleteOperationMetadata")),
    "create_endpoint": Kind(messages.vertex("CreateEndpointOperationMetadata")),
    "update_endpoint": Kind(messages.vertex("UpdateEndpointOperationMetadata")),
    "delete_endpoint": Kind(messages.vertex("DeleteOperationMetadata")),
    "deploy_model": Kind(messages.vertex("DeployModelOperationMetadata")),
    "undeploy_model": Kind(messages.vertex("UndeployModelOperationMetadata")),
    "mutate_deployed_model": Kind(messages.vertex("MutateDeployedModelOperationMetadata")),
    "create_deployment_resource_pool": Kind(messages.vertex("CreateDeploymentResourcePoolOperationMetadata")),
    "delete_deployment_resource_pool": Kind(messages.vertex("DeleteOperationMetadata")),
}
# assumed: what only makes something can be cancelled; all else goes on, for success "is not guaranteed"
CANCELLABLE = ("upload_model", "create_endpoint", "deploy_model", "create_deployment_resource_pool")
# work of the service itself, which no operation shows; named so that tests can hold or fail it
HIDDEN_KINDS = (
    "qr_waiting",
    "qr_provisioning",
    "qr_suspending",
    "maintenance",
    "maintenance_due",
    "preemption",
    "run_duration",
)


def wire(operation: Operation) -> operations_pb2.Operation:
    """The operation as the Operations service answers it, metadata and response packed in their real types."""
    result = operations_pb2.Operation(name=operation.name, done=operation.done)
    result.metadata.Pack(_metadata(operation))
    if operation.done and operation.code:
        result.error.CopyFrom(status_pb2.Status(code=operation.code, message=operation.message))
    elif operation.done and operation.response is not None:
        ParseDict(operation.response, result.response)
    return v2.operation(result) if operation.version == v2.VERSION else result


def packed(message: Any) -> AnyMessage:
    result = AnyMessage()
    result.Pack(message)
    return result


def _metadata(operation: Operation) -> Any:
    kind = KINDS[operation.kind]
    return _tpu_metadata(operation, kind) if kind.verb else _vertex_metadata(operation, kind)


def _tpu_metadata(operation: Operation, kind: Kind) -> Any:
    metadata = kind.metadata(
        create_time=timestamp(operation.created),
        target=operation.target,
        verb=kind.verb,
        status_detail=operation.stage,
        cancel_requested=operation.cancelled,
        api_version="v2alpha1",
    )
    if operation.done:
        metadata.end_time.CopyFrom(timestamp(operation.updated))
    return metadata


def _vertex_metadata(operation: Operation, kind: Kind) -> Any:
    metadata = kind.metadata()
    metadata.generic_metadata.create_time.CopyFrom(timestamp(operation.created))
    metadata.generic_metadata.update_time.CopyFrom(timestamp(operation.updated))
    if operation.kind == "deploy_model" and operation.stage:
        metadata.deployment_stage = messages.DeploymentStage[operation.stage].value
    return metadata
