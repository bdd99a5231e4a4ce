"""`make bench`: previews and updates against the same graph on a provider that does nothing, as ratios with limits.

    python -m tools.bench [--rounds 5] [--counts 50,200] [--write]

Exit code 1 where a limit is passed. `--write` puts the figures into docs/measurements.md.
"""

import argparse
import datetime
import sys
from collections.abc import Sequence

from rich.console import Console

from tools.bench import report
from tools.bench.runs import measured
from tools.engine import required
from tools.measurements import PAGE, put

HEADING = "This provider against one that does nothing"
WIDTH = 140  # columns, where there is no terminal to break lines for


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, tell, and compare with the limits."""
    given = _parser().parse_args(arguments)
    engine = required()
    counts = tuple(int(count) for count in given.counts.split(","))
    rows = list(report.rows(measured(engine, counts, given.rounds)))
    Console(width=None if sys.stdout.isatty() else WIDTH).print(report.table(rows, given.rounds))
    if given.write:
        put(PAGE, HEADING, _about(given.rounds), report.lines(rows))
    return int(report.failed(rows))


def _about(rounds: int) -> list[str]:
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return [
        f"Written by `make bench ARGS=--write` on {today}: medians of {rounds} rounds, both providers in turn on the",
        "real engine with programs of the measuring process, refreshBeforeUpdate off. The emulator is a process of its",
        "own and answers without durations: `up` is compared with no call at all. Machine A.",
        "",
        "| what | ours | against | ratio (least to most) | limit |",
        "| --- | --- | --- | --- | --- |",
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    parser.add_argument("--counts", default="50,200", help="numbers of resources (50,200)")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/measurements.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
