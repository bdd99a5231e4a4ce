"""A stack file with faults, on the real engine: the message, and that nothing was asked of Google."""
# ruff: noqa: E501 - whole messages

from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot

from tests.engine.program_cli import ProgramCli
from tests.least import least
from tools.engine import Engine
from tpuserve.emulator import Emulator

pytestmark = pytest.mark.engine

FAULTS = {"tpu-inference:collection.slicez": 3, "tpu-inference:collection.slices": "3"}


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator(least()).running() as running:
        yield running


@pytest.fixture(scope="module")
def program(engine: Engine, emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> ProgramCli:
    made = ProgramCli(engine, tmp_path_factory.mktemp("program"), emulator.address)
    made.create()
    return made


@pytest.fixture(scope="module")
def refused(program: ProgramCli) -> str:
    """What the user sees of a stack with an unknown key and a number as a string."""
    done = program.preview(FAULTS)
    assert done.returncode != 0
    return done.stdout


def test_each_fault_is_a_line(refused: str) -> None:
    lines = refused[refused.index("Diagnostics:") :].splitlines()

    assert lines[2:5] == snapshot(
        [
            "    error: 2 faults in the stack's configuration; nothing was asked for:",
            "      tpu-inference:collection.slicez: unknown key; did you mean slices?; allowed: slices, acceleratorType, runtimeVersion, zone, workloadType, nodePrefix, startupScript, metadata and labels",
            "      tpu-inference:collection.slices: '3' is a string; give a whole number, without quotes",
        ]
    )


def test_there_is_no_traceback(refused: str) -> None:
    assert "Traceback" not in refused


def test_no_resource_was_declared(refused: str) -> None:
    assert "tpuserve:" not in refused[: refused.index("Diagnostics:")]


def test_google_was_asked_for_nothing(refused: str, emulator: Emulator) -> None:
    assert emulator.control.calls() == []


def test_autonaming_without_a_random_part_is_refused(program: ProgramCli) -> None:
    done = program.preview({"pulumi:autonaming": {"mode": "verbatim"}})

    assert "pulumi:autonaming: mode 'verbatim' gives names without a random part" in done.stdout


def test_surroundings_that_are_not_there_are_refused_without_a_traceback(program: ProgramCli) -> None:
    done = program.preview({"tpu-inference:surroundings": "organization/tpu-serving/prod"})

    assert "error: stack organization/tpu-serving/prod cannot be read: " in done.stdout
    assert "Traceback" not in done.stdout
