"""What a stack file may say: one dataclass a section, one field a key (camelCase in YAML).

`docs/stacks.md` lists the same keys; a test keeps them together.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tpuserve.catalog import CUSTOM, Preset


def _doc(text: str) -> dict[str, Any]:
    return {"doc": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSettings:
    """Section `collection`: slices of one shape, requested together from the Cloud TPU API."""

    slices: int = field(metadata=_doc("the number of slices, at least 2"))
    accelerator_type: str = field(metadata=_doc("the shape of each slice, such as v6e-8"))
    runtime_version: str = field(metadata=_doc("the runtime version of the TPU VMs, such as v2-alpha-tpuv6e"))
    zone: str | None = field(default=None, metadata=_doc("the zone; else tpuserve:zone"))
    workload_type: str = field(
        default="AVAILABILITY_OPTIMIZED",
        metadata=_doc("AVAILABILITY_OPTIMIZED (a collection) or THROUGHPUT_OPTIMIZED; hyphens are accepted"),
    )
    node_prefix: str | None = field(
        default=None, metadata=_doc("what the slices' names begin with; else the id of the queued resource")
    )
    startup_script: str | None = field(
        default=None, metadata=_doc("a file of the project, run by each TPU VM when it starts")
    )
    metadata: Mapping[str, str] = field(default_factory=dict, metadata=_doc("metadata of each TPU VM"))
    labels: Mapping[str, str] = field(default_factory=dict, metadata=_doc("labels of the slices"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Section `model`: a model in the Vertex AI Model Registry, with its container."""

    display_name: str = field(metadata=_doc("the name that people see"))
    preset: Preset = field(
        default=CUSTOM,
        metadata=_doc(
            "the container: custom, tensorflow_manual, tensorflow_automatic, tensorflow_partitioned or pytorch"
        ),
    )
    tpu_functions: list[str] = field(
        default_factory=list,
        metadata=_doc("aliases of the functions that run on the TPU; for tensorflow_partitioned alone"),
    )
    image_uri: str | None = field(
        default=None,
        metadata=_doc("the container image, in Artifact Registry or Container Registry; else the preset's"),
    )
    artifact_uri: str | None = field(
        default=None, metadata=_doc("a gs:// folder with the model; every preset but custom needs it")
    )
    predict_route: str | None = field(default=None, metadata=_doc("the HTTP path for predictions, such as /predict"))
    health_route: str | None = field(default=None, metadata=_doc("the HTTP path for health checks, such as /health"))
    invoke_route_prefix: str | None = field(
        default=None, metadata=_doc("/* passes any path on, instead of predictRoute; needs a dedicated endpoint")
    )
    port: int | None = field(
        default=None, metadata=_doc("the container's HTTP port, 1 to 65535; Google's default is 8080")
    )
    grpc_port: int | None = field(default=None, metadata=_doc("the container's port for gRPC, 1 to 65535; else none"))
    command: list[str] = field(default_factory=list, metadata=_doc("the entrypoint, instead of the image's"))
    args: list[str] = field(default_factory=list, metadata=_doc("the entrypoint's arguments, instead of the image's"))
    env: Mapping[str, str] = field(default_factory=dict, metadata=_doc("environment variables of the container"))
    deployment_timeout: str | None = field(
        default=None, metadata=_doc("how long a replica may take to come up, at most 7200s")
    )
    shared_memory_size_mb: int | None = field(default=None, metadata=_doc("shared memory of the container, in MB"))
    version_aliases: list[str] = field(default_factory=list, metadata=_doc("aliases of the version, such as stable"))
    content_version: str | None = field(
        default=None, metadata=_doc("any change of this text uploads a new version: for weights changed in place")
    )
    retain_versions: int | None = field(
        default=None, metadata=_doc("how many earlier versions are kept for a way back; else 3")
    )
    labels: Mapping[str, str] = field(default_factory=dict, metadata=_doc("labels of the model"))


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantSettings:
    """One of the endpoint's `variants`: a model version deployed on TPU machines."""

    machine_type: str = field(metadata=_doc("a TPU machine type, such as ct6e-standard-1t"))
    model: str | None = field(
        default=None, metadata=_doc("a model version (projects/P/locations/L/models/M@3); else the stack's own model")
    )
    tpu_topology: str | None = field(
        default=None, metadata=_doc("the shape of a replica of several hosts, such as 4x4; else a single host")
    )
    min_replica_count: int = field(default=1, metadata=_doc("replicas that always run, at least 1"))
    max_replica_count: int | None = field(default=None, metadata=_doc("replicas at most; else as minReplicaCount"))
    required_replica_count: int | None = field(
        default=None, metadata=_doc("replicas that must be up for a deployment to succeed; else minReplicaCount")
    )
    spot: bool | None = field(default=None, metadata=_doc("run on Spot capacity"))
    service_account: str | None = field(default=None, metadata=_doc("the service account that the container runs as"))
    accelerator_type: str | None = field(
        default=None, metadata=_doc("nothing: the chips are part of a TPU machine type, and this key is refused")
    )
    accelerator_count: int | None = field(
        default=None, metadata=_doc("nothing: the chips are part of a TPU machine type, and this key is refused")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """Section `endpoint`: an endpoint of Vertex AI and what it serves."""

    display_name: str = field(metadata=_doc("the name that people see"))
    variants: Mapping[str, VariantSettings] = field(metadata=_doc("what is deployed, by variant name"))
    traffic_split: Mapping[str, int] | None = field(
        default=None, metadata=_doc("percent of the requests by variant name, 100 in all; else 100 to the one variant")
    )
    location: str | None = field(
        default=None, metadata=_doc("the region of model and endpoint; else tpuserve:location")
    )
    endpoint_id: str | None = field(default=None, metadata=_doc("the endpoint's id; else the plugin makes one"))
    dedicated_endpoint_enabled: bool | None = field(
        default=None, metadata=_doc("whether the endpoint has its own host name")
    )
    on_failure: Literal["KEEP", "UNDEPLOY"] | None = field(
        default=None, metadata=_doc("what happens to variants that came up when another one failed; else KEEP")
    )
    allow_replace: bool | None = field(default=None, metadata=_doc("allow a change that makes another endpoint"))
    labels: Mapping[str, str] = field(default_factory=dict, metadata=_doc("labels of the endpoint"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSettings:
    """The whole stack file, less what belongs to the provider (`tpuserve:...`)."""

    collection: CollectionSettings | None = field(default=None, metadata=_doc("a collection of TPU slices"))
    model: ModelSettings | None = field(default=None, metadata=_doc("a model"))
    endpoint: EndpointSettings | None = field(default=None, metadata=_doc("an endpoint and its deployment"))
    surroundings: str | None = field(
        default=None, metadata=_doc("a stack whose outputs are the surroundings, such as organization/tpu-serving/prod")
    )
    protect: bool = field(default=False, metadata=_doc("whether nothing of the stack may be deleted or replaced"))
    limits: str | None = field(
        default=None, metadata=_doc("a policy configuration of the project, whose limits of quotas hold")
    )
    labels: Mapping[str, str] = field(default_factory=dict, metadata=_doc("labels of everything in the stack"))
