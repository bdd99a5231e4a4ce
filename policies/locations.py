"""Families `locations` and `locations-listed`: where TPUs may be asked for, and where the catalog knows of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy import EnforcementLevel, PolicyConfigSchema, Severity

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Unknown, at
from tpuserve.catalog.words import listed
from tpuserve.declared.chips import MACHINE, NODES, NODES_OF_GKE, NOT_GIVEN, TOKENS, TPU_FAMILIES, Chips, pools_of
from tpuserve.declared.endpoints import NAME
from tpuserve.declared.tokens import (
    DEPLOYMENT,
    ENDPOINT,
    MODEL,
    QUEUED,
    RAW_ENDPOINT,
    RAW_GARDEN,
    RAW_POOL,
    RAW_QUEUED,
    RAW_VM,
)

from .declared import chips_of
from .family import Answer, Config, Family, Passed, Resource, StackFamily, Unchecked, Violated
from .values import find, plain

ARGUMENTS = {
    QUEUED: "zone",
    RAW_QUEUED: "zone",
    RAW_VM: "zone",
    MODEL: "location",
    ENDPOINT: "location",
    DEPLOYMENT: "endpoint",
    RAW_ENDPOINT: "location",
    RAW_POOL: "region",
    RAW_GARDEN: "location",
}
"""Types that are somewhere, each with the argument that says where."""
SLICES = {RAW_VM: "", **{token: f"tpu.{nodes}.*.node" for token, nodes in NODES.items()}}
"""Types in a zone, each with where its slices are, "" for the resource itself."""


def locations(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether it is where its TPU is known to be, and where this stack may be."""
    if resource.token in NODES_OF_GKE:
        return _of_gke(plain(resource.properties), config)
    argument = ARGUMENTS.get(resource.token)
    if not argument:
        return None
    found = next(find(resource.properties, argument), None)
    if found is None:  # a Deployment's endpoint never is
        return [] if resource.token == DEPLOYMENT else [Unchecked(argument, reason=NOT_GIVEN)]
    return list(_answers(resource, found.value, config))


def _answers(resource: Resource, value: Any, config: Config) -> Iterator[Answer]:
    path, place = ARGUMENTS[resource.token], _place(value)
    if isinstance(place, Unknown):
        if resource.token != DEPLOYMENT:  # an endpoint that the same update makes is checked itself
            yield Unchecked(path)
        return
    message = _beyond(place, config.get("allowed"))
    messages = [message] if message else _faults(resource, place)
    yield from (Violated(path, each) for each in messages)
    if not messages:
        yield Passed(path)


def _of_gke(given: Mapping[str, Any], config: Config) -> list[Answer] | None:
    """Each pool with TPU chips: its own zones, or the cluster's place; None where no pool has any."""
    pools = {path: pool for path, pool in pools_of(given) if _may_have_chips(pool)}
    answers = [answer for path, pool in pools.items() for answer in _pool(path, pool, given, config)]
    return answers if pools else None


def _may_have_chips(pool: Any) -> bool:
    machine = at(pool, MACHINE)
    return isinstance(machine, Unknown) or str(machine).startswith(TPU_FAMILIES)


def _pool(path: str, pool: Any, given: Mapping[str, Any], config: Config) -> Iterator[Answer]:
    zones, own = at(pool, "nodeLocations"), f"{path}.nodeLocations".lstrip(".")
    if isinstance(zones, Unknown):
        yield Unchecked(own if isinstance(pool, Mapping) else path)
        return
    named = {f"{own}[{index}]": zone for index, zone in enumerate(zones or ())}
    place = given.get("location")
    for where, zone in (named or {"location": place}).items():
        if zone is None:
            yield Unchecked(where, reason="is left out, and the pack does not see the cluster's")
        elif isinstance(zone, Unknown):
            yield Unchecked(where)
        else:
            yield _zone(where, zone, at(pool, MACHINE), config)
    if not named and isinstance(place, str) and not _is_zone(place):
        yield Unchecked(own, reason=f"is left out, and the nodes are in several zones of {place}")


def _zone(where: str, zone: Any, machine: Any, config: Config) -> Answer:
    message = _beyond(zone, config.get("allowed"))
    if not message and (where != "location" or _is_zone(zone)):
        message = catalog.check_node_zone(zone, machine)
    return Violated(where, message) if message else Passed(where)


def _is_zone(place: str) -> bool:
    return catalog.check_resource_id("zone", place) is None


def _place(value: Any) -> Any:
    """The location of an endpoint's name; a zone or a region is its own."""
    named = NAME.fullmatch(value) if isinstance(value, str) else None
    return named[2] if named else value


def _beyond(place: str, allowed: Sequence[str] | None) -> str | None:
    """A region that is allowed allows its zones."""
    if allowed is None or place in allowed or place.rpartition("-")[0] in allowed:
        return None
    return (
        f"{place!r} is not where this stack may be; use {listed(allowed, 'or')}, or widen `locations.allowed` in the "
        "stack's policy configuration"
    )


def _faults(resource: Resource, place: str) -> list[str]:
    if resource.token not in SLICES:
        fault = catalog.check_resource_id("region", place)
        return [fault] if fault else []
    pattern = SLICES[resource.token]
    nodes = [found.value for found in find(resource.properties, pattern)] if pattern else [resource.properties]
    faults = (catalog.check_zone(place, catalog.accelerator_of(plain(node))) for node in nodes or [UNKNOWN])
    return sorted({fault for fault in faults if fault})


def locations_listed(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether a source of the catalog's documents each TPU where it is asked for."""
    known: Mapping[str, Sequence[str]] = config.get("known") or {}
    for each in chips_of(resources):
        if not isinstance(each, Chips):
            yield Unchecked(each.path, each.resource.urn, each.reason)
        elif each.need.location in known.get(each.need.generation, ()):
            yield Passed(each.path, each.resource.urn)
        elif message := catalog.advise_location(each.need.plane, each.need.location, each.need.generation):
            yield Violated(ARGUMENTS[each.resource.token], message, each.resource.urn)
        else:
            yield Passed(each.path, each.resource.urn)


_PLACES = {"type": "array", "items": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}}

FAMILY = Family(
    name="locations",
    description="TPUs are asked for where they exist, and where the stack's policy configuration allows.",
    rule=locations,
    tokens=(*ARGUMENTS, *NODES_OF_GKE),
    remediation="Use a zone or region that has the TPU generation and is in `locations.allowed`.",
    config_schema=PolicyConfigSchema(
        properties={
            "allowed": {
                **_PLACES,
                "minItems": 1,
                "description": "Zones and regions of this stack; a region allows its zones. All if left out.",
            }
        }
    ),
)
LISTED = StackFamily(
    name="locations-listed",
    description="A source of the catalog's dated tables documents each TPU where it is asked for.",
    rule=locations_listed,
    tokens=TOKENS,
    remediation="Look the place up in Google's tables of zones and regions; add it to `locations-listed.known`.",
    level=EnforcementLevel.ADVISORY,
    severity=Severity.LOW,
    config_schema=PolicyConfigSchema(
        properties={
            "known": {
                "type": "object",
                "properties": dict.fromkeys(catalog.generations(), _PLACES),
                "additionalProperties": False,
                "description": "Zones and regions by TPU generation that are known to have it, beside the catalog's.",
            }
        }
    ),
)
