"""The custom resources of the tpuserve provider."""

from tpuserve.resources.deployment import DeployedModelArgs, Deployment, DeploymentArgs
from tpuserve.resources.endpoint import Endpoint, EndpointArgs
from tpuserve.resources.model import ContainerSpecArgs, Model, ModelArgs
from tpuserve.resources.queued_resource import QueuedResource, QueuedResourceArgs

__all__ = [
    "ContainerSpecArgs",
    "DeployedModelArgs",
    "Deployment",
    "DeploymentArgs",
    "Endpoint",
    "EndpointArgs",
    "Model",
    "ModelArgs",
    "QueuedResource",
    "QueuedResourceArgs",
]
