"""The custom resources and functions of the tpuserve provider."""

from tpuserve.resources.container import ContainerSpecArgs
from tpuserve.resources.deployed_model import DeployedModelArgs
from tpuserve.resources.deployment import Deployment, DeploymentArgs
from tpuserve.resources.encryption import EncryptionSpecArgs
from tpuserve.resources.endpoint import (
    BigQueryDestinationArgs,
    ClientConnectionConfigArgs,
    Endpoint,
    EndpointArgs,
    PredictRequestResponseLoggingConfigArgs,
    PrivateServiceConnectConfigArgs,
)
from tpuserve.resources.functions import (
    GetAcceleratorTypesResult,
    GetEndpointResult,
    GetModelResult,
    GetModelVersionResult,
    GetRuntimeVersionsResult,
    get_accelerator_types,
    get_accelerator_types_output,
    get_endpoint,
    get_endpoint_output,
    get_model,
    get_model_output,
    get_model_version,
    get_model_version_output,
    get_runtime_versions,
    get_runtime_versions_output,
)
from tpuserve.resources.model import Model, ModelArgs
from tpuserve.resources.probe import ProbeArgs
from tpuserve.resources.provider import Provider, ProviderArgs
from tpuserve.resources.queued_resource import QueuedResource, QueuedResourceArgs

__all__ = [
    "BigQueryDestinationArgs",
    "ClientConnectionConfigArgs",
    "ContainerSpecArgs",
    "DeployedModelArgs",
    "Deployment",
    "DeploymentArgs",
    "EncryptionSpecArgs",
    "Endpoint",
    "EndpointArgs",
    "GetAcceleratorTypesResult",
    "GetEndpointResult",
    "GetModelResult",
    "GetModelVersionResult",
    "GetRuntimeVersionsResult",
    "Model",
    "ModelArgs",
    "PredictRequestResponseLoggingConfigArgs",
    "PrivateServiceConnectConfigArgs",
    "ProbeArgs",
    "Provider",
    "ProviderArgs",
    "QueuedResource",
    "QueuedResourceArgs",
    "get_accelerator_types",
    "get_accelerator_types_output",
    "get_endpoint",
    "get_endpoint_output",
    "get_model",
    "get_model_output",
    "get_model_version",
    "get_model_version_output",
    "get_runtime_versions",
    "get_runtime_versions_output",
]
