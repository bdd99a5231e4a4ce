"""`make generated`: any two programs of a resource, by the thousand; what each change did, against what it had to do.

    python -m tools.generated [--cases 10000] [--workers 2] [--seed 1] [--engine [300] | --policies | --peaks [200]]

Over the plugin's wire by itself; `--engine` on the real engine; `--policies`: stacks, by Check and the policy pack
against the emulator (tools/generated_stacks.py). What was drawn is printed, the result is written to
docs/measurements.md. Exit code 1 if a case failed, an argument never came, or fewer than 30 % of the cases had several
variants and a change in model and split.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import multiprocessing
import resource
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tools import generated_peaks, generated_stacks, measurements
from tools.progress import duration, say

HEADING = "Generated changes"
ABOUT = (
    "Written by `make generated`: pairs of programs of one resource, brought about one after the other by the",
    "plugin over Pulumi's protocol (wire) or by `pulumi up` (engine), against the emulator in the same process",
    "(wire) or beside it (engine). Each is read back, previewed without a difference and taken away, over the wire",
    "also seen at Google and counted in calls. Hard: several variants and a change in model and split. Machine A,",
    "other work beside it; a case over the wire in processor time.",
    "",
    "| date | by | cases | failed | hard | arguments that came | a case | whole run |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
)
FRESH = 200  # cases after which an emulator begins anew, so that none is slow with age


@dataclass
class Outcome:
    """What one worker found."""

    distribution: Any
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """First line of a fault -> the shortest case that has it, and its trace."""
    failed: int = 0
    processor: float = 0.0

    def add_failure(self, case: str, error: BaseException) -> None:
        self.failed += 1
        kind = f"{type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}"
        self._keep(kind, case, "".join(traceback.format_exception(error)[-4:]))

    def merge(self, other: Outcome) -> None:
        """What another worker found as well."""
        self.distribution.merge(other.distribution)
        self.failed += other.failed
        self.processor += other.processor
        for kind, (case, trace) in other.failures.items():
            self._keep(kind, case, trace)

    def _keep(self, kind: str, case: str, trace: str) -> None:
        if kind not in self.failures or len(case) < len(self.failures[kind][0]):
            self.failures[kind] = case, trace


def work(cases: int, seed: int) -> Outcome:
    """So many cases in this process."""
    warnings.simplefilter("ignore")
    from hypothesis import given  # noqa: PLC0415 - only where cases are drawn

    from tests.generated.cases import Case  # noqa: PLC0415
    from tests.generated.cases import cases as drawn  # noqa: PLC0415
    from tests.generated.distribution import Distribution  # noqa: PLC0415
    from tests.generated.drawing import many  # noqa: PLC0415
    from tests.generated.proof import prove  # noqa: PLC0415
    from tests.generated.world import world  # noqa: PLC0415

    found = Outcome(Distribution())
    with asyncio.Runner() as runner:
        made = runner.run(world())

        @many(cases, seed)
        @given(drawn())
        def run(case: Case) -> None:
            found.distribution.add(case)
            try:
                runner.run(prove(made, case))
            except Exception as error:  # every one is counted, and the shortest of its kind is shown
                found.add_failure(repr(case), error)
                runner.run(made.begin_anew())
            if found.distribution.cases % FRESH == 0:
                runner.run(made.begin_anew())

        run()
    found.processor = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    return found


def wire(cases: int, workers: int, seed: int) -> Outcome:
    """All of them, in several processes."""
    shares = [cases // workers + (index < cases % workers) for index in range(workers)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        outcomes = pool.starmap(work, [(share, seed + index) for index, share in enumerate(shares)])
    return merged(outcomes)


def merged(outcomes: Sequence[Outcome]) -> Outcome:
    """One result of several."""
    whole, *rest = outcomes
    for other in rest:
        whole.merge(other)
    return whole


def report(outcome: Outcome, seconds: float, *, by: str, write: bool) -> int:
    """Print what came and what failed; 1 if anything did, or if what came was too easy."""
    from tests.generated.distribution import ENOUGH  # noqa: PLC0415

    drawn, console = outcome.distribution, Console(file=sys.stdout)
    table = Table("of the cases", "number", "share")
    for trait, number in drawn.traits.most_common():
        table.add_row(trait, str(number), f"{number / drawn.cases:.0%}")
    console.print(table)
    for kind, (case, trace) in outcome.failures.items():
        say(f"{kind}\n{case}\n{trace}", sys.stdout)
    missing = drawn.missing() if by == "wire" else []
    faults = [f"{len(missing)} arguments never came: {', '.join(missing)}"] if missing else []
    if drawn.share < ENOUGH:
        faults.append(f"{drawn.share:.0%} of the cases had several variants and a change in model and split, not 30 %")
    verdict = f"{drawn.cases} cases by {by}, {outcome.failed} failed, {drawn.share:.0%} hard, {duration(seconds)}"
    say("\n".join([*faults, verdict]), sys.stdout)
    if write:
        _write(outcome, seconds, by, len(missing))
    return min(outcome.failed + len(faults), 1)


def _write(outcome: Outcome, seconds: float, by: str, missing: int) -> None:
    drawn = outcome.distribution
    each = f"{outcome.processor / drawn.cases * 1000:.0f} ms" if by == "wire" else f"{seconds / drawn.cases:.1f} s"
    came = len(drawn.arguments)
    cells = [
        datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        by,
        f"{drawn.cases:,}",
        str(outcome.failed),
        f"{drawn.share:.0%}",
        f"{came} of {came + missing}" if by == "wire" else str(came),
        each,
        duration(seconds),
    ]
    page = measurements.PAGE.read_text(encoding="utf-8").partition(f"## {HEADING}\n")[2].partition("\n## ")[0]
    kept = [line for line in page.splitlines() if line.startswith("| 2") and line.split(" | ")[1] != by]
    measurements.put(measurements.PAGE, HEADING, ABOUT, [*kept, f"| {' | '.join(cells)} |"])


def main(arguments: Sequence[str]) -> int:
    """See above."""
    parser = argparse.ArgumentParser(prog="make generated ARGS=...", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--engine", type=int, nargs="?", const=300, default=0, help="so many on the real engine instead"
    )
    parser.add_argument("--policies", action="store_true", help="stacks, by Check and the policy pack against Google")
    parser.add_argument(
        "--peaks", type=int, nargs="?", const=200, default=0, help="changes of stacks, by the report against quotas"
    )
    parser.add_argument("--write", action="store_true", help="into docs/measurements.md")
    asked = parser.parse_args(arguments)
    sys.path.insert(0, str(Path(__file__).parent.parent))
    if asked.policies:
        return generated_stacks.policies(asked.cases, asked.workers, asked.seed, write=asked.write)
    if asked.peaks:
        return generated_peaks.peaks(asked.peaks, asked.seed, write=asked.write)
    began = time.monotonic()
    if asked.engine:
        from tests.generated.engine import engine  # noqa: PLC0415 - needs the engine

        outcome = engine(asked.engine, asked.seed, Outcome)
    else:
        outcome = wire(asked.cases, asked.workers, asked.seed)
    return report(outcome, time.monotonic() - began, by="engine" if asked.engine else "wire", write=asked.write)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
