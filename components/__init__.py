"""Components that a program composes: each makes its resources from a few typed arguments and exposes them.

What is around a stack (keys, buckets, accounts, networks) is of pulumi-gcp, imported when the first is built.
"""

from .encryption_key import EncryptionKey, EncryptionKeyArgs
from .host_network import HostNetwork, HostNetworkArgs
from .image_repository import ImageRepository, ImageRepositoryArgs
from .model_bucket import ModelBucket, ModelBucketArgs
from .pipeline_account import PipelineAccount, PipelineAccountArgs
from .request_log import RequestLog, RequestLogArgs
from .serving_account import ServingAccount, ServingAccountArgs
from .serving_endpoint import ServingEndpoint, ServingEndpointArgs, VariantArgs
from .serving_environment import RepositoryArgs, ServingEnvironment, ServingEnvironmentArgs
from .serving_model import ServingModel, ServingModelArgs
from .state_store import StateEnvironmentArgs, StateStore, StateStoreArgs
from .tpu_collection import TpuCollection, TpuCollectionArgs

__all__ = [
    "EncryptionKey",
    "EncryptionKeyArgs",
    "HostNetwork",
    "HostNetworkArgs",
    "ImageRepository",
    "ImageRepositoryArgs",
    "ModelBucket",
    "ModelBucketArgs",
    "PipelineAccount",
    "PipelineAccountArgs",
    "RepositoryArgs",
    "RequestLog",
    "RequestLogArgs",
    "ServingAccount",
    "ServingAccountArgs",
    "ServingEndpoint",
    "ServingEndpointArgs",
    "ServingEnvironment",
    "ServingEnvironmentArgs",
    "ServingModel",
    "ServingModelArgs",
    "StateEnvironmentArgs",
    "StateStore",
    "StateStoreArgs",
    "TpuCollection",
    "TpuCollectionArgs",
    "VariantArgs",
]
