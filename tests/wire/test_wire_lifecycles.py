"""Each resource through preview, create, no change, update, read, replacement and deletion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import State
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

KINDS = {QUEUED_RESOURCE: "queuedResources", MODEL: "models", ENDPOINT: "endpoints"}
# token, arguments, a change in place, a change that makes another object
LIFECYCLES = [
    (
        QUEUED_RESOURCE,
        collection(),
        collection(waitFor="PROVISIONING"),
        collection(**{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2}),
    ),
    (MODEL, model(), model(description="better"), model(recreate="again")),
    (
        ENDPOINT,
        endpoint(),
        endpoint(**{"labels.team": "b"}),
        endpoint(dedicatedEndpointEnabled=True, allowReplace=True),
    ),
]
each_resource = pytest.mark.parametrize(
    ("token", "args", "in_place", "another"), LIFECYCLES, ids=[row[0].rsplit(":", 1)[-1] for row in LIFECYCLES]
)


@each_resource
async def test_preview_of_a_create_asks_google_nothing(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    urn = urn_of(token, "r")

    await stack.wire.create(urn, await stack.wire.checked(urn, args), preview=True)

    assert emulator.control.calls() == []


@each_resource
async def test_second_update_changes_nothing(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    await stack.up(token, "r", args)
    emulator.control.clear_calls()

    await stack.up(token, "r", args)

    assert (stack.steps, emulator.control.calls(mutating_only=True)) == (["create", "same"], [])


@each_resource
async def test_refresh_finds_no_drift(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    before = await stack.up(token, "r", args)

    assert await stack.refresh(token, "r") == before


@each_resource
async def test_change_in_place_keeps_the_object(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    first = await stack.up(token, "r", args)

    second = await stack.up(token, "r", in_place)

    assert (stack.steps, second.id) == (["create", "update"], first.id)


@each_resource
async def test_replacement_makes_another_object_and_takes_the_old_one_away(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    first = await stack.up(token, "r", args)

    second = await stack.up(token, "r", another)

    assert second.id != first.id
    assert names(emulator, token) == [google_name(second)]


@each_resource
async def test_import_gives_inputs_without_a_difference(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    made = await stack.up(token, "r", args)
    urn = urn_of(token, "imported")

    found = await stack.wire.read(urn, made.id)

    assert found is not None
    inputs = await stack.wire.checked(urn, made.inputs, found)
    assert list((await stack.wire.diff(urn, found, inputs)).replaces) == []


@each_resource
async def test_removal_leaves_nothing(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    await stack.up(token, "r", args)

    await stack.remove(token, "r")

    assert names(emulator, token) == []


@each_resource
async def test_delete_forgives_what_is_gone(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    await stack.up(token, "r", args)
    emulator.control.reset()

    await stack.remove(token, "r")

    assert stack.states == {}


@each_resource
async def test_read_of_what_is_gone_answers_an_empty_id(
    stack: Stack, emulator: Emulator, token: str, args: Any, in_place: Any, another: Any
) -> None:
    await stack.up(token, "r", args)
    emulator.control.reset()

    assert await stack.refresh(token, "r") is None


def names(emulator: Emulator, token: str) -> list[str]:
    return [item["name"] for item in emulator.control.objects()[KINDS[token]]]


def google_name(state: State) -> str:
    """Google answers with the project's number."""
    return state.id.replace(programs.PROJECT, programs.NUMBER)
