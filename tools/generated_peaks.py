"""`make generated ARGS=--peaks`: changes of stacks by the hundred; the report's peak, against the emulator's quotas.

Each change is foretold by the report on its preview, then brought about in the same process, resource by resource, and
once for each quota with every resource at its worst moment together. What was drawn is printed, the result is written
to docs/measurements.md with `--write`. Exit code 1 if a peak was another one, or if too few changes had one.
"""

from __future__ import annotations

import asyncio
import datetime
import sys
import time
import warnings
from collections import Counter
from typing import Any

from tools import measurements
from tools.progress import duration, say

HEADING = "Generated peaks"
ABOUT = (
    "Written by `make generated ARGS=--peaks`: changes of stacks of up to three collections and two Deployments, each",
    "foretold by `tpuserve report` from what the plugin answers in a preview and brought about by the plugin, against",
    "the emulator in the same process. Its own quota counter is read after every call, once with one resource after",
    "the other, and once for each quota with each resource halted at its worst moment until all of them are there.",
    "Other peaks: the report's was not the counter's. Passing: more is held for a while than before and after.",
    "",
    "| date | changes | quotas compared | other peaks | changes with a passing peak | refused by Check | whole run |",
    "| --- | --- | --- | --- | --- | --- | --- |",
)
ENOUGH = 0.2
"""Share of the changes that must have a peak beyond what there is before and after."""


def peaks(cases: int, seed: int, *, write: bool) -> int:
    """So many changes; 1 if a peak was another one, or if what came was too easy."""
    warnings.simplefilter("ignore")
    from hypothesis import given  # noqa: PLC0415 - only where stacks are drawn

    from tests.generated import peaks as proof  # noqa: PLC0415
    from tests.generated.drawing import many  # noqa: PLC0415
    from tests.generated.peak_stacks import Case  # noqa: PLC0415
    from tests.generated.peak_stacks import cases as drawn  # noqa: PLC0415

    began, tally = time.monotonic(), Counter[str]()
    with asyncio.Runner() as runner:
        made = runner.run(proof.world())

        @many(cases, seed)
        @given(drawn())
        def run(case: Case) -> None:
            try:
                _count(tally, runner.run(proof.compared(made, case)))
            except AssertionError as error:
                tally["other"] += 1
                say(f"{error}\n{case}", sys.stdout)

        run()
        runner.run(proof.ended(made))
    return _told(tally, time.monotonic() - began, write=write)


def _count(tally: Counter[str], found: Any) -> None:
    if found is None:
        tally["refused"] += 1
        return
    tally["changes"] += 1
    tally["quotas"] += len(found.foretold)
    tally["passing"] += bool(found.passing)


def _told(tally: Counter[str], seconds: float, *, write: bool) -> int:
    changes = tally["changes"] + tally["other"]
    is_easy = tally["passing"] < ENOUGH * changes
    faults = [f"{tally['passing']} of {changes} changes had a passing peak, not {ENOUGH:.0%}"] if is_easy else []
    verdict = f"{changes} changes, {tally['quotas']} quotas, {tally['other']} other peaks, {duration(seconds)}"
    say("\n".join([*faults, verdict]), sys.stdout)
    if write:
        day = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        numbers = [changes, *(tally[key] for key in ("quotas", "other", "passing", "refused"))]
        row = " | ".join([day, *map(str, numbers), duration(seconds)])
        measurements.put(measurements.PAGE, HEADING, ABOUT, [f"| {row} |"])
    return 1 if tally["other"] or faults else 0
