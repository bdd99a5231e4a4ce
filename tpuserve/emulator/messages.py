"""Google's own messages, as the plain protobuf classes under the gapic packages' wrappers."""

from typing import Any

from google.cloud.tpu_v2alpha1 import types as tpu_types

from tpuserve.deferred import defer

# The package imports its clients, which no server needs and which take half of the start.
defer("google.cloud.aiplatform_v1")

from google.cloud.aiplatform_v1 import types as vertex_types  # noqa: E402

# The wrappers cost time at each access; what is served is the same message. Any: the classes are made at run time.
QueuedResource: Any = tpu_types.QueuedResource.pb()
QueuedResourceState: Any = tpu_types.QueuedResourceState.pb()
Node: Any = tpu_types.Node.pb()
TpuOperationMetadata: Any = tpu_types.OperationMetadata.pb()
UpcomingMaintenance: Any = tpu_types.UpcomingMaintenance.pb()

Model: Any = vertex_types.Model.pb()
Endpoint: Any = vertex_types.Endpoint.pb()
DeployedModel: Any = vertex_types.DeployedModel.pb()
DeploymentResourcePool: Any = vertex_types.DeploymentResourcePool.pb()
DeployedModelRef: Any = vertex_types.DeployedModelRef.pb()
DeploymentStage: Any = vertex_types.DeploymentStage
PredictResponse: Any = vertex_types.PredictResponse.pb()


def tpu(name: str) -> Any:
    """A message class of google.cloud.tpu.v2alpha1 by its name."""
    return getattr(tpu_types, name).pb()


def vertex(name: str) -> Any:
    """A message class of google.cloud.aiplatform.v1 by its name."""
    return getattr(vertex_types, name).pb()


def replace_field(source: Any, target: Any, field: str) -> None:
    """Sets one top-level field of the target to what the source has, nothing included."""
    part = type(source)()
    part.CopyFrom(source)
    for other in part.DESCRIPTOR.fields:
        if other.name != field:
            part.ClearField(other.name)
    target.ClearField(field)
    target.MergeFrom(part)
