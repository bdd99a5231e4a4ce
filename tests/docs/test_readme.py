"""What the README tells a user to run, run: the program against the emulator, the commands in a fresh clone."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import README, blocks, commands
from tests.engine.harness import cloud as clouds
from tests.engine.harness.stack import Stack
from tests.make import clone as clones
from tests.make.clone import Clone
from tools import environment
from tools.engine import Engine

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("readme"), pytest.mark.timeout(900)]
NOT_HERE = ("git clone ", "make test")
SECONDS = 600


@dataclass(frozen=True)
class Ran:
    """One command of the README."""

    command: str
    code: int
    output: str


def test_the_program_runs(tmp_path: Path, engine: Engine) -> None:
    [program] = blocks(README, "python")
    with clouds.running() as cloud:
        stack = Stack(tmp_path, engine, cloud)
        stack.up(lambda: exec(compile(program, "README.md", "exec"), {}))

        assert len(cloud.objects("nodes")) == 3
        assert list(cloud.traffic().values()) == [100]


def test_the_program_is_short() -> None:
    [program] = blocks(README, "python")

    assert len([line for line in program.splitlines() if line.strip() and "import" not in line]) <= 10


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[list[Ran]]:
    """Every command of the console blocks, in order, in a clone; `make down` whatever comes."""
    clone = clones.make(tmp_path_factory.mktemp("readme"), engine)
    # The clone has this environment, and is told so: nothing is installed, nothing is asked of a registry.
    stamp = environment._stamp(clone.layout.root, "up")
    stamp.touch()
    try:
        yield [_run(command, clone) for command in commands(README) if not command.startswith(NOT_HERE)]
    finally:
        _run("make down", clone)
        stamp.unlink()


def test_every_command_of_the_readme_succeeds(runs: list[Ran]) -> None:
    assert [run for run in runs if run.code] == []


def test_nothing_is_an_orphan_after_make_up(runs: list[Ran]) -> None:
    [orphans] = [run for run in runs if "tpuserve orphans" in run.command]

    assert "no orphans" in orphans.output


def test_the_preview_of_the_readme_changes_nothing(runs: list[Ran]) -> None:
    [preview] = [run for run in runs if "--expect-no-changes" in run.command]

    assert preview.code == 0


def _run(command: str, clone: Clone) -> Ran:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=clone.layout.root,
        env=clone.environ(),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    return Ran(command, done.returncode, done.stdout + done.stderr)
