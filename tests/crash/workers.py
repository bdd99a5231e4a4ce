"""The other end of a worker: starts one, asks it, ends it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tests.crash.boundaries import Boundary
from tests.crash.case import Case, Outcome
from tests.crash.results import TRIES
from tests.crash.worker import Record, Try
from tests.engine.harness.stack import OWNER
from tools.engine import Engine

ROOT = Path(__file__).parent.parent.parent
COMMAND = [sys.executable, "-m", "tests.crash.worker"]
LAST_WORDS = 2000  # characters of what a worker said before it ended
FOREIGN = ("PULUMI", "GOOGLE_", "CLOUDSDK_", "GCLOUD_", "TPUSERVE_")


class Worker:
    """One process; its questions are answered one after the other."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process, self._log = process, log

    def boundaries(self, scenario: str) -> list[Boundary]:
        """The call boundaries of an undisturbed run."""
        return msgspec.json.decode(self._asked(Record(scenario)), type=list[Boundary])

    def killed(self, case: Case) -> Outcome:
        """What comes of a case whose boundary is met: calls of one moment may slip past it, then it is tried again."""
        outcomes = [self.outcome(case)]
        while not outcomes[-1].met and len(outcomes) < TRIES:
            outcomes.append(self.outcome(case))
        assert outcomes[-1].met, f"the update ended without {case.boundary} {TRIES} times: {outcomes[-1].told()}"
        return outcomes[-1]

    def outcome(self, case: Case) -> Outcome:
        """What comes of a case."""
        return msgspec.json.decode(self._asked(Try(case)), type=Outcome)

    def _asked(self, question: Record | Try) -> bytes:
        given, answers = self._process.stdin, self._process.stdout
        assert given is not None
        assert answers is not None
        given.write(msgspec.json.encode(question) + b"\n")
        given.flush()
        if not (line := answers.readline()):
            code, said = self._process.wait(), self._log.read_text(encoding="utf-8", errors="replace")
            raise RuntimeError(f"the worker ended with code {code} at {question}:\n{said[-LAST_WORDS:]}")
        return line


@contextlib.contextmanager
def working(folder: Path, engine: Engine, owner: str = OWNER) -> Iterator[Worker]:
    """A worker with its files in `folder`; what it says on standard error goes to `folder`/worker.log."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        sys.executable,
        "-m",
        "tests.crash.worker",
        str(folder),
        str(engine.pulumi),
        str(engine.host_folder),
        owner,
    ]
    with (
        (folder / "worker.log").open("wb") as log,
        subprocess.Popen(
            words, cwd=ROOT, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        ) as process,
    ):
        yield Worker(process, folder / "worker.log")
        assert process.stdin is not None
        process.stdin.close()


def _environment() -> dict[str, str]:
    """Nothing of the caller's own logins and stacks reaches the engine."""
    return {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
