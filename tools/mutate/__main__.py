"""`make mutate`: take things out of the code one at a time, and name what no test noticed.

    python -m tools.mutate [--only TEXT] [--parallel 2] [--at-most MINUTES]

What is committed is tried, in clones. An interrupted run goes on where it was, as long as the commit is the same; of
another commit it asks first the test that noticed the same change there.
Exit code 1 if anything survived or was left out.
"""

from __future__ import annotations

import argparse
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from tools.mutate.mutants import Mutant
from tools.mutate.plan import GOLDEN, TABLES, TESTS, everything, why_harmless
from tools.mutate.trying import Clone
from tools.progress import duration, say

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / ".tpuserve" / "mutate"
_LINE = re.compile(r":\d+(?= )")


@dataclass(slots=True)
class Trials:
    """Changes handed to clones; `found` is change -> the test that noticed it, "" for none."""

    mutants: Sequence[Mutant]
    file: Path
    until: float
    found: dict[str, str] = field(default_factory=dict)
    _hints: dict[str, str] = field(default_factory=dict)
    _waiting: queue.SimpleQueue[Mutant] = field(default_factory=queue.SimpleQueue)
    _left: queue.SimpleQueue[Mutant] = field(default_factory=queue.SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def load(self) -> None:
        """What earlier runs found: of the same commit it counts, of another it is a hint."""
        for file in sorted(self.file.parent.glob("*.jsonl"), key=lambda found: found.stat().st_mtime):
            found = dict(_kept(file))
            self._hints |= {_LINE.sub("", name, count=1): killer for name, killer in found.items()}
            if file == self.file:
                self.found = found

    def run(self, clones: Sequence[Clone]) -> str | None:
        """Until every change has been tried, or the time is over; the test that fails without any change, if one does.

        First come the tests that are likely to notice, for every change; all of them for what is left.
        """
        if failing := clones[0].failing():
            return failing
        for mutant in self.mutants:
            if str(mutant) not in self.found:
                self._waiting.put(mutant)
        self._together(clones, by_all=False)
        self._waiting, self._left = self._left, queue.SimpleQueue()
        self._together(clones, by_all=True)
        return None

    def _together(self, clones: Iterable[Clone], *, by_all: bool) -> None:
        threads = [threading.Thread(target=self._work, args=(clone, by_all)) for clone in clones]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self, clone: Clone, by_all: bool) -> None:
        while time.monotonic() < self.until:
            try:
                mutant = self._waiting.get_nowait()
            except queue.Empty:
                return
            began = time.monotonic()
            killer = clone.killer(mutant, self._hints.get(mutant.name, ""), by_all=by_all)
            if killer or by_all or not mutant.path.startswith(TABLES):
                self._keep(mutant, killer or "", time.monotonic() - began)
            else:
                say(f"{mutant}: later, by all tests", sys.stdout)
                self._left.put(mutant)

    def _keep(self, mutant: Mutant, killer: str, seconds: float) -> None:
        with self._lock:
            self.found[str(mutant)] = killer
            with self.file.open("ab") as file:
                file.write(msgspec.json.encode((str(mutant), killer)) + b"\n")
            count = f"{len(self.found)}/{len(self.mutants)}"
            say(f"{count} {mutant}: {killer or 'SURVIVED'} ({duration(seconds)})", sys.stdout)


def _kept(file: Path) -> Iterator[tuple[str, str]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        yield msgspec.json.decode(line, type=tuple[str, str])


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every change was tried and a test noticed each."""
    given = _parser().parse_args(arguments)
    commit = _git("rev-parse", "HEAD")
    if _git("status", "--porcelain", "--untracked-files=no"):
        say("warning: what is not committed is not tried")
    tried = [mutant for mutant in everything(ROOT) if given.only in str(mutant) and not why_harmless(mutant)]
    FOLDER.mkdir(parents=True, exist_ok=True)
    trials = Trials(tried, FOLDER / f"{commit[:12]}.jsonl", time.monotonic() + 60 * given.at_most)
    trials.load()
    say(
        f"{len(tried)} changes, {sum(str(mutant) not in trials.found for mutant in tried)} of them to be tried",
        sys.stdout,
    )
    with tempfile.TemporaryDirectory() as folder:
        clones = [Clone.of(ROOT, Path(folder) / str(number), TESTS, GOLDEN) for number in range(given.parallel)]
        if failing := trials.run(clones):
            say(f"error: {failing} fails without any change; mend that first, or run again where nothing runs beside")
            return 1
    return _reported(tried, trials.found)


def _reported(tried: Sequence[Mutant], found: dict[str, str]) -> int:
    survivors = [mutant for mutant in tried if found.get(str(mutant)) == ""]
    left = [mutant for mutant in tried if str(mutant) not in found]
    console = Console(width=None if sys.stdout.isatty() else 160)
    table = Table("file", "changes", "noticed", "survived", "not tried")
    for path in sorted({mutant.path for mutant in tried}):
        here = [mutant for mutant in tried if mutant.path == path]
        gone, late = sum(mutant in survivors for mutant in here), sum(mutant in left for mutant in here)
        table.add_row(path, *map(str, (len(here), len(here) - gone - late, gone, late)))
    console.print(table)
    for mutant in survivors:
        console.print(f"SURVIVED {mutant}", markup=False)
    console.print(f"survivors: {len(survivors) or 'none'} of {len(tried)} changes; not tried: {len(left) or 'none'}")
    return min(len(survivors) + len(left), 1)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make mutate ARGS=...", description=__doc__)
    parser.add_argument("--only", default="", help="changes whose line holds this text")
    parser.add_argument("--parallel", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--at-most", type=float, default=24 * 60, help="minutes; the next run does the rest")
    return parser


if __name__ == "__main__":
    sys.exit(main())
