"""One trial: an update killed at a boundary, what a user does next, and the count at the end."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from random import Random

from tests.crash.boundaries import armed, reached
from tests.crash.case import Case, Outcome
from tests.crash.continuations import CONTINUATIONS, WITHOUT_ORPHANS
from tests.crash.counter import miscounted
from tests.crash.programs import Program
from tests.crash.scenarios import SCENARIOS, Scenario
from tests.crash.world import World, Worlds
from tests.engine.harness import processes
from tests.engine.harness.run import EngineFailedError, Running
from tpuserve.cli.errors import UserError

SWEEP = "tpuserve orphans --delete"
# Continuation -> words of an error that it may meet: an orphan in its way, or nothing there to be replaced.
ADVICE = {"changed": SWEEP, "previous": SWEEP, "destroy": SWEEP, "replace": "could not be found in the stack"}
END = 5.0  # seconds within which the plugin ends after its engine


def tried(worlds: Worlds, case: Case) -> Outcome:
    """Do it all, in a world of its own."""
    scenario, outcome, began = SCENARIOS[case.scenario], Outcome(case), time.monotonic()
    with worlds.new(*scenario.starts) as world:
        survivors = _killed(world, case, scenario, outcome)
        if outcome.met:
            _resumed(world, case, scenario, outcome)
        if not processes.gone(survivors, END):
            outcome.faults.append(f"a plugin outlived its engine by more than {END:.0f} s")
    outcome.seconds = time.monotonic() - began
    return outcome


def _killed(world: World, case: Case, scenario: Scenario, outcome: Outcome) -> list[int]:
    """The update, killed at its boundary; returns the plugins that were alive then."""
    control = world.cloud.control
    control.clear_calls()
    armed(control, case.boundary)
    running = world.stack.begin("up", scenario.after)
    outcome.met = reached(control, case.boundary, lambda: not processes.gone([running.pid], 0))
    plugins = running.plugins()
    if outcome.met:
        _kill(running, case, plugins)
    control.release_break()
    run = running.wait()
    outcome.log.append(f"--- killed (exit {run.code})\n{run.output}")
    return plugins


def _kill(running: Running, case: Case, plugins: list[int]) -> None:
    for pid in [running.pid] if case.victim == "engine" else plugins:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if case.victim == "plugin":
        processes.gone(plugins, END)


def _resumed(world: World, case: Case, scenario: Scenario, outcome: Outcome) -> None:
    """A stale lock away, the continuation, the final program without change, and the count."""
    wanted = None
    with _noting(outcome, case.continuation):
        if case.victim == "engine":
            world.stack.unlock()
        wanted = _continued(world, case, scenario, outcome)
    if wanted is None:
        return
    if not wanted.empty:
        with _noting(outcome, "preview without change"):
            world.stack.unchanged(wanted)
    found = miscounted(wanted, world.cloud.control.objects())
    if case.continuation in WITHOUT_ORPHANS:
        outcome.faults += found
    else:
        outcome.swept += found
    _swept(world, wanted, outcome)


def _continued(world: World, case: Case, scenario: Scenario, outcome: Outcome) -> Program:
    """The program wanted in the end. A continuation may fail only with an error that says what stands in its way."""
    go_on = CONTINUATIONS[case.continuation]
    try:
        return go_on(world, scenario, Random(case.seed))
    except EngineFailedError as error:
        words = ADVICE.get(case.continuation)
        if words is None or words not in str(error):
            raise
        outcome.advised = True
        outcome.log.append(f"--- {case.continuation}, at first\n{error}")
    if case.continuation == "replace":
        return CONTINUATIONS["same"](world, scenario, Random(case.seed))
    world.sweep()
    return go_on(world, scenario, Random(case.seed))


def _swept(world: World, wanted: Program, outcome: Outcome) -> None:
    """`tpuserve orphans --delete` leaves what is declared, and nothing else."""
    with _noting(outcome, "orphans --delete"):
        if code := world.sweep():
            outcome.faults.append(f"orphans --delete ended with code {code}")
    left = miscounted(wanted, world.cloud.control.objects())
    outcome.faults += [f"after orphans --delete: {item}" for item in left]


@contextlib.contextmanager
def _noting(outcome: Outcome, what: str) -> Iterator[None]:
    """A run that fails is a fault of the outcome."""
    try:
        yield
    except (EngineFailedError, UserError) as error:
        outcome.faults.append(f"{what} failed")
        outcome.log.append(f"--- {what}\n{error}")
