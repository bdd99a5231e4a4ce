"""What was measured against what is allowed: a table on the screen, and one in docs/measurements.md."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table

from tools.bench.runs import Found, Times

LIMITS = {
    "start of the plugin / import pulumi": 1.8,
    "start of the policy pack / import pulumi_policy": 1.8,
    "preview of what is new, 50 resources": 1.15,
    "preview of what is new, 200 resources": 1.15,
    "preview without a change, 50 resources": 1.15,
    "preview without a change, 200 resources": 1.15,
    "preview with the policy pack, 1000 resources": 1.2,
    # Against no call at all: the import of Google's clients, and seven calls a resource, which the emulator answers on
    # the same processors. It keeps what is there from growing.
    "up, 50 resources": 2.0,
}
"""Ratio to what it is measured against, at most. `up` of 200 resources is told, and has no limit."""
READS = 1.0
"""Calls that read a resource, for each one, at most, in a preview that refreshes."""
HEAD = ("what", "ours", "against", "ratio (least to most)", "limit", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: medians in seconds, and the median of the ratios of each pair."""

    what: str
    ours: str
    against: str
    ratio: float
    spread: str
    limit: float | None

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "ok" if self.ratio <= self.limit else "TOO SLOW"

    def cells(self) -> list[str]:
        limit = "" if self.limit is None else f"{self.limit:g}"
        return [self.what, self.ours, self.against, f"{self.ratio:.2f} {self.spread}".strip(), limit, self.verdict]


def rows(found: Found) -> Iterator[Row]:
    """Everything that was measured, in its order."""
    for what, times in found.times.items():
        yield _timed(what, times, LIMITS.get(what))
    for count, reads in found.reads.items():
        yield Row(f"calls that read a resource, preview that refreshes, {count} resources", "", "", reads, "", READS)


def _timed(what: str, times: Times, limit: float | None) -> Row:
    ratios = [ours / other for ours, other in times.pairs]
    ours, other = (statistics.median(side) for side in zip(*times.pairs, strict=True))
    spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
    return Row(what, f"{ours:.2f} s", f"{other:.2f} s", statistics.median(ratios), spread, limit)


def table(found: list[Row], rounds: int) -> Table:
    """For the screen."""
    made = Table(*HEAD, title=f"median of {rounds} rounds, both providers in turn")
    for row in found:
        made.add_row(*row.cells(), style="bold red" if row.verdict == "TOO SLOW" else None)
    return made


def failed(found: list[Row]) -> bool:
    """Whether any limit was passed."""
    return any(row.verdict == "TOO SLOW" for row in found)


def lines(found: list[Row]) -> list[str]:
    """For docs/measurements.md."""
    return [f"| {' | '.join(row.cells()[:-1])} |" for row in found]
