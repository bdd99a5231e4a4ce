"""The methods that are served, each with its messages and what answers it."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from google.longrunning import operations_pb2

from tpuserve.emulator.core import Core
from tpuserve.emulator.messages import tpu, tpu_ga, vertex
from tpuserve.emulator.operations_service import OperationsService
from tpuserve.emulator.tpu import v2
from tpuserve.emulator.tpu.attendance import Attendance
from tpuserve.emulator.tpu.maintenance import Maintenance
from tpuserve.emulator.tpu.nodes import Nodes
from tpuserve.emulator.tpu.offers import Offers
from tpuserve.emulator.tpu.queued_resources import QueuedResources
from tpuserve.emulator.tpu.suspension import Suspension
from tpuserve.emulator.vertex.deployments import Deployments
from tpuserve.emulator.vertex.endpoints import Endpoints
from tpuserve.emulator.vertex.models import Models
from tpuserve.emulator.vertex.pools import Pools
from tpuserve.emulator.vertex.predict import Predictions
from tpuserve.emulator.vertex.servers import Servers
from tpuserve.emulator.vertex.versions import Versions

TPU = "google.cloud.tpu.v2alpha1.Tpu"
MODELS = "google.cloud.aiplatform.v1.ModelService"
ENDPOINTS = "google.cloud.aiplatform.v1.EndpointService"
POOLS = "google.cloud.aiplatform.v1.DeploymentResourcePoolService"
PREDICTIONS = "google.cloud.aiplatform.v1.PredictionService"
OPERATIONS = "google.longrunning.Operations"

Answer = Callable[..., Any | Awaitable[Any]]
_CHANGING = (
    "Cancel",
    "Create",
    "Delete",
    "Deploy",
    "Merge",
    "Mutate",
    "Perform",
    "Reset",
    "Undeploy",
    "Update",
    "Upload",
)


class Method(NamedTuple):
    """One method of the API."""

    service: str
    name: str
    request: Any
    answer: Answer
    """Called with the request, and where `metadata` says so with the call's metadata."""
    metadata: bool = False
    streams: bool = False
    """Whether the answer is an iterator over messages; it is called with the metadata too."""
    beside: bool = False
    """Called as well with what the message cannot say, which it keeps itself."""

    @property
    def mutating(self) -> bool:
        return self.name.startswith(_CHANGING)


class Api:
    """All services of one emulator around its core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.nodes = Nodes(core)
        self.offers = Offers(core)
        self.queued_resources = QueuedResources(core, self.nodes)
        self.maintenance = Maintenance(core, self.nodes)
        self.attendance = Attendance(core, self.nodes, self.maintenance)
        self.suspension = Suspension(core, self.nodes, self.queued_resources)
        self.versions = Versions(core)
        self.models = Models(core, self.versions)
        self.servers = Servers(core)
        self.endpoints = Endpoints(core)
        self.pools = Pools(core)
        self.deployments = Deployments(core, self.endpoints, self.versions, self.servers, self.pools)
        self.predictions = Predictions(core, self.endpoints)
        self.operations = OperationsService(core)

    def methods(self) -> dict[str, Method]:
        """Every method by its path on the wire."""
        found = [*self._tpu(), *self._models(), *self._endpoints(), *self._pools(), *self._operations()]
        return {f"/{method.service}/{method.name}": method for method in found}

    def _tpu(self) -> list[Method]:
        answers: dict[str, Answer] = {
            "CreateQueuedResource": self.queued_resources.create_queued_resource,
            "GetQueuedResource": self.queued_resources.get_queued_resource,
            "ListQueuedResources": self.queued_resources.list_queued_resources,
            "DeleteQueuedResource": self.queued_resources.delete_queued_resource,
            "ResetQueuedResource": self.attendance.reset_queued_resource,
            "PerformMaintenanceQueuedResource": self.attendance.perform_maintenance_queued_resource,
            "GetNode": self.nodes.get_node,
            "ListNodes": self.nodes.list_nodes,
            "DeleteNode": self.suspension.delete_node,
            "ListAcceleratorTypes": self.offers.list_accelerator_types,
            "GetAcceleratorType": self.offers.get_accelerator_type,
            "ListRuntimeVersions": self.offers.list_runtime_versions,
            "GetRuntimeVersion": self.offers.get_runtime_version,
        }
        methods = [
            Method(TPU, name, tpu(f"{name}Request"), answer, beside=name == "CreateQueuedResource")
            for name, answer in answers.items()
        ]
        older = v2.answers(answers.items(), self._begun_by_v2).items()
        return [*methods, *(Method(v2.SERVICE, name, tpu_ga(f"{name}Request"), answer) for name, answer in older)]

    def _begun_by_v2(self, operation: str) -> None:
        """Remembers whose messages are in an operation, restarts included."""
        begun = self._core.store.get("operations", operation)
        begun.version = v2.VERSION
        self._core.store.put("operations", operation, begun)
        self._core.store.save()

    def _models(self) -> list[Method]:
        answers: dict[str, Answer] = {
            "UploadModel": self.models.upload_model,
            "GetModel": self.models.get_model,
            "ListModels": self.models.list_models,
            "ListModelVersions": self.models.list_model_versions,
            "UpdateModel": self.models.update_model,
            "MergeVersionAliases": self.models.merge_version_aliases,
            "DeleteModel": self.models.delete_model,
            "DeleteModelVersion": self.models.delete_model_version,
        }
        return [Method(MODELS, name, vertex(f"{name}Request"), answer) for name, answer in answers.items()]

    def _endpoints(self) -> list[Method]:
        answers: dict[str, Answer] = {
            "CreateEndpoint": self.endpoints.create_endpoint,
            "GetEndpoint": self.endpoints.get_endpoint,
            "ListEndpoints": self.endpoints.list_endpoints,
            "UpdateEndpoint": self.endpoints.update_endpoint,
            "UpdateEndpointLongRunning": self.endpoints.update_endpoint_long_running,
            "DeleteEndpoint": self.endpoints.delete_endpoint,
            "DeployModel": self.deployments.deploy_model,
            "MutateDeployedModel": self.deployments.mutate_deployed_model,
            "UndeployModel": self.deployments.undeploy_model,
        }
        methods = [Method(ENDPOINTS, name, vertex(f"{name}Request"), answer) for name, answer in answers.items()]
        return [*methods, *self._predictions()]

    def _predictions(self) -> list[Method]:
        found = self.predictions
        return [
            Method(PREDICTIONS, "Predict", vertex("PredictRequest"), found.predict, True),
            Method(PREDICTIONS, "RawPredict", vertex("RawPredictRequest"), found.raw_predict, True),
            Method(
                PREDICTIONS, "StreamRawPredict", vertex("StreamRawPredictRequest"), found.stream_raw_predict, True, True
            ),
        ]

    def _pools(self) -> list[Method]:
        answers: dict[str, Answer] = {
            "CreateDeploymentResourcePool": self.pools.create_deployment_resource_pool,
            "GetDeploymentResourcePool": self.pools.get_deployment_resource_pool,
            "ListDeploymentResourcePools": self.pools.list_deployment_resource_pools,
            "DeleteDeploymentResourcePool": self.pools.delete_deployment_resource_pool,
        }
        return [Method(POOLS, name, vertex(f"{name}Request"), answer) for name, answer in answers.items()]

    def _operations(self) -> list[Method]:
        answers: dict[str, Answer] = {
            "GetOperation": self.operations.get_operation,
            "ListOperations": self.operations.list_operations,
            "WaitOperation": self.operations.wait_operation,
            "CancelOperation": self.operations.cancel_operation,
            "DeleteOperation": self.operations.delete_operation,
        }
        return [
            Method(OPERATIONS, name, getattr(operations_pb2, f"{name}Request"), answer)
            for name, answer in answers.items()
        ]

    def resume(self) -> list[Awaitable[object]]:
        """Starts again what ran when the state was last written; what is returned waits until it answers."""
        return [*self.servers.resume(), *self.queued_resources.resume()]
