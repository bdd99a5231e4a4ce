"""Chips that one declaration asks for, and what it is charged for them."""

from dataclasses import dataclass
from typing import Literal

from tpuserve.catalog.accelerators import accelerator_type
from tpuserve.catalog.machines import machine_type
from tpuserve.catalog.quotas import Account, Charge, place_of, quota_of
from tpuserve.catalog.topologies import chips_of_replica, is_own_topology

Plane = Literal["tpu", "vertex"]


@dataclass(frozen=True, slots=True)
class Need:
    """`count` slices or replicas of `each` chips."""

    plane: Plane
    """Where quota is charged: `tpu` (Cloud TPU API) or `vertex`."""
    location: str
    """A zone for `tpu`, a region for `vertex`."""
    generation: str
    count: int
    """At most."""
    least: int
    """That always run."""
    each: int
    kind: str
    """Accelerator type, or machine type with its topology."""
    multi_host: bool = False
    preemptible: bool = False

    @property
    def chips(self) -> int:
        """At most."""
        return self.count * self.each

    @property
    def reason(self) -> str:
        """Such as `3 slices of v6e-8`, `at most 2 replicas on ct6e-standard-1t`."""
        noun, of = ("slice", "of") if self.plane == "tpu" else ("replica", "on")
        most = "at most " if self.least < self.count else ""
        return f"{most}{self.count} {noun}{'' if self.count == 1 else 's'} {of} {self.kind}"


def need_of_slices(slices: int, accelerator: object, zone: str, *, preemptible: bool = False) -> Need | None:
    """What a queued resource asks for; none if the accelerator type is not in the catalog.

    Cloud TPU charges every slice in every state of the request.
    """
    kind = accelerator_type(accelerator)
    if kind is None:
        return None
    shape = (kind.chips, kind.name, kind.hosts > 1)
    return Need("tpu", zone, kind.generation, slices, slices, *shape, preemptible)


def need_of_replicas(
    least: int, most: int, machine: object, region: str, *, topology: object = None, preemptible: bool = False
) -> Need | None:
    """What one deployed model asks for, with all hosts of a topology; none if the catalog does not know its chips.

    Vertex AI charges the maximum of replicas, not the minimum (documented for CPU and GPU; assumed for TPU).
    """
    kind, each = machine_type(machine), chips_of_replica(machine, topology)
    if kind is None or each is None:
        return None
    multi = topology is not None and not is_own_topology(kind.name, topology)
    name = f"{kind.name} as {topology}" if multi else kind.name
    return Need("vertex", region, kind.generation, max(least, most), least, each, name, multi, preemptible)


def charge_of(need: Need, project: str, name: str) -> Charge | None:
    """What `name` is charged for it; none for a generation of which no quota is known."""
    kind = {"preemptible": need.preemptible, "multi_host": need.multi_host}
    quota = quota_of(need.plane, need.generation, **kind)
    if quota is None:
        return None
    account = Account(project, quota.id, place_of(quota, need.location))
    return Charge(account, need.chips, f"{name}: {need.reason}")
