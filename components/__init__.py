"""Components that a program composes: each makes its resources from a few typed arguments and exposes them."""

from .serving_endpoint import ServingEndpoint, ServingEndpointArgs, VariantArgs
from .serving_model import ServingModel, ServingModelArgs
from .tpu_collection import TpuCollection, TpuCollectionArgs

__all__ = [
    "ServingEndpoint",
    "ServingEndpointArgs",
    "ServingModel",
    "ServingModelArgs",
    "TpuCollection",
    "TpuCollectionArgs",
    "VariantArgs",
]
