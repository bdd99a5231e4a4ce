"""Runs that are stopped as CI systems do it, again and again: a deployment and a collection in mid-wait, then resumed.

    python -m tools.stops [--runs 40] [--write]

Exit code 1 where any promise was not kept. `--write` puts the figures into docs/measurements.md.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.engine.harness import cloud as clouds
from tests.engine.harness.interrupted import PROMISED, Interrupted, interrupted, resumed
from tests.engine.harness.programs import Collection, Serving, together
from tests.engine.harness.stack import Stack
from tools.engine import Engine, required
from tools.measurements import PAGE, put
from tools.progress import say

HEADING = "Stopped as CI systems do it"
PROGRAM = together(Collection(), Serving())
HELD = ("qr_provisioning", "deploy_model")
ABOUT = [
    "Written by `python -m tools.stops --write`: `pulumi up` of a collection, a model, an endpoint and a deployment on",
    "the real engine; SIGINT to its group while the collection and the deployment wait, SIGTERM 7.5 s later and",
    "SIGKILL 2.5 s after that if it still runs. A promise: the end in time, id and operation of both in the state, no",
    "pending operation, no lock, no process left, and the next run waits for the same operations. Machine A.",
    "",
    "| runs | promises not kept | longest until all has ended | median | promised | signals needed |",
    "| --- | --- | --- | --- | --- | --- |",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 when every run kept every promise."""
    given = _parser().parse_args(arguments)
    engine = required()
    ends = []
    for number in range(given.runs):
        ends.append(end := _once(engine))
        say(f"{number + 1}/{given.runs}: {end.seconds:.1f} s, {'; '.join(end.faults) or 'ok'}", sys.stdout)
    row = _row(ends)
    say(f"{ABOUT[-2]}\n{row}", sys.stdout)
    if given.write:
        put(PAGE, HEADING, ABOUT, [row])
    return int(any(end.faults for end in ends))


def _once(engine: Engine) -> Interrupted:
    with tempfile.TemporaryDirectory(prefix="tpuserve-stops-") as folder, clouds.running() as cloud:
        stack = Stack(Path(folder), engine, cloud)
        try:
            for kind in HELD:
                cloud.control.hold(kind)
            running = stack.begin("up", PROGRAM)
            running.until("stable: starting")
            running.until("0 of 3 slices ready")
            end = interrupted(stack, running, ("c", "d"))
            end.faults += [f"the next run called {name} again" for name in resumed(stack, cloud, PROGRAM, HELD)]
            return end
        finally:
            stack.stop()


def _row(ends: Sequence[Interrupted]) -> str:
    seconds = [end.seconds for end in ends]
    cells = [
        str(len(ends)),
        str(sum(len(end.faults) for end in ends)),
        f"{max(seconds):.1f} s",
        f"{statistics.median(seconds):.1f} s",
        f"{PROMISED:.0f} s",
        ", ".join(sorted({name for end in ends for name in end.sent})),
    ]
    return f"| {' | '.join(cells)} |"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.stops", description=__doc__)
    parser.add_argument("--runs", type=int, default=40, help="how often (40)")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/measurements.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
