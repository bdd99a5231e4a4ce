"""Zones of Cloud TPU VMs."""

from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.accelerators import accelerator_type
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.generations import generation
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.machines import machine_type
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


@cache
def regions_for(generation_name: str) -> tuple[Zone, ...]:
    """The regions where Vertex AI serves on a generation, as far as a source names any."""
    rows = table("vertex_regions").get(generation_name, {})
    return tuple(Zone(name=name, generation=generation_name, **row) for name, row in rows.items())


def advise_location(plane: str, location: str, generation_name: str) -> str | None:
    """Why nobody should count on a generation in a zone (`tpu`) or a region (`vertex`): no source documents it."""
    known = zones_for(generation_name) if plane == "tpu" else regions_for(generation_name)
    row = next((each for each in known if each.name == location), None)
    if row and row.status == "documented":
        return None
    noun = "zone" if plane == "tpu" else "region of Vertex AI"
    found = f"is {row.status} only, as of {row.date} ({row.source})" if row else "is in none of the catalog's sources"
    documented = [each.name for each in known if each.status == "documented"]
    others = f"documented: {listed(documented, 'or')}" if documented else "none is documented"
    return f"{location!r} as a {noun} with {generation_name} {found}; {others}"


def check_zone(zone: str | Unknown, accelerator: str | Unknown) -> str | None:
    """Why an accelerator type cannot be asked for in a zone: no source names it there."""
    kind = accelerator_type(accelerator)
    return _check_zone(zone, kind.generation if kind else "", kind.name if kind else "")


def check_node_zone(zone: str | Unknown, machine: str | Unknown) -> str | None:
    """Why nodes of a machine type with TPU chips cannot be in a zone: no source names its generation there."""
    kind = machine_type(machine)
    return _check_zone(zone, kind.generation if kind else "", kind.name if kind else "")


def _check_zone(zone: str | Unknown, generation_name: str, kind: str) -> str | None:
    if isinstance(zone, Unknown):
        return None
    if fault := check_resource_id("zone", zone):
        return fault
    found, known = generation(generation_name), zones_for(generation_name)
    if not found or not any(zone.startswith(prefix) for prefix in found.zones_read):
        return None  # that a zone lacks it is not known
    if any(zone == place.name for place in known):
        return None
    documented = listed((place.name for place in known if place.status == "documented"), "or")
    return f"{zone!r} has no {found.title}, which {kind} needs; documented zones: {documented}"
