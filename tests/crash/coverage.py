"""Which boundaries were tried with which continuations, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table

from tests.crash.case import Case, Outcome
from tests.crash.continuations import CONTINUATIONS

OK, FAILED, UNMET, OPEN = "ok", "FAILED", "not met", "."


def table(cases: Sequence[Case], outcomes: Mapping[Case, Outcome]) -> Table:
    """A row a boundary, a column a continuation; in a cell who was killed, and how it went."""
    shown = Table("scenario", "boundary", *CONTINUATIONS, title="Kill and resume: P plugin killed, E engine killed")
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for case in cases:
        cells = rows.setdefault((case.scenario, str(case.boundary)), {})
        cells[case.continuation] = _cell(case, outcomes.get(case))
    last = ""
    for (scenario, boundary), cells in rows.items():
        shown.add_row("" if scenario == last else scenario, boundary, *(cells.get(name, "") for name in CONTINUATIONS))
        last = scenario
    return shown


def _cell(case: Case, outcome: Outcome | None) -> str:
    if outcome is None:
        return OPEN
    victim = case.victim[0].upper()
    if not outcome.met:
        return UNMET
    return f"{victim} {FAILED if outcome.faults else OK}"
