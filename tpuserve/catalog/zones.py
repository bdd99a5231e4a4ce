"""Zones of Cloud TPU VMs."""

from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.accelerators import accelerator_type, title_of
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.generations import generation
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import listed


@dataclass(frozen=True, slots=True)
class Zone:
    """One zone in which a generation was seen."""

    name: str
    generation: str
    status: str
    """`documented`, `single-tenant`, `priced` or `reported`; what each means is in `data/zones.toml`."""
    source: str
    date: str


@cache
def zones_for(generation_name: str) -> tuple[Zone, ...]:
    """The zones of a generation, documented ones first; none for a generation the catalog does not know."""
    rows = table("zones").get(generation_name, {})
    return tuple(Zone(name=name, generation=generation_name, **row) for name, row in rows.items())


def check_zone(zone: str | Unknown, accelerator: str | Unknown) -> str | None:
    """Why an accelerator type cannot be asked for in a zone: no source names it there."""
    if isinstance(zone, Unknown):
        return None
    kind = accelerator_type(accelerator)
    if fault := check_resource_id("zone", zone):
        return fault
    if not kind or not _absence_is_known(zone, kind.generation):
        return None
    known = zones_for(kind.generation)
    if any(zone == place.name for place in known):
        return None
    documented = listed((place.name for place in known if place.status == "documented"), "or")
    return f"{zone!r} has no {title_of(kind)}, which {kind.name} needs; documented zones: {documented}"


def _absence_is_known(zone: str, name: str) -> bool:
    found = generation(name)
    return bool(found) and any(zone.startswith(prefix) for prefix in found.zones_read)
