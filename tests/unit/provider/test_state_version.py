"""Entries of earlier versions come to this one, and those of later ones are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cli.exports import ENDPOINT, entry, read
from tpuserve.orphans.state import StateError
from tpuserve.provider.server import LIFECYCLES
from tpuserve.provider.state_version import (
    KEY,
    MIGRATIONS,
    STATE_VERSION,
    Entry,
    StateVersionError,
    migrated,
    versioned,
)
from tpuserve.provider.values import Properties

TOKEN = "tpuserve:vertex:Endpoint"


def renamed(step: int):
    """A migration that tells itself in the outputs."""

    def migrate(before: Entry) -> Entry:
        told = before.outputs.values.get("told", [])
        return Entry(before.inputs, Properties({**before.outputs.values, "told": [*told, step]}))

    return migrate


def of_version(version: object) -> Entry:
    return Entry(outputs=Properties({KEY: version, "told": []}))


@given(st.integers(1, 5), st.integers(1, 5))
def test_an_entry_takes_every_step_to_the_current_version_once_and_in_order(version: int, current: int) -> None:
    steps = {(TOKEN, step): renamed(step) for step in range(1, 6)}
    if version > current:
        with pytest.raises(StateVersionError, match=f"its version is {version}, and this one knows up to {current}"):
            migrated(TOKEN, of_version(version), steps, current)
        return

    assert migrated(TOKEN, of_version(version), steps, current).outputs.values["told"] == [*range(version, current)]


def test_another_resource_has_steps_of_its_own() -> None:
    steps = {("tpuserve:vertex:Model", 1): renamed(1)}

    assert migrated(TOKEN, of_version(1), steps, 2).outputs.values["told"] == []


def test_an_entry_without_a_version_is_of_the_first() -> None:
    found = migrated(TOKEN, Entry(outputs=Properties({"told": []})), {(TOKEN, 1): renamed(1)}, 2)

    assert found.outputs.values == {"told": [1]}


@pytest.mark.parametrize("version", [0, -1, "1", None, 1.5, {}])
def test_what_no_build_writes_is_refused(version: object) -> None:
    with pytest.raises(StateVersionError):
        migrated(TOKEN, of_version(version))


def test_the_version_is_not_an_output_of_the_resource() -> None:
    assert migrated(TOKEN, Entry(outputs=Properties(versioned({"name": "n"})))).outputs.values == {"name": "n"}


def test_every_step_is_of_a_resource_and_a_version_that_there_was() -> None:
    assert [key for key in MIGRATIONS if key[0] not in LIFECYCLES or not 1 <= key[1] < STATE_VERSION] == []


def test_orphans_are_not_looked_for_with_the_state_of_a_newer_build() -> None:
    with pytest.raises(StateError, match="written by a newer tpuserve"):
        read(entry(TOKEN, str(ENDPOINT), outputs={KEY: STATE_VERSION + 1}))
