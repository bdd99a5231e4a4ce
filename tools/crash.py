"""`make crash`: kill engine or plugin at every recorded boundary, go on in every way, and count what is there.

    python -m tools.crash [--seeds N] [--fresh] [--keep-passed] [--parallel 2] [--only SCENARIO] [--at-most MINUTES]

With `--seeds` only the cases that the seeds 0 to N-1 draw are tried.

An interrupted run goes on where it was, as long as the code is the same. The coverage is printed, the result written to
docs/measurements.md. Exit code 1 if anything failed or was left out.
"""

from __future__ import annotations

import argparse
import datetime
import queue
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from rich.console import Console

from tests.crash.boundaries import Boundary
from tests.crash.case import Case, Outcome
from tests.crash.coverage import table
from tests.crash.draw import drawn, every, shuffled
from tests.crash.results import Results, fingerprint
from tests.crash.scenarios import SCENARIOS
from tests.crash.workers import Worker, working
from tools.engine import Engine, required
from tools.progress import duration, say

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".tpuserve" / "crash"
KNOWN = ROOT / "tests" / "crash" / "boundaries.json"
MEASUREMENTS = ROOT / "docs" / "measurements.md"
CODE = ("tpuserve", "tests/crash", "tests/engine/harness")
HEADING = "## Kill and resume"
WIDTH = 160  # columns, where there is no terminal to break lines for
TABLE_HEAD = (
    "Written by `make crash`: every recorded call boundary (before and after the commit) with every continuation,",
    "engine or plugin killed by SIGKILL, two at a time, against the emulator with stub model servers and no",
    "durations. Earlier code: cases that passed before the newest change of the code and were not tried again. Swept:",
    "cases in which `tpuserve orphans --delete` had something to remove, as it may when the program changed or",
    "`destroy` came next.",
    "",
    "| date | boundaries | cases tried | failed | boundary not met | of earlier code | swept | a case | last run |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
)
Boundaries = dict[str, list[Boundary]]


@dataclass(slots=True)
class Trials:
    """Cases handed to workers, one at a time to each."""

    cases: Sequence[Case]
    results: Results
    engine: Engine
    until: float
    began: float = field(default_factory=time.monotonic)
    _waiting: queue.SimpleQueue[Case] = field(default_factory=queue.SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _done: int = 0

    def run(self, parallel: int) -> None:
        """Until every case has an outcome, or the time is over."""
        for case in shuffled(self.results.left(self.cases)):
            self._waiting.put(case)
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(parallel)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, number: int) -> None:
        """One worker after the other: a case that ends its worker is a failure of that case."""
        while not self._waiting.empty() and time.monotonic() < self.until:
            with working(_emptied(FOLDER / f"worker-{number}"), self.engine) as worker:
                self._ask(worker)

    def _ask(self, worker: Worker) -> None:
        while time.monotonic() < self.until:
            try:
                case = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                outcome = worker.outcome(case)
            except RuntimeError as error:
                self._keep(Outcome(case, faults=[str(error)]))
                return
            self._keep(outcome)

    def _keep(self, outcome: Outcome) -> None:
        with self._lock:
            if not self.results.add(outcome):
                self._waiting.put(outcome.case)
                return
            self._done += 1
            state = "FAILED" if outcome.faults else "ok" if outcome.met else "boundary not met"
            count = f"{len(self.cases) - len(self.results.left(self.cases))}/{len(self.cases)}"
            say(f"{count} {outcome.case}: {state}, {duration(outcome.seconds)}; {self._remaining()} to go", sys.stdout)
            if outcome.faults:
                say(outcome.told(), sys.stdout)

    def _remaining(self) -> str:
        left = len(self.results.left(self.cases))
        return f"about {duration((time.monotonic() - self.began) / self._done * left)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every case was tried and none failed."""
    given = _parser().parse_args(arguments)
    engine = required()
    results = Results(FOLDER / "outcomes.jsonl", fingerprint(ROOT, CODE))
    if given.fresh:
        results.file.unlink(missing_ok=True)
    results.load(keep_passed=given.keep_passed)
    known = _boundaries(results, engine)
    cases = [case for case in _cases(given.seeds, known) if given.only in ("", case.scenario)]
    say(f"{len(cases)} cases, {len(results.left(cases))} of them to be tried", sys.stdout)
    trials = Trials(cases, results, engine, time.monotonic() + 60 * given.at_most)
    trials.run(given.parallel)
    return _reported(cases, results, time.monotonic() - trials.began, whole=not given.only)


def _cases(seeds: int, known: Boundaries) -> list[Case]:
    return [drawn(seed, known.__getitem__) for seed in range(seeds)] if seeds else every(known.__getitem__)


def _boundaries(results: Results, engine: Engine) -> Boundaries:
    """Recorded anew, unless an interrupted run has done so; the file in the tree follows."""
    if not results.outcomes:
        with working(_emptied(FOLDER / "recorder"), engine) as worker:
            found = {scenario: worker.boundaries(scenario) for scenario in SCENARIOS}
        known = _known()
        if {name: set(kept) for name, kept in known.items()} != {name: set(kept) for name, kept in found.items()}:
            say(f"the recorded boundaries are others than before: {KNOWN.relative_to(ROOT)} is written anew")
            KNOWN.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return _known()


def _known() -> Boundaries:
    return msgspec.json.decode(KNOWN.read_bytes(), type=Boundaries) if KNOWN.exists() else {}


def _reported(cases: Sequence[Case], results: Results, seconds: float, *, whole: bool) -> int:
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    console.print(table(cases, results.outcomes))
    left = results.left(cases)
    tried = [results.outcomes[case] for case in cases if case in results.outcomes]
    failed = [outcome for outcome in tried if outcome.faults]
    unmet = [outcome for outcome in tried if not outcome.met]
    for outcome in failed:
        console.print(f"FAILED {outcome.case}: {'; '.join(outcome.faults)}", markup=False)
    told = f"{len(tried)} of {len(cases)} cases tried, {len(failed)} failed, {len(unmet)} did not meet their boundary"
    console.print(told)
    if whole:
        written(MEASUREMENTS, _row(cases, tried, results.code, seconds))
    return min(len(failed) + len(unmet) + len(left), 1)


def _row(cases: Sequence[Case], tried: Sequence[Outcome], code: str, seconds: float) -> str:
    boundaries = len({(case.scenario, case.boundary) for case in cases})
    cells = [
        datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        boundaries,
        f"{len(tried)} of {len(cases)}",
        sum(bool(outcome.faults) for outcome in tried),
        sum(not outcome.met for outcome in tried),
        sum(outcome.code != code for outcome in tried),
        sum(bool(outcome.swept or outcome.advised) for outcome in tried),
        f"{sum(outcome.seconds for outcome in tried) / max(len(tried), 1):.0f} s",
        duration(seconds),
    ]
    return f"| {' | '.join(map(str, cells))} |"


def written(file: Path, row: str) -> None:
    """Put a row into the section of `file`; the newest of a day takes the place of that day's others."""
    text = file.read_text(encoding="utf-8")
    before, _, rest = text.partition(f"{HEADING}\n")
    section, mark, after = rest.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| 2")]
    kept = [line for line in rows if line.split("|")[1] != row.split("|")[1]]
    head = "\n".join(TABLE_HEAD)
    lines = "\n".join([*kept, row])
    file.write_text(f"{before.rstrip()}\n\n{HEADING}\n\n{head}\n{lines}\n{mark}{after}", encoding="utf-8")


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make crash ARGS=...", description=__doc__)
    parser.add_argument("--seeds", type=int, default=0, help="the cases of so many seeds, in place of every one")
    parser.add_argument("--fresh", action="store_true", help="forget what an earlier run of the same code found")
    parser.add_argument(
        "--keep-passed", action="store_true", help="after a change, try what failed before and the rest"
    )
    parser.add_argument("--parallel", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--only", default="", choices=["", *SCENARIOS], help="one scenario; nothing is written then")
    parser.add_argument("--at-most", type=float, default=24 * 60, help="minutes; the next run does the rest")
    return parser


if __name__ == "__main__":
    sys.exit(main())
