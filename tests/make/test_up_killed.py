"""`make up` after its engine was killed half way."""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.make import clone as clones
from tests.make.clone import Clone, Ran
from tools.engine import Engine
from tools.local import emulator
from tools.local.settings import settings
from tpuserve.emulator.control import Control

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("make-up-killed"), pytest.mark.timeout(600)]

MET = 3
"""The kill comes after the effect of this mutating call, and before its answer."""


@dataclass
class Life:
    """What was seen, run by run."""

    killed: Ran
    refused: Ran
    resumed: Ran
    counts: dict[str, int]
    second: Ran
    left: list[str]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Life]:
    clone = clones.make(tmp_path_factory.mktemp("killed"), engine)
    try:
        yield lived(clone)
    finally:
        clone.run("down")


def lived(clone: Clone) -> Life:
    running = emulator.ensure(clone.layout, settings(clone.layout, clone.python), [].append)
    with Control(running.address) as control:
        control.break_at(MET, "after")
        with clone.begin("up") as run:
            assert control.wait_broken(120)
            refused = clone.run("up")
            for pid in clones.children(run.pid, "pulumi"):
                os.kill(pid, signal.SIGKILL)
            killed = clones.ended(run)
        control.release_break()
        resumed = clone.run("up")
        counts = {kind: len(items) for kind, items in control.objects().items()}
    second = clone.run("up")
    clone.run("down")
    return Life(killed, refused, resumed, counts, second, clone.processes())


def test_up_beside_another_is_refused(life: Life) -> None:
    assert "error: stack local is being changed by another pulumi (pid " in life.refused.said
    assert life.refused.code == 1


def test_killed_up_fails_in_one_line(life: Life) -> None:
    assert life.killed.said.splitlines()[-1] == "error: `pulumi up` ended with code -9; what it says is above"


def test_stale_lock_is_taken_off_and_told(life: Life) -> None:
    assert "backend: the lock of a killed engine is still there (pid " in life.resumed.said


def test_next_up_ends_well(life: Life) -> None:
    assert life.resumed.code == 0, life.resumed.said


def test_nothing_is_doubled(life: Life) -> None:
    kinds = ("queuedResources", "nodes", "models", "endpoints")

    assert {kind: life.counts[kind] for kind in kinds} == {
        "queuedResources": 1,
        "nodes": 3,
        "models": 1,
        "endpoints": 1,
    }


def test_then_nothing_changes(life: Life) -> None:
    assert "stack local: nothing changes\n" in life.second.said, life.second.said


def test_down_leaves_no_process_of_the_killed_engine(life: Life) -> None:
    assert life.left == []
