"""A state that an earlier build wrote is this build's as well: nothing changes, and everything can be taken down."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.stack import Stack
from tests.upgrade.program import program
from tests.upgrade.recorded import Recorded, current, recordings
from tools.engine import Engine
from tpuserve.provider.server import LIFECYCLES
from tpuserve.provider.state_version import KEY, STATE_VERSION

each = pytest.mark.parametrize("recorded", recordings(), ids=lambda recorded: recorded.folder.name)


def entries(recorded: Recorded) -> list[dict[str, Any]]:
    """Our resources in a recorded state; components have no state of their own."""
    found = json.loads(recorded.state.read_text())["deployment"]["resources"]
    return [entry for entry in found if entry["type"] in LIFECYCLES]


def test_the_version_that_this_build_writes_is_recorded() -> None:
    versions = {entry["outputs"][KEY] for entry in entries(current())}

    assert versions == {STATE_VERSION}, "run `python -m tools.fixtures`"


@each
def test_a_recording_has_every_resource(recorded: Recorded) -> None:
    assert {entry["type"] for entry in entries(recorded)} == set(LIFECYCLES)


@each
def test_a_recording_says_nothing_of_the_machine(recorded: Recorded) -> None:
    written = recorded.state.read_text() + recorded.emulator.read_text()

    assert [word for word in ("project:///", "site-packages", "/tmp/", "127.0.0.1") if word in written] == []


@pytest.fixture
def restored(recorded: Recorded, tmp_path: Path, engine: Engine) -> Iterator[tuple[Stack, Cloud]]:
    with recorded.restored(tmp_path, engine) as restored:
        yield restored


@pytest.mark.engine
@pytest.mark.timeout(240)
@each
def test_this_build_changes_nothing_of_it_and_takes_all_of_it_down(restored: tuple[Stack, Cloud]) -> None:
    """Everything that can drift is read from the emulator first."""
    stack, cloud = restored
    before = cloud.objects("nodes"), cloud.objects("endpoints"), cloud.objects("models")
    stack.unchanged(program)
    stack.refresh("--expect-no-changes")
    kept = (cloud.objects("nodes"), cloud.objects("endpoints"), cloud.objects("models")) == before

    stack.destroy()

    assert (kept, cloud.is_empty()) == (True, True)
