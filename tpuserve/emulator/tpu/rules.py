"""What Cloud TPU refuses in a request for a queued resource. Pure: messages in, an error or the plan out."""

import re
from typing import Any, NamedTuple

from tpuserve.emulator import labels
from tpuserve.emulator.errors import ApiError, Code, invalid, one_of
from tpuserve.emulator.messages import Node, QueuedResourceState
from tpuserve.emulator.tpu.queueing import check_interval
from tpuserve.emulator.tpu.tables import (
    ACCELERATOR_TYPES,
    COLLECTION_GENERATIONS,
    NODE_OUTPUT,
    RUNTIME_VERSIONS,
    TRANSITIONS,
    Slice,
)

ID = re.compile(r"[A-Za-z0-9_.~+%-]+")  # NodeSpec.node_id, CreateQueuedResourceRequest.queued_resource_id
# QueuedResource.reservation_name; folders and organizations, and `-`: gcloud 556, queued_resources/util.py
RESERVATION = re.compile(r"(projects|folders|organizations)/[^/]+/locations/[^/]+/reservations/[^/]+")
DISK = re.compile(r"(https://[^/]+/compute/v1/)?projects/[^/]+/(zones|regions)/[^/]+/disks/[^/]+")
_SPEC = "queued_resource.tpu.node_spec[0]"
_LONGEST_DESCRIPTION = 512  # Node.description
_AVAILABILITY_OPTIMIZED = 2
_READ_ONLY = 2


class Plan(NamedTuple):
    """The nodes a request asks for."""

    node_ids: tuple[str, ...]
    slice: Slice
    accelerator_type: str


def checked_id(identifier: str, field: str) -> str:
    if ID.fullmatch(identifier) is None:
        raise invalid(field, identifier, f"of the form {ID.pattern}")
    return identifier


def planned(queued_resource: Any, queued_resource_id: str) -> Plan:
    """The nodes of a request, after every rule was kept."""
    _check_request(queued_resource)
    specs = queued_resource.tpu.node_spec
    # assumed: the proto repeats NodeSpec but every documented request has one
    if len(specs) != 1:
        raise invalid("queued_resource.tpu.node_spec", len(specs), "exactly one element")
    spec = specs[0]
    shape, accelerator_type = _slice(spec.node)
    _check_node(spec.node)
    node_ids = _node_ids(spec, queued_resource_id)
    _check_collection(spec, shape)
    _check_disks(spec.node, len(node_ids) * shape.hosts)
    return Plan(node_ids, shape, accelerator_type)


def _check_request(queued_resource: Any) -> None:
    reservation = queued_resource.reservation_name
    if reservation and RESERVATION.fullmatch(reservation) is None:
        allowed = "of the form projects/{project}/locations/{zone}/reservations/{reservation}"
        raise invalid("queued_resource.reservation_name", reservation, allowed)
    check_interval(queued_resource.queueing_policy, "queued_resource.queueing_policy")


def _node_ids(spec: Any, queued_resource_id: str) -> tuple[str, ...]:
    several = spec.HasField("multi_node_params")
    if several == bool(spec.node_id):  # NodeSpec.node_id: it is an error to specify both
        found = "both" if several else "neither"
        raise invalid(f"{_SPEC}.node_id and multi_node_params", found, "exactly one of the two")
    if not several:
        return (checked_id(spec.node_id, f"{_SPEC}.node_id"),)
    parameters = spec.multi_node_params
    if parameters.node_count <= 1:  # MultiNodeParams.node_count: needs to be > 1
        raise invalid(f"{_SPEC}.multi_node_params.node_count", parameters.node_count, "more than 1")
    prefix = parameters.node_id_prefix or queued_resource_id
    checked_id(prefix, f"{_SPEC}.multi_node_params.node_id_prefix")
    return tuple(f"{prefix}-{index}" for index in range(parameters.node_count))


def _slice(node: Any) -> tuple[Slice, str]:
    by_config = node.HasField("accelerator_config")
    if by_config and node.accelerator_type:  # assumed: two ways to say one thing exclude each other
        raise invalid(f"{_SPEC}.node.accelerator_type and accelerator_config", "both", "one of the two")
    if by_config:
        return _slice_of_config(node.accelerator_config)
    if node.accelerator_type not in ACCELERATOR_TYPES:
        raise one_of(f"{_SPEC}.node.accelerator_type", node.accelerator_type, ACCELERATOR_TYPES)
    return ACCELERATOR_TYPES[node.accelerator_type], node.accelerator_type


def _slice_of_config(config: Any) -> tuple[Slice, str]:
    generation = config.Type.Name(config.type_)
    for name, known in ACCELERATOR_TYPES.items():
        if (known.generation, known.topology) == (generation, config.topology):
            return known, name
    allowed = {f"{known.generation} {known.topology}" for known in ACCELERATOR_TYPES.values()}
    raise one_of(f"{_SPEC}.node.accelerator_config", f"{generation} {config.topology}", allowed)


def _check_node(node: Any) -> None:
    if node.runtime_version not in RUNTIME_VERSIONS:
        raise one_of(f"{_SPEC}.node.runtime_version", node.runtime_version, RUNTIME_VERSIONS)
    generation = RUNTIME_VERSIONS[node.runtime_version]
    if generation not in {"", _slice(node)[0].generation}:  # assumed: a runtime is made for one generation
        raise invalid(f"{_SPEC}.node.runtime_version", node.runtime_version, "one for the accelerator's generation")
    if len(node.description) > _LONGEST_DESCRIPTION:
        raise invalid(f"{_SPEC}.node.description", f"{len(node.description)} characters", "at most 512 characters")
    if node.HasField("network_config") and node.network_configs:  # Node.network_config: mutually exclusive
        raise invalid(f"{_SPEC}.node.network_config and network_configs", "both", "one of the two")
    labels.checked(node.labels, f"{_SPEC}.node.labels")
    for field in NODE_OUTPUT:
        node.ClearField(field)


def _check_collection(spec: Any, shape: Slice) -> None:
    collection = spec.multi_node_params.workload_type == _AVAILABILITY_OPTIMIZED
    if collection and shape.generation not in COLLECTION_GENERATIONS:
        raise invalid(
            f"{_SPEC}.multi_node_params.workload_type",
            f"AVAILABILITY_OPTIMIZED with {shape.generation}",
            f"for {', '.join(COLLECTION_GENERATIONS)} only",
        )


def _check_disks(node: Any, hosts: int) -> None:
    for disk in node.data_disks:
        if DISK.fullmatch(disk.source_disk) is None:  # AttachedDisk.source_disk: the full path to an existing disk
            allowed = "a full path such as projects/my-project/zones/us-central1-c/disks/my-disk"
            raise invalid(f"{_SPEC}.node.data_disks.source_disk", disk.source_disk, allowed)
    # AttachedDisk.DiskMode: only one TPU node can attach a disk in read-write mode, the default, at a time
    writers = [disk.source_disk for disk in node.data_disks if disk.mode != _READ_ONLY]
    if hosts > 1 and writers:
        raise invalid(f"{_SPEC}.node.data_disks", f"READ_WRITE {writers}", f"READ_ONLY with {hosts} hosts")


def moved(state: Any, to: str) -> None:
    """Checks that the table of states knows this way; a ValueError is a fault of the emulator itself."""
    now = QueuedResourceState.State.Name(state)
    if to not in TRANSITIONS.get(now, ()):
        raise ValueError(f"a queued resource cannot become {to} from {now}")


def is_collection(queued_resource: Any) -> bool:
    spec = queued_resource.tpu.node_spec[0]
    return bool(spec.multi_node_params.workload_type == _AVAILABILITY_OPTIMIZED)


def refuse_zoneless(parent: str, wanted: str) -> None:
    """NodeSpec.parent is required; assumed: it is the request's own zone."""
    if parent != wanted:
        raise ApiError(Code.INVALID_ARGUMENT, f"{_SPEC}.parent: got {parent!r}; must be {wanted!r}, the request's own.")


def node_state(name: str) -> int:
    return int(Node.State.Value(name))
