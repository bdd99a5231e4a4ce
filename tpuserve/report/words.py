"""Words that every way of showing a report uses."""

from collections.abc import Iterator, Sequence

from tpuserve.catalog import UNLIMITED
from tpuserve.report.capacity import Amount, Capacity
from tpuserve.report.cost import Cost
from tpuserve.report.plan import Action, Change

PLANES = {"tpu": "Cloud TPU API", "vertex": "Vertex AI"}
HEADS: dict[Action, str] = {
    "replace": "🔁 replace",
    "delete": "🗑️ delete",
    "update": "✏️ update",
    "import": "📥 import",
    "create": "🌱 create",
}
RANKS: tuple[Action, ...] = ("replace", "delete", "update", "import", "create")


def ranked(changes: Sequence[Change]) -> list[Change]:
    """What a reviewer has to see first comes first; else in the engine's order."""
    return sorted(changes, key=lambda each: (each.is_component, not each.failed, RANKS.index(each.action)))


def how(each: Change) -> str:
    """What is to be added to the action."""
    words = [each.order] if each.order else []
    words += ["failed"] if each.failed else []
    return f", {', '.join(words)}" if words else ""


def chips_of(each: Change) -> str:
    """The chips that a resource holds, where they change or it does."""
    sides = each.chips_before, each.chips_after
    if sides[0] == sides[1]:
        return sides[0] if each.action == "replace" else ""
    return f"{sides[0] or 'none'} → {sides[1] or 'none'}"


def amount(given: Amount) -> str:
    """`16 (2)`: chips and hosts."""
    return f"{given.chips:,} ({given.hosts:,})" if given.chips else "0"


def kind_of(each: Capacity) -> str:
    """What is held: `v6e, Cloud TPU API, on-demand`."""
    return f"{each.generation}, {PLANES.get(each.plane, each.plane)}, {each.tier}"


def limit_of(each: Capacity) -> str:
    """Its limit in chips."""
    return {None: "not given", UNLIMITED: "none"}.get(each.limit, f"{each.limit}")


def money_of(cost: Cost) -> str:
    """The change in a few words."""
    if not round(cost.change):
        return "no change that is known"
    return f"{'+' if cost.change > 0 else '-'}${abs(cost.change):,.0f} a month"


def cost_lines(cost: Cost) -> Iterator[str]:
    """Before and after; nothing where no chip has a known price."""
    if cost.monthly_before or cost.monthly_after:
        sides = ((cost.hourly_before, cost.monthly_before), (cost.hourly_after, cost.monthly_after))
        told = [f"${hour:,.2f} an hour (${month:,.0f} a month)" for hour, month in sides]
        source = f"list prices of {', '.join(cost.dates)}" if cost.dates else "the stack's own prices"
        both = f"{told[0]}, before and after" if told[0] == told[1] else f"{told[0]} before, {told[1]} after"
        yield f"{both}: TPU chips alone, {source}, every replica that may run"
