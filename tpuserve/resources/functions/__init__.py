"""The functions of the tpuserve provider: what is at Google already, looked up by a program. They only read."""

from tpuserve.resources.functions import accelerator_types, endpoint, model, model_version, runtime_versions
from tpuserve.resources.functions.accelerator_types import (
    GetAcceleratorTypesArgs,
    GetAcceleratorTypesResult,
    get_accelerator_types,
    get_accelerator_types_output,
)
from tpuserve.resources.functions.endpoint import (
    GetEndpointArgs,
    GetEndpointResult,
    get_endpoint,
    get_endpoint_output,
)
from tpuserve.resources.functions.model import GetModelArgs, GetModelResult, get_model, get_model_output
from tpuserve.resources.functions.model_version import (
    GetModelVersionArgs,
    GetModelVersionResult,
    get_model_version,
    get_model_version_output,
)
from tpuserve.resources.functions.runtime_versions import (
    GetRuntimeVersionsArgs,
    GetRuntimeVersionsResult,
    get_runtime_versions,
    get_runtime_versions_output,
)

FUNCTIONS = (
    model_version.FUNCTION,
    model.FUNCTION,
    endpoint.FUNCTION,
    accelerator_types.FUNCTION,
    runtime_versions.FUNCTION,
)

__all__ = [
    "FUNCTIONS",
    "GetAcceleratorTypesArgs",
    "GetAcceleratorTypesResult",
    "GetEndpointArgs",
    "GetEndpointResult",
    "GetModelArgs",
    "GetModelResult",
    "GetModelVersionArgs",
    "GetModelVersionResult",
    "GetRuntimeVersionsArgs",
    "GetRuntimeVersionsResult",
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
