"""`make pulumi` on the real engine: what scripts read, and what it leaves alone."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.make import clone as clones
from tests.make.clone import Clone
from tools.engine import VERSION, Engine

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("make-pulumi"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Clone]:
    clone = clones.make(tmp_path_factory.mktemp("pulumi"), engine)
    try:
        yield clone
    finally:
        clone.run("down")


def pulumi(clone: Clone, *arguments: str) -> str:
    """What a run prints on standard output."""
    command = [clone.python, "-m", "tools.local", "pulumi", *arguments]
    return subprocess.run(
        command, cwd=clone.layout.root, env=clone.environ(), stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def test_output_is_the_engine_s_alone(clone: Clone) -> None:
    assert json.loads(pulumi(clone, "stack", "output", "--json")) == {}


def test_config_set_is_still_there_in_the_next_run(clone: Clone) -> None:
    pulumi(clone, "config", "set", "mine:number", "--", "-5")

    assert pulumi(clone, "config", "get", "mine:number") == "-5\n"


@pytest.mark.parametrize("arguments", [["config", "set", "--secret", "mine:word", "x"], ["stack", "rm", "--yes"]])
def test_committed_stack_file_is_as_it_was(clone: Clone, arguments: list[str]) -> None:
    before = clone.layout.committed_stack_file.read_bytes()

    pulumi(clone, *arguments)

    assert clone.layout.committed_stack_file.read_bytes() == before


def test_version_needs_no_stack(clone: Clone) -> None:
    assert pulumi(clone, "version") == f"{VERSION}\n"
