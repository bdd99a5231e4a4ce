"""Family `quotas`: the chips of the whole stack against the limits of each quota that they are charged to."""

from collections.abc import Iterator, Sequence

from pulumi_policy import PolicyConfigSchema

from tpuserve import catalog
from tpuserve.catalog import Charge, QuotaLimits
from tpuserve.declared.chips import TOKENS, Chips
from tpuserve.declared.prices import charge_of

from .declared import chips_of
from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated

NO_LIMITS = "has no limits (`tpuserve quotas fetch` reads them)"


def quotas(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether the sum of each quota is within its limit. A limit that is missing is 0 as soon as any are given."""
    limits: QuotaLimits = config.get("limits") or {}
    charges: list[Charge] = []
    for each in chips_of(resources):
        answer = charge_of(each, limits) if isinstance(each, Chips) else each
        if isinstance(answer, Charge):
            charges.append(answer)
        elif answer:
            yield Unchecked(answer.path, answer.resource.urn, answer.reason)
    if not limits and charges:
        yield Unchecked("quotas.limits", "", NO_LIMITS)
    elif limits:
        yield from _answers(charges, limits, config.get("fetched"))


def _answers(charges: Sequence[Charge], limits: QuotaLimits, day: str | None) -> Iterator[Answer]:
    read = f"; the limits were read on {day}, by `tpuserve quotas fetch`" if day else ""
    beyond = dict(catalog.check_quotas(charges, limits))
    for account in sorted({charge.account for charge in charges}):
        path = f"quotas.limits.{account.project}.{account.quota}.{account.place}"
        yield Violated(path, f"{beyond[account]}{read}") if account in beyond else Passed(path)


_CHIPS = {"type": "integer", "minimum": catalog.UNLIMITED}
_PLACES = {"type": "object", "additionalProperties": _CHIPS}
_QUOTAS = {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(catalog.quotas(), _PLACES)}

FAMILY = StackFamily(
    name="quotas",
    description="The TPU chips of the stack are within the limits of the quotas that they are charged to.",
    rule=quotas,
    tokens=TOKENS,
    remediation="Declare fewer chips, or ask Google for a higher limit of the quota that the message names.",
    config_schema=PolicyConfigSchema(
        properties={
            "limits": {
                "type": "object",
                "additionalProperties": _QUOTAS,
                "description": "Chips by project, quota id and zone or region (`*`: every other one); 0 if missing, -1 "
                "for no limit. `tpuserve quotas fetch --output` writes them.",
            },
            "fetched": {
                "type": "string",
                "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                "description": "The day on which `tpuserve quotas fetch` read the limits; messages name it.",
            },
        }
    ),
)
