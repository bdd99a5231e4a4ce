"""`make generated ARGS=--policies`: stacks by the thousand; what our rules refuse, against what Google refuses.

What came is printed, the result is written to docs/measurements.md. Exit code 1 if the two did not agree on a stack,
if a mandatory policy was never violated, or if fewer than 20 % of the stacks fell on either side.
"""

from __future__ import annotations

import asyncio
import datetime
import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tools import measurements
from tools.progress import duration, say

HEADING = "Generated stacks"
ABOUT = (
    "Written by `make generated ARGS=--policies`: stacks of slices and of served models, each with a few values right",
    "or wrong, judged by Check and the policy pack and asked of the emulator, whose rules are its own, in one process.",
    "Disagreements: accepted by the one and refused by the other, but for the exceptions that",
    "`tests/generated/agreement.py` gives the reasons of. Machine A, other work beside it; a stack in processor time.",
    "",
    "| date | stacks | disagreements | accepted | refused | policies violated | excepted | a stack | whole run |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
)


def work(cases: int, seed: int) -> tuple[Any, float]:
    """So many stacks in this process: the tally, and seconds of processor time."""
    warnings.simplefilter("ignore")
    from hypothesis import given  # noqa: PLC0415 - only where stacks are drawn
    from tpuserve.policies.pack import Pack  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    from tests.generated.agreement import Tally  # noqa: PLC0415
    from tests.generated.asked import asked  # noqa: PLC0415
    from tests.generated.drawing import many  # noqa: PLC0415
    from tests.generated.judged import judged  # noqa: PLC0415
    from tests.generated.stacks import Case  # noqa: PLC0415
    from tests.generated.stacks import cases as drawn  # noqa: PLC0415

    tally, pack = Tally(), Pack()
    with asyncio.Runner() as runner:

        @many(cases, seed)
        @given(drawn())
        def run(case: Case) -> None:
            tally.add(case, judged(case, pack), runner.run(asked(case)))

        run()
    return tally, sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def policies(cases: int, workers: int, seed: int, *, write: bool) -> int:
    """All of them, in several processes; 1 if the two do not agree, or if what came was too easy."""
    began = time.monotonic()
    shares = [cases // workers + (index < cases % workers) for index in range(workers)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        done = pool.starmap(work, [(share, seed + index) for index, share in enumerate(shares)])
    whole, *rest = (tally for tally, _ in done)
    for other in rest:
        whole.merge(other)
    return _report(whole, sum(seconds for _, seconds in done), time.monotonic() - began, write=write)


def _report(tally: Any, processor: float, seconds: float, *, write: bool) -> int:
    table = Table("of the stacks", "number", "share")
    for name, number in [*tally.sides.most_common(), *tally.rules.most_common(), *tally.exceptions.most_common()]:
        table.add_row(name, str(number), f"{number / tally.cases:.0%}")
    Console(file=sys.stdout).print(table)
    faults, wrong = list(tally.faults()), tally.disagreements
    verdict = f"{tally.cases} stacks, {len(wrong)} disagreements, {duration(seconds)}"
    say("\n".join([*sorted(set(wrong)), *faults, verdict]), sys.stdout)
    if write:
        measurements.put(measurements.PAGE, HEADING, ABOUT, [_row(tally, processor, seconds)])
    return 1 if wrong or faults else 0


def _row(tally: Any, processor: float, seconds: float) -> str:
    cells: Sequence[str] = (
        datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        f"{tally.cases:,}",
        str(len(tally.disagreements)),
        f"{tally.share('accepted'):.0%}",
        f"{tally.share('refused'):.0%}",
        str(len(tally.rules) - 1),  # one of them is Check
        str(tally.excepted),
        f"{processor / tally.cases * 1000:.0f} ms",
        duration(seconds),
    )
    return f"| {' | '.join(cells)} |"
