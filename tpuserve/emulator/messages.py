"""Google's own messages, as the plain protobuf classes under the gapic packages' wrappers."""

from importlib import import_module
from typing import Any

from tpuserve.deferred import defer

TPU, TPU_GA, VERTEX = "google.cloud.tpu_v2alpha1", "google.cloud.tpu_v2", "google.cloud.aiplatform_v1"
# The packages import their clients, and that of Vertex AI the messages of every service: most of a start otherwise.
for _package in (TPU, TPU_GA, VERTEX, f"{VERTEX}.types"):
    defer(_package)

# Where the messages of the methods that are served are, what they are made of included.
_VERTEX_MODULES = tuple(
    import_module(f"{VERTEX}.types.{name}")
    for name in (
        "model",
        "model_service",
        "endpoint",
        "endpoint_service",
        "deployed_model_ref",
        "deployment_resource_pool",
        "deployment_resource_pool_service",
        "deployment_stage",
        "machine_resources",
        "operation",
        "prediction_service",
    )
)
_TPU_TYPES, _TPU_GA_TYPES = import_module(f"{TPU}.types"), import_module(f"{TPU_GA}.types")


def tpu(name: str) -> Any:
    """A message class of google.cloud.tpu.v2alpha1 by its name."""
    return getattr(_TPU_TYPES, name).pb()


def tpu_ga(name: str) -> Any:
    """A message class of google.cloud.tpu.v2 by its name; None where v2 has none."""
    found = getattr(_TPU_GA_TYPES, name, None)
    return None if found is None else found.pb()


def vertex(name: str) -> Any:
    """A message class of google.cloud.aiplatform.v1 by its name."""
    return next(getattr(module, name) for module in _VERTEX_MODULES if hasattr(module, name)).pb()


# The wrappers cost time at each access; what is served is the same message. Any: the classes are made at run time.
QueuedResource: Any = tpu("QueuedResource")
QueuedResourceState: Any = tpu("QueuedResourceState")
Node: Any = tpu("Node")
TpuOperationMetadata: Any = tpu("OperationMetadata")
UpcomingMaintenance: Any = tpu("UpcomingMaintenance")

Model: Any = vertex("Model")
Endpoint: Any = vertex("Endpoint")
DeployedModel: Any = vertex("DeployedModel")
DeploymentResourcePool: Any = vertex("DeploymentResourcePool")
DeployedModelRef: Any = vertex("DeployedModelRef")
DeploymentStage: Any = import_module(f"{VERTEX}.types.deployment_stage").DeploymentStage
PredictResponse: Any = vertex("PredictResponse")


def replace_field(source: Any, target: Any, field: str) -> None:
    """Sets one top-level field of the target to what the source has, nothing included."""
    part = type(source)()
    part.CopyFrom(source)
    for other in part.DESCRIPTOR.fields:
        if other.name != field:
            part.ClearField(other.name)
    target.ClearField(field)
    target.MergeFrom(part)
