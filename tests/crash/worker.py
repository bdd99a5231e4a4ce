"""A process that tries cases one after the other: a JSON line in, a JSON line out.

    python -m tests.crash.worker FOLDER PULUMI HOST_FOLDER OWNER

Programs run in this process beside engines that are killed; what such an end leaves behind stays in it.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import msgspec

from tests.crash.case import Case
from tests.crash.recorder import recorded_boundaries
from tests.crash.trial import tried
from tests.crash.world import Worlds
from tools.engine import Engine


class Record(msgspec.Struct, tag=True, frozen=True):
    """Ask for the boundaries of a scenario."""

    scenario: str


class Try(msgspec.Struct, tag=True, frozen=True):
    """Ask for the outcome of a case."""

    case: Case


def main(arguments: list[str]) -> int:
    """Answer until standard input ends."""
    warnings.simplefilter("ignore")  # of event loops that a killed engine left unfinished
    folder, pulumi, host_folder, owner = arguments
    worlds = Worlds(Path(folder), Engine(Path(pulumi), Path(host_folder)), owner)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is for people
    for line in sys.stdin.buffer:
        asked = msgspec.json.decode(line, type=Record | Try)
        answer = tried(worlds, asked.case) if isinstance(asked, Try) else recorded_boundaries(worlds, asked.scenario)
        answers.write(msgspec.json.encode(answer) + b"\n")
        answers.flush()
    return 0


if __name__ == "__main__":
    # Not by sys.exit: a program whose engine was killed may wait for it in a thread without end.
    os._exit(main(sys.argv[1:]))
