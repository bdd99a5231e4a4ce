"""Chips: how many a declaration asks for, where, and whether that is more than was allowed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tpuserve.catalog.accelerators import accelerator_type
from tpuserve.catalog.machines import chips, machine_type

Plane = Literal["tpu", "vertex"]
Limits = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Chips by plane, place (a zone for `tpu`, a region for `vertex`) and generation."""


@dataclass(frozen=True, slots=True)
class Need:
    """Chips that one declaration asks for."""

    plane: Plane
    """Where quota is charged: `tpu` (Cloud TPU API, by zone) or `vertex` (by region)."""
    place: str
    generation: str
    chips: int
    reason: str
    """What asks for them, such as `3 slices of v6e-8`."""


def need_of_slices(slices: int, accelerator: str, zone: str) -> Need | None:
    """What a queued resource asks for; none if the accelerator type is not in the catalog.

    Cloud TPU charges every slice in every state of the request.
    """
    kind = accelerator_type(accelerator)
    if not kind:
        return None
    noun = "slice" if slices == 1 else "slices"
    return Need("tpu", zone, kind.generation, slices * kind.chips, f"{slices} {noun} of {kind.name}")


def need_of_replicas(max_replicas: int, machine: str, region: str, variant: str) -> Need | None:
    """What one deployed model asks for; none if the machine type is not in the catalog.

    Vertex AI charges the maximum of replicas, not the minimum (documented for CPU and GPU; assumed for TPU).
    """
    kind = machine_type(machine)
    if not kind:
        return None
    noun = "replica" if max_replicas == 1 else "replicas"
    reason = f"variant {variant}: at most {max_replicas} {noun} on {kind.name}"
    return Need("vertex", region, kind.generation, max_replicas * kind.chips, reason)


def totals(needs: Iterable[Need]) -> dict[tuple[Plane, str, str], list[Need]]:
    """The needs that are charged to one quota: those of the same plane, place and generation."""
    groups: dict[tuple[Plane, str, str], list[Need]] = {}
    for need in needs:
        groups.setdefault((need.plane, need.place, need.generation), []).append(need)
    return groups


def check_limits(needs: Iterable[Need], limits: Limits) -> list[tuple[str, str]]:
    """Each limit that the needs go beyond: its path below the limits (`tpu.us-east5-b.v6e`) and the message."""
    faults = []
    for (plane, place, generation), group in totals(needs).items():
        limit = limits.get(plane, {}).get(place, {}).get(generation)
        asked = sum(need.chips for need in group)
        if limit is not None and asked > limit:
            faults.append((f"{plane}.{place}.{generation}", _beyond(asked, limit, group)))
    return faults


def _beyond(asked: int, limit: int, group: list[Need]) -> str:
    parts = "; ".join(f"{need.reason} = {chips(need.chips)}" for need in group)
    return f"{chips(asked)} asked for ({parts}), the limit is {limit}; ask for {asked - limit} fewer or raise the limit"
