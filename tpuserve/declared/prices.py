"""What the chips of a resource cost an hour and which quota they are charged to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import Charge, QuotaLimits
from tpuserve.catalog.quotas import ANY
from tpuserve.declared.chips import Chips, Missing

Own = Mapping[str, Any]
"""A stack's own prices in USD per chip and hour: by plane, region, generation, and `onDemand`, `spot` or `reserved`."""


SPELLED = "a number where several limits are of ids, or the other way round"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one declaration costs an hour, in USD."""

    amount: float
    words: str
    """Such as `digits: 3 slices of v6e-8 = 24 x 2.7`."""
    source: str = ""
    """Where the price is from; "" for the stack's own."""
    date: str = ""


def cost_of(each: Chips, own: Own) -> Cost | Missing:
    """The stack's own price before the list's; a reservation has none, and Vertex AI's list was not found."""
    need = each.need
    kind = "reserved" if each.reserved else "spot" if need.preemptible else "onDemand"
    given = own.get(need.plane, {}).get(catalog.region_of(need.location), {}).get(need.generation, {}).get(kind)
    if given is not None:
        return Cost(need.chips * given, _words(each, given))
    found = None
    if need.plane == "tpu" and not each.reserved:
        found = catalog.list_price(need.generation, need.location, spot=need.preemptible)
    if found is None:
        return Missing(each.resource, each.path, _no_price(each))
    return Cost(need.chips * found.amount, _words(each, found.amount), found.source, found.date)


def charge_of(each: Chips, limits: QuotaLimits) -> Charge | Missing | None:
    """What it is charged to; none for slices on a reservation. No source says so of Vertex AI: it is charged there."""
    if each.reserved and each.need.plane == "tpu":
        return None
    project = each.project or catalog.only_project(limits)
    if limits and (not project or not isinstance(project, str)):
        return Missing(each.resource, "project", "is not given, and the limits are of several projects")
    if _is_spelled_otherwise(project, limits):
        project = catalog.only_project(limits)
        if not project:
            return Missing(each.resource, "project", f"{each.project} is {SPELLED}")
    found = catalog.charge_of(each.need, project, each.resource.name)
    return found or Missing(each.resource, each.path, f"is {each.need.generation}, of which no quota is known")


def _is_spelled_otherwise(project: str, limits: QuotaLimits) -> bool:
    """Whether it is a number where limits are of ids, or the other way round: it may be the project of any of them."""
    others = (each for each in limits if each.isdecimal() != project.isdecimal())
    return not {project, ANY} & limits.keys() and any(others)


def _words(each: Chips, price: float) -> str:
    return f"{each.resource.name}: {each.need.reason} = {each.need.chips} x {price:g}"


def _no_price(each: Chips) -> str:
    kind = "reserved" if each.reserved else "Spot" if each.need.preemptible else "on-demand"
    plane = "Cloud TPU" if each.need.plane == "tpu" else "Vertex AI"
    return f"is {each.need.generation} in {each.need.location} ({plane}, {kind}), whose price is not known"
