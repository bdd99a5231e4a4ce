"""TPU inference on Google Cloud as code: resources in `tpuserve.resources`, components in `tpuserve.components`.

The functions of the provider are here as well, `tpuserve.get_model_version(...)`; they are loaded on first use, for
`tpuserve.catalog` needs no pulumi.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuserve.resources.functions import (
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

__all__ = [
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tpuserve.resources.functions"), name)
