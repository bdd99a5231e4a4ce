"""Family `budget`: the list price of the stack's TPU chips against what it may cost."""

from collections.abc import Iterator, Sequence

from pulumi_policy import PolicyConfigSchema

from tpuserve import catalog
from tpuserve.declared.chips import TOKENS, Chips
from tpuserve.declared.prices import Cost, cost_of

from .declared import chips_of
from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated

HOURS = {"hourly": 1, "monthly": catalog.HOURS_A_MONTH}
"""Limits of the configuration, each with the hours that it is for."""


def budget(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether the known part is within each limit; whatever has no known price is said to be unchecked."""
    limits = {key: config[key] for key in HOURS if config.get(key) is not None}
    if not limits:
        return
    costs: list[Cost] = []
    unpriced = False
    for each in chips_of(resources):
        answer = cost_of(each, config.get("prices") or {}) if isinstance(each, Chips) else each
        if isinstance(answer, Cost):
            costs.append(answer)
        else:
            unpriced = True
            hint = ": give it in `budget.prices`" if isinstance(each, Chips) else ""
            yield Unchecked(answer.path, answer.resource.urn, f"{answer.reason}{hint}")
    for key, limit in limits.items():
        total = sum(cost.amount for cost in costs) * HOURS[key]
        if total > limit:
            yield Violated(f"budget.{key}", _message(total, limit, key, costs))
        elif not unpriced:
            yield Passed(f"budget.{key}")


def _message(total: float, limit: float, key: str, costs: Sequence[Cost]) -> str:
    span = "an hour" if key == "hourly" else f"a month of {HOURS[key]} hours"
    parts = "; ".join(cost.words for cost in costs)
    return (
        f"{total:,.2f} USD {span} at list price ({parts} USD an hour), the limit is {limit:,.2f}; declare fewer chips, "
        f"or raise `budget.{key}` in the stack's policy configuration"
    )


_AMOUNT = {"type": "number", "minimum": 0}
_KINDS = {"type": "object", "properties": dict.fromkeys(("onDemand", "spot", "reserved"), _AMOUNT)}
_GENERATIONS = {
    "type": "object",
    "properties": {name: {**_KINDS, "additionalProperties": False} for name in catalog.generations()},
    "additionalProperties": False,
}
_REGIONS = {
    "type": "object",
    "propertyNames": {"pattern": "^[a-z]+-[a-z]+[0-9]+$"},
    "additionalProperties": _GENERATIONS,
}

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
