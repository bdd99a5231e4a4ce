"""TPU topologies of Vertex AI's machine types: which of them make one replica of several hosts."""

from math import prod

from tpuserve.catalog.accelerators import accelerator_types
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.machines import chips, machine_type
from tpuserve.catalog.words import listed


def multi_host_topologies(machine: object) -> dict[str, int]:
    """Topology -> hosts of that machine type in one replica; empty for one that only serves as a single host."""
    found = [kind for kind in accelerator_types().values() if kind.machine_type == machine and kind.hosts > 1]
    return {kind.topology: kind.hosts for kind in found}


def chips_of_replica(machine: object, topology: object = None) -> int | None:
    """TPU chips of one replica; none where machine type or topology is not known."""
    kind = machine_type(machine)
    if kind is None or not (topology is None or isinstance(topology, str)):
        return None
    sizes = (topology or kind.topology).split("x")
    return prod(int(size) for size in sizes) if all(size.isdecimal() for size in sizes) else None


def is_own_topology(machine: object, topology: object) -> bool:
    """Whether the topology is that of one host of the machine type: given or left out, the replica is the same."""
    kind = machine_type(machine)
    return kind is not None and topology == kind.topology


def check_tpu_topology(machine: str | Unknown, topology: str | Unknown | None) -> str | None:
    """Why replicas of `machine` cannot have `topology`: it is for several hosts, and for a single host left out.

    Sources: MachineSpec.tpu_topology ("Corresponds to the TPU topologies available from GKE"); GKE refuses one for a
    single host (AI-Hypercomputer/xpk#825).
    """
    kind = machine_type(machine)
    if kind is None or topology is None or isinstance(topology, Unknown):
        return None
    allowed = multi_host_topologies(kind.name)
    if topology in allowed:
        return None
    if topology == kind.topology:
        return f"{topology!r} is the shape of one {kind.name!r} ({chips(kind.chips)}): leave it out for a single host"
    if not allowed:
        return f"{topology!r} cannot be given beside {kind.name!r}, which serves as a single host; leave it out"
    shapes = listed((f"{name} ({hosts} hosts)" for name, hosts in allowed.items()), "or")
    return f"{topology!r} is no topology of {kind.name!r}; use {shapes}, or leave it out for a single host"
