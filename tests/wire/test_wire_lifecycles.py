"""Each resource through preview, create, no change, update, read, replacement and deletion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import State
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

KINDS = {QUEUED_RESOURCE: "queuedResources", MODEL: "models", ENDPOINT: "endpoints"}


@dataclass(frozen=True)
class Life:
    """One resource's arguments through its life."""

    token: str
    args: dict[str, Any]
    in_place: dict[str, Any]
    another: dict[str, Any]
    """A change that makes another object."""


LIVES = [
    Life(
        QUEUED_RESOURCE,
        collection(),
        collection(waitFor="PROVISIONING"),
        collection(**{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2}),
    ),
    Life(MODEL, model(), model(description="better"), model(recreate="again")),
    Life(
        ENDPOINT,
        endpoint(),
        endpoint(**{"labels.team": "b"}),
        endpoint(dedicatedEndpointEnabled=True, allowReplace=True),
    ),
]
each_resource = pytest.mark.parametrize("life", LIVES, ids=[life.token.rsplit(":", 1)[-1] for life in LIVES])


@each_resource
async def test_preview_of_a_create_asks_google_nothing(stack: Stack, emulator: Emulator, life: Life) -> None:
    urn = urn_of(life.token, "r")

    await stack.wire.create(urn, await stack.wire.checked(urn, life.args), preview=True)

    assert emulator.control.calls() == []


@each_resource
async def test_second_update_changes_nothing(stack: Stack, emulator: Emulator, life: Life) -> None:
    await stack.up(life.token, "r", life.args)
    emulator.control.clear_calls()

    await stack.up(life.token, "r", life.args)

    assert (stack.steps, emulator.control.calls(mutating_only=True)) == (["create", "same"], [])


@each_resource
async def test_refresh_finds_no_drift(stack: Stack, emulator: Emulator, life: Life) -> None:
    before = await stack.up(life.token, "r", life.args)

    assert await stack.refresh(life.token, "r") == before


@each_resource
async def test_change_in_place_keeps_the_object(stack: Stack, emulator: Emulator, life: Life) -> None:
    first = await stack.up(life.token, "r", life.args)

    second = await stack.up(life.token, "r", life.in_place)

    assert (stack.steps, second.id) == (["create", "update"], first.id)


@each_resource
async def test_replacement_makes_another_object_and_takes_the_old_one_away(
    stack: Stack, emulator: Emulator, life: Life
) -> None:
    first = await stack.up(life.token, "r", life.args)

    second = await stack.up(life.token, "r", life.another)

    assert second.id != first.id
    assert names(emulator, life.token) == [google_name(second)]


@each_resource
async def test_import_gives_inputs_without_a_difference(stack: Stack, emulator: Emulator, life: Life) -> None:
    made = await stack.up(life.token, "r", life.args)
    urn = urn_of(life.token, "imported")

    found = await stack.wire.read(urn, made.id)

    assert found is not None
    inputs = await stack.wire.checked(urn, made.inputs, found)
    assert list((await stack.wire.diff(urn, found, inputs)).replaces) == []


@each_resource
async def test_import_by_the_projects_number_takes_the_configured_id(
    stack: Stack, emulator: Emulator, life: Life
) -> None:
    made = await stack.up(life.token, "r", life.args)
    urn = urn_of(life.token, "imported")

    found = await stack.wire.read(urn, google_name(made))

    assert found is not None
    assert found.inputs["project"] == programs.PROJECT


@each_resource
async def test_project_may_be_given_by_number_after_an_import(stack: Stack, emulator: Emulator, life: Life) -> None:
    made = await stack.up(life.token, "r", life.args)
    urn = urn_of(life.token, "imported")
    found = await stack.wire.read(urn, google_name(made))

    assert found is not None
    inputs = await stack.wire.checked(urn, {**made.inputs, "project": programs.NUMBER}, found)
    assert list((await stack.wire.diff(urn, found, inputs)).replaces) == []


@each_resource
async def test_import_from_another_project_keeps_its_number(stack: Stack, emulator: Emulator, life: Life) -> None:
    """The configured project has no object of that name, or may not be read."""
    made = await stack.up(life.token, "r", life.args)
    await stack.wire.configure(project="other-project")

    found = await stack.wire.read(urn_of(life.token, "imported"), google_name(made))

    assert found is not None
    assert found.inputs["project"] == programs.NUMBER


@each_resource
async def test_removal_leaves_nothing(stack: Stack, emulator: Emulator, life: Life) -> None:
    await stack.up(life.token, "r", life.args)

    await stack.remove(life.token, "r")

    assert names(emulator, life.token) == []


@each_resource
async def test_delete_forgives_what_is_gone(stack: Stack, emulator: Emulator, life: Life) -> None:
    await stack.up(life.token, "r", life.args)
    emulator.control.reset()

    await stack.remove(life.token, "r")

    assert stack.states == {}


@each_resource
async def test_read_of_what_is_gone_answers_an_empty_id(stack: Stack, emulator: Emulator, life: Life) -> None:
    await stack.up(life.token, "r", life.args)
    emulator.control.reset()

    assert await stack.refresh(life.token, "r") is None


def names(emulator: Emulator, token: str) -> list[str]:
    return [item["name"] for item in emulator.control.objects()[KINDS[token]]]


def google_name(state: State) -> str:
    """Google answers with the project's number."""
    return state.id.replace(programs.PROJECT, programs.NUMBER)
