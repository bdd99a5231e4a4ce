"""The chips that a stack asks for against the limits of a policy configuration, before the first resource."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Charge, Fault, Need, QuotaLimits, Unknown
from tpuserve.catalog.words import did_you_mean, listed
from tpuserve.stack.decoding import Decoder
from tpuserve.stack.settings import CollectionSettings, EndpointSettings, StackSettings, VariantSettings

FAMILY = "quotas"
"""The policy whose `limits` they are."""


@dataclass(frozen=True, slots=True)
class Place:
    """A zone or region, and the configuration key that it was read from."""

    value: str | Unknown
    path: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What counts for a stack's totals."""

    settings: StackSettings
    zone: Place
    location: Place
    project: str
    """"" where the configuration has none."""


def limits_of(text: str, path: str) -> tuple[QuotaLimits, list[Fault]]:
    """The limits of a policy configuration; the same shape as policy `quotas` takes."""
    try:
        found = json.loads(text)
    except ValueError as error:
        return {}, [Fault(path, f"is not JSON: {error}")]
    family = found.get(FAMILY) if isinstance(found, dict) else None
    given = family.get("limits") if isinstance(family, dict) else None
    if given in (None, {}):
        return {}, [Fault(path, f"has no `{FAMILY}.limits`; `tpuserve quotas fetch --output` puts them there")]
    decoder = Decoder()
    limits = decoder.decode(Mapping[str, Mapping[str, Mapping[str, int]]], given, f"{path}: {FAMILY}.limits")
    return ({} if decoder.faults else limits), [*decoder.faults, *_ids(limits, f"{path}: {FAMILY}.limits")]


def _ids(limits: Any, path: str) -> Iterator[Fault]:
    for project, quotas in ({} if isinstance(limits, Unknown) else limits).items():
        for name, places in ({} if isinstance(quotas, Unknown) else quotas).items():
            if name not in catalog.quotas():
                known = listed(catalog.quotas(), "or")
                near = did_you_mean(name, catalog.quotas())
                yield Fault(f"{path}.{project}", f"{name!r} is no quota of TPU chips{near}; use {known}")
            for place, limit in ({} if isinstance(places, Unknown) else places).items():
                if isinstance(limit, int) and limit < catalog.UNLIMITED:
                    yield Fault(f"{path}.{project}.{name}.{place}", f"{limit} is no limit; give 0 or more, -1 for none")


def limit_faults(asked: Asked, limits: QuotaLimits, path: str) -> Iterator[Fault]:
    """Each quota that is asked for beyond its limit, and what is missing to tell; one without a limit has 0."""
    project = asked.project or catalog.only_project(limits)
    if not project:
        yield Fault("tpuserve:project", "missing; the limits are of several projects")
        return
    sections = ((asked.zone, asked.settings.collection), (asked.location, asked.settings.endpoint))
    for place, section in sections:
        if section and isinstance(place.value, Unknown):
            yield Fault(place.path, "missing; limits are by place, so they cannot be checked without it")
    for account, message in catalog.check_quotas(charges_of(asked, project), limits):
        yield Fault(f"{path}: {FAMILY}.limits.{project}.{account.quota}.{account.place}", message)


def charges_of(asked: Asked, project: str) -> list[Charge]:
    """What the stack is charged for, as far as it can be known."""
    needs = [*_slices(asked.settings.collection, asked.zone), *_replicas(asked.settings.endpoint, asked.location)]
    charges = (catalog.charge_of(need, project, name) for name, need in needs)
    return [charge for charge in charges if charge]


def _slices(collection: Any, zone: Place) -> Iterator[tuple[str, Need]]:
    if not isinstance(collection, CollectionSettings) or isinstance(zone.value, Unknown):
        return
    if isinstance(collection.slices, int):
        need = catalog.need_of_slices(collection.slices, collection.accelerator_type, zone.value)
        yield from [("collection", need)] if need else []


def _replicas(endpoint: Any, location: Place) -> Iterator[tuple[str, Need]]:
    if not isinstance(endpoint, EndpointSettings) or isinstance(location.value, Unknown):
        return
    for name, variant in ({} if isinstance(endpoint.variants, Unknown) else endpoint.variants).items():
        if isinstance(variant, VariantSettings) and (need := _of_variant(variant, location.value)):
            yield f"variant {name}", need


def _of_variant(variant: VariantSettings, location: str) -> Need | None:
    least = variant.min_replica_count
    most = least if variant.max_replica_count is None else variant.max_replica_count
    if UNKNOWN in (least, most, variant.tpu_topology, variant.spot):
        return None
    shape = {"topology": variant.tpu_topology, "preemptible": variant.spot is True}
    return catalog.need_of_replicas(least, most, variant.machine_type, location, **shape)
