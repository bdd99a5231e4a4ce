"""A run that is stopped as CI systems do it: SIGINT, SIGTERM 7.5 s later, SIGKILL 2.5 s after that."""

import contextlib
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.engine.harness import processes
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.run import EngineFailedError, Run, Running
from tests.engine.harness.stack import Stack

SIGNALS = ((signal.SIGINT, 7.5), (signal.SIGTERM, 2.5), (signal.SIGKILL, 5.0))
"""Each with the seconds until the next one (GitHub's runner: actions/runner, ProcessInvoker)."""
PROMISED = 5.0
"""Seconds after SIGINT in which everything has ended and is written."""


@dataclass
class Interrupted:
    """How it ended. `faults`: each promise that was not kept."""

    run: Run
    seconds: float
    sent: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def interrupted(stack: Stack, running: Running, names: tuple[str, ...]) -> Interrupted:
    """Stop a run that waits for these resources, and look at what it left."""
    left = [running.pid, *processes.descendants(running.pid)]
    began = time.monotonic()
    run, sent = _stopped(running)
    ended = Interrupted(run, time.monotonic() - began, sent)
    if ended.seconds > PROMISED:
        ended.faults.append(f"it took {ended.seconds:.1f} s ({', '.join(sent)})")
    if not processes.gone(left, 1):
        ended.faults.append("a process of it goes on")
    ended.faults += [fault for name in names for fault in _tracked(stack, name)]
    if list((stack.folder / "backend" / ".pulumi" / "locks").rglob("*.json")):
        ended.faults.append("the stack is locked")
    if pending := stack.export()["deployment"].get("pending_operations"):
        ended.faults.append(f"{len(pending)} pending operations")
    return ended


def _stopped(running: Running) -> tuple[Run, list[str]]:
    sent: list[str] = []
    for number, seconds in SIGNALS:
        sent.append(number.name)
        running.send(number)
        with contextlib.suppress(TimeoutError):
            return running.ended(seconds), sent
    raise EngineFailedError(f"it goes on after SIGKILL:\n{running.output}")


def _tracked(stack: Stack, name: str) -> list[str]:
    """What the state lacks of a resource that was being made."""
    try:
        entry = stack.resource(name)
    except AssertionError:
        return [f"{name} is not in the state"]
    told = " ".join(entry.get("initErrors") or ())
    return [] if "/operations/" in told else [f"{name}: no operation is named in its state: {told!r}"]


def resumed(stack: Stack, cloud: Cloud, program: Callable[[], None], held: tuple[str, ...]) -> list[str]:
    """The methods by which the next run makes something anew, when what was held is let go."""
    for kind in held:
        cloud.control.release(kind)
    with cloud.recorded() as calls:
        stack.up(program)
    return [name for name in calls.changing if name in ("CreateQueuedResource", "DeployModel", "UploadModel")]
