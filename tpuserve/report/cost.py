"""List price of the TPU chips before and after the run; nothing else of a stack is priced."""

from __future__ import annotations

from itertools import chain

from msgspec import Struct

from tpuserve.catalog import HOURS_A_MONTH
from tpuserve.declared.prices import Cost as Priced
from tpuserve.declared.prices import Own, cost_of
from tpuserve.report.declared import Side


class Cost(Struct, frozen=True, rename="camel"):
    """USD, before discounts and taxes, of all replicas that may run."""

    hourly_before: float
    hourly_after: float
    monthly_before: float
    """Of 730 hours."""
    monthly_after: float
    dates: tuple[str, ...]
    """When the prices were looked up."""
    sources: tuple[str, ...]
    not_known: tuple[str, ...]
    """What has no known price, and is counted nowhere."""

    @property
    def change(self) -> float:
        """USD a month."""
        return self.monthly_after - self.monthly_before


def cost(old: Side, new: Side, own: Own) -> Cost:
    """What both sides cost; `own` are the stack's own prices."""
    sides = [[cost_of(each, own) for each in chain.from_iterable(side.chips.values())] for side in (old, new)]
    hourly = [sum(each.amount for each in found if isinstance(each, Priced)) for found in sides]
    priced = [each for each in chain(*sides) if isinstance(each, Priced)]
    unknown = [each for each in chain(*sides) if not isinstance(each, Priced)]
    told = [f"{each.resource.name} {each.reason}" for each in [*unknown, *new.missing]]
    return Cost(
        hourly_before=round(hourly[0], 4),
        hourly_after=round(hourly[1], 4),
        monthly_before=round(hourly[0] * HOURS_A_MONTH, 2),
        monthly_after=round(hourly[1] * HOURS_A_MONTH, 2),
        dates=tuple(sorted({each.date for each in priced if each.date})),
        sources=tuple(sorted({each.source for each in priced if each.source})),
        not_known=tuple(dict.fromkeys(told)),
    )
