"""The first sentence: what a reviewer has to know, and whether the run may go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Literal

from msgspec import Struct

from tpuserve.catalog.machines import chips
from tpuserve.declared.tokens import QUEUED
from tpuserve.report.capacity import Capacity, given_up, over
from tpuserve.report.cost import Cost
from tpuserve.report.declared import Side
from tpuserve.report.plan import LEFT, Change, Drift
from tpuserve.report.policies import Policy
from tpuserve.report.words import money_of

SHORT = 160
"""Characters of a failure in the sentence; the reasons have it whole."""
CUT_OFF = "the events are cut off before the engine's summary, and may lack changes"
NOUNS = {"create": "create", "import": "import", "update": "update", "replace": "replacement", "delete": "delete"}
ACTIONS = ("replace", "delete", "create", "import", "update")
Outcome = Literal["clean", "changes", "blocked"]
CODES: Mapping[Outcome, int] = {"clean": 0, "blocked": 1, "changes": 2}
"""Exit codes."""


class Verdict(Struct, frozen=True, rename="camel"):
    """What it comes to."""

    outcome: Outcome
    sentence: str
    reasons: tuple[str, ...]
    """What blocks, one whole reason each."""


def verdict(
    title: str,
    *,
    changes: Sequence[Change],
    drift: Sequence[Drift],
    rows: Sequence[Capacity],
    cost: Cost,
    policies: Sequence[Policy],
    failures: Sequence[str],
    old: Side,
) -> Verdict:
    """The sentence and the outcome; `failures` are reasons of the run itself."""
    blocking = [each for each in policies if each.blocks]
    reasons = [*failures, *over(rows), *(f"policy {each.policy} blocks {each.name}" for each in blocking)]
    outcome: Outcome = "blocked" if reasons else "changes" if changes or drift else "clean"
    parts = [*_counts(changes, old), *_money(cost), *_drifted(drift)] or ["nothing changes"]
    parts += [*_failed(failures), *_peaks(rows)]
    if blocking:
        names = len({each.policy for each in blocking})
        parts.append(f"{names} {'policy blocks' if names == 1 else 'policies block'}")
    return Verdict(outcome, f"{title}: {'; '.join(parts)}", tuple(reasons))


def _counts(changes: Sequence[Change], old: Side) -> Iterator[str]:
    parts: list[str] = []
    for action in ACTIONS:
        own = [each for each in changes if each.action == action and not each.is_component]
        if own:
            lost = _lost(own, old) if action in ("replace", "delete") else ""
            parts.append(f"{count(len(own), NOUNS[action])}{lost}")
    if not parts and changes:
        parts = [count(len(changes), "component") + (" changes" if len(changes) == 1 else " change")]
    if parts:
        yield ", ".join(parts)


def _lost(own: Sequence[Change], old: Side) -> str:
    """The slices that are given up, by place, and for how long."""
    totals: dict[tuple[str, str], int] = {}
    given = [
        each
        for each in own
        if each.type == QUEUED
        and each.why != LEFT
        and (each.action == "delete" or (each.order == "delete first" and not each.is_adopted))
    ]
    for change in given:
        for number, generation, place in given_up(change, old):
            totals[generation, place] = totals.get((generation, place), 0) + number
    if not totals:
        return ""
    what = " and ".join(
        f"{total:,} {generation} chips in {place}" for (generation, place), total in sorted(totals.items())
    )
    queue = " for the length of a queue" if own[0].action == "replace" else ""
    if len(own) == 1:
        return f" gives up {what}{queue}"
    if len(own) == len(given):
        return f" give up {what}{queue}"
    return f" ({len(given)} of them {'gives' if len(given) == 1 else 'give'} up {what}{queue})"


def _money(cost: Cost) -> Iterator[str]:
    if round(cost.change):
        yield money_of(cost)


def _drifted(drift: Sequence[Drift]) -> Iterator[str]:
    gone = sum(each.is_gone for each in drift)
    if drift:
        yield count(len(drift), "resource") + f" drifted{f', {gone} of them gone' if gone else ''}"


def _failed(failures: Sequence[str]) -> Iterator[str]:
    if failures:
        yield shorten(failures[0], SHORT, placeholder=" …")


def _peaks(rows: Sequence[Capacity]) -> Iterator[str]:
    for row in [each for each in rows if each.is_over][:3]:
        yield f"{chips(row.peak.chips)} of {row.generation} at the peak in {row.place}, over the limit of {row.limit}"


def count(number: int, noun: str) -> str:
    """`1 update`, `2 updates`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
