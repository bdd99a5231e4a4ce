"""What the emulated Cloud TPU knows by name, and the ways a queued resource can go."""

from typing import NamedTuple


class Slice(NamedTuple):
    """A slice as an accelerator type names it."""

    generation: str  # AcceleratorConfig.Type
    topology: str
    hosts: int


# docs.cloud.google.com/tpu/docs/v6e (2026-08-26): v6e-1, -4 and -8 have one VM, larger ones 4 chips a VM.
# v5litepod: the same shapes (table in GoogleCloudPlatform/cluster-toolkit pkg/config/hardware.go).
_TOPOLOGIES = {
    1: "1x1", 4: "2x2", 8: "2x4", 16: "4x4", 32: "4x8", 64: "8x8", 128: "8x16", 256: "16x16",
}  # fmt: skip
_PREFIXES = {"v6e": "V6E", "v5litepod": "V5LITE_POD"}

ACCELERATOR_TYPES = {
    f"{prefix}-{chips}": Slice(generation, topology, 1 if chips <= 8 else chips // 4)
    for prefix, generation in _PREFIXES.items()
    for chips, topology in _TOPOLOGIES.items()
}
# v6e: AI-Hypercomputer/tpu-recipes; v5e: public repositories. Others exist: assumed not to be needed here.
RUNTIME_VERSIONS = {
    "v2-alpha-tpuv6e": "V6E",
    "v2-alpha-tpuv5-lite": "V5LITE_POD",
    "tpu-ubuntu2204-base": "",  # any generation
}
# docs.cloud.google.com/tpu/docs/collection-scheduling: collections are for v6e
COLLECTION_GENERATIONS = ("V6E",)

# QueuedResourceState.State: what each state may become. docs.cloud.google.com/tpu/docs/queued-resources says that
# WAITING_FOR_RESOURCES replaced ACCEPTED. assumed: CREATING may fail, and DELETING is entered from any state.
TRANSITIONS: dict[str, tuple[str, ...]] = {
    "CREATING": ("WAITING_FOR_RESOURCES", "ACCEPTED", "FAILED", "DELETING"),
    "ACCEPTED": ("PROVISIONING", "FAILED", "DELETING"),
    "WAITING_FOR_RESOURCES": ("PROVISIONING", "FAILED", "DELETING"),
    "PROVISIONING": ("ACTIVE", "FAILED", "DELETING"),
    "ACTIVE": ("SUSPENDING", "DELETING"),
    "SUSPENDING": ("SUSPENDED", "DELETING"),
    "SUSPENDED": ("DELETING",),
    "FAILED": ("DELETING",),
    "DELETING": (),
}
# the work that begins what a fault lets befall a queued resource
BEFALLING = {"preempt": "preemption", "maintain": "maintenance_due"}
# DeleteQueuedResourceRequest.force: the rule text was not changed when WAITING_FOR_RESOURCES replaced ACCEPTED
DELETABLE_WITHOUT_FORCE = ("ACCEPTED", "FAILED", "SUSPENDED")
# Node: "Output only" in its proto, and health, which only the service can know. A caller's values are ignored.
NODE_OUTPUT = (
    "name", "state", "health", "health_description", "create_time", "network_endpoints", "id", "api_version",
    "symptoms", "queued_resource", "multislice_node", "upcoming_maintenance",
)  # fmt: skip
# QueuedResourceState.state_data: the field that each state fills
STATE_DATA = {
    "CREATING": "creating_data",
    "ACCEPTED": "accepted_data",
    "PROVISIONING": "provisioning_data",
    "FAILED": "failed_data",
    "DELETING": "deleting_data",
    "ACTIVE": "active_data",
    "SUSPENDING": "suspending_data",
    "SUSPENDED": "suspended_data",
}
