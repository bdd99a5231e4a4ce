"""Family `budget`: the list price of the stack's TPU chips against what it may cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_policy import PolicyConfigSchema

from tpuserve import catalog

from .chips import TOKENS, Chips, chips_of
from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated

HOURS = {"hourly": 1, "monthly": catalog.HOURS_A_MONTH}
"""Limits of the configuration, each with the hours that it is for."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one declaration costs an hour at list price, in USD."""

    amount: float
    words: str


def budget(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether the known part is within each limit; whatever has no known price is said to be unchecked."""
    limits = {key: config[key] for key in HOURS if config.get(key) is not None}
    if not limits:
        return
    costs: list[Cost] = []
    unpriced = False
    for each in chips_of(resources):
        answer = _cost(each, config.get("prices") or {}) if isinstance(each, Chips) else None
        if isinstance(answer, Cost):
            costs.append(answer)
        else:
            unpriced = True
            yield answer or Unchecked(each.path, each.resource.urn, getattr(each, "reason", "is not known yet"))
    for key, limit in limits.items():
        total = sum(cost.amount for cost in costs) * HOURS[key]
        if total > limit:
            yield Violated(f"budget.{key}", _message(total, limit, key, costs))
        elif not unpriced:
            yield Passed(f"budget.{key}")


def _cost(each: Chips, own: Mapping[str, Any]) -> Cost | Unchecked:
    price = _price(each, own)
    if price is None:
        kind = "reserved" if each.reserved else "Spot" if each.need.preemptible else "on-demand"
        plane = "Cloud TPU" if each.need.plane == "tpu" else "Vertex AI"
        reason = f"is {each.need.generation} in {each.need.location} ({plane}, {kind}), whose price is not known"
        return Unchecked(each.path, each.resource.urn, f"{reason}: give it in `budget.prices`")
    chips = each.need.chips
    return Cost(chips * price, f"{each.resource.name}: {each.need.reason} = {chips} x {price:g}")


def _price(each: Chips, own: Mapping[str, Any]) -> float | None:
    """The stack's own price before the list's; a reservation has none, and Vertex AI's list was not found."""
    kind = "reserved" if each.reserved else "spot" if each.need.preemptible else "onDemand"
    given = (
        own.get(each.need.plane, {})
        .get(catalog.region_of(each.need.location), {})
        .get(each.need.generation, {})
        .get(kind)
    )
    if given is not None or each.reserved or each.need.plane != "tpu":
        return given
    found = catalog.list_price(each.need.generation, each.need.location, spot=each.need.preemptible)
    return found.amount if found else None


def _message(total: float, limit: float, key: str, costs: Sequence[Cost]) -> str:
    span = "an hour" if key == "hourly" else f"a month of {HOURS[key]} hours"
    parts = "; ".join(cost.words for cost in costs)
    return (
        f"{total:,.2f} USD {span} at list price ({parts} USD an hour), the limit is {limit:,.2f}; declare fewer chips, "
        f"or raise `budget.{key}` in the stack's policy configuration"
    )


_AMOUNT = {"type": "number", "minimum": 0}
_KINDS = {"type": "object", "properties": dict.fromkeys(("onDemand", "spot", "reserved"), _AMOUNT)}
_GENERATIONS = {"type": "object", "additionalProperties": {**_KINDS, "additionalProperties": False}}
_REGIONS = {"type": "object", "additionalProperties": _GENERATIONS}

FAMILY = StackFamily(
    name="budget",
    description="The list price of the stack's TPU chips is within what the stack's policy configuration allows.",
    rule=budget,
    tokens=TOKENS,
    remediation="Declare fewer chips, or raise the limit in the stack's policy configuration.",
    config_schema=PolicyConfigSchema(
        properties={
            "hourly": {**_AMOUNT, "description": "USD an hour; not checked if left out."},
            "monthly": {**_AMOUNT, "description": "USD a month of 730 hours; not checked if left out."},
            "prices": {
                "type": "object",
                "properties": {"tpu": _REGIONS, "vertex": _REGIONS},
                "additionalProperties": False,
                "description": "USD per chip and hour, by plane, region and generation, in place of the list's.",
            },
        }
    ),
)
