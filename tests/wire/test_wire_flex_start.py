"""A queued resource with what only REST can say: asked for, found again, seen to differ, given up, and ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from pulumi.runtime.proto import plugin_pb2

from tests.emulator.google import ZONE, Google
from tests.wire import programs
from tests.wire.conftest import settings
from tests.wire.harness import CheckFailedError, InitFailedError, State, plugin
from tests.wire.processes import screen
from tests.wire.programs import QUEUED_RESOURCE, collection
from tests.wire.stack import Stack, urn_of
from tests.wire.test_google_rest import CREATE, FLEX, GET
from tpuserve.emulator import Emulator, Settings

URN = urn_of(QUEUED_RESOURCE, "r")
FIXED = {**FLEX, "queuedResourceId": "pool"}


@pytest.fixture
def hand(emulator: Emulator) -> Iterator[Google]:
    """Another hand: Google's own clients, over gRPC."""
    clients = Google(emulator.address, emulator.control)
    with clients.channel:
        yield clients


async def up(stack: Stack, **changes: Any) -> State:
    return await stack.up(QUEUED_RESOURCE, "r", collection(**changes))


def calls(emulator: Emulator, method: str) -> list[dict[str, Any]]:
    return [call["request"] for call in emulator.control.calls() if call["method"] == method]


def made_again(hand: Google, name: str) -> None:
    """Another hand makes it anew with our labels, by a client that cannot say the model."""
    found = hand.tpu.get_queued_resource(name=name)
    hand.wait(hand.tpu.delete_queued_resource(request={"name": name, "force": True}))
    identifier = name.rsplit("/", 1)[-1]
    hand.tpu.create_queued_resource(parent=ZONE, queued_resource_id=identifier, queued_resource={"tpu": found.tpu})


async def test_it_is_asked_for_with_model_and_duration(stack: Stack, emulator: Emulator) -> None:
    made = await up(stack, **FLEX)
    (asked,) = calls(emulator, CREATE)

    assert {name: asked["queuedResource"][name] for name in FLEX} == FLEX
    assert made.properties["state"]["state"] == "ACTIVE"


async def test_it_becomes_the_collection_that_was_declared(stack: Stack) -> None:
    made = await up(stack, **FLEX)

    assert [node["state"] for node in made.properties["nodes"]] == ["READY"] * 3


async def test_declared_again_it_is_no_change(stack: Stack) -> None:
    await up(stack, **FLEX)
    await stack.refresh(QUEUED_RESOURCE, "r")
    await up(stack, **FLEX)

    assert stack.steps == ["create", "same"]


async def test_another_spelling_is_no_change(stack: Stack) -> None:
    await up(stack, **FLEX)
    await up(stack, provisioningModel="flex-start", runDuration={"maxRunDuration": "3600.0s"})

    assert stack.steps == ["create", "same"]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"runDuration": {"maxRunDuration": "7200s"}}, "runDuration.maxRunDuration"),
        ({"runDuration": None}, "runDuration"),
        ({"provisioningModel": None}, "provisioningModel"),
    ],
)
async def test_another_one_replaces_it(stack: Stack, changes: dict[str, Any], path: str) -> None:
    await up(stack, **FLEX)
    args = programs.changed(collection(**FLEX), changes)
    found = await stack.difference(QUEUED_RESOURCE, "r", args)

    assert found[path].endswith("_REPLACE")


async def test_a_replacement_gives_the_old_slices_up(stack: Stack, emulator: Emulator) -> None:
    old = await up(stack, **FLEX)
    new = await up(stack)

    assert (old.id != new.id, stack.steps) == (True, ["create", "create", "delete-replaced"])
    assert [item["name"] for item in emulator.control.objects()["queuedResources"]] == [new.properties["name"]]


async def test_a_refresh_sees_what_google_did_not_keep(stack: Stack, hand: Google) -> None:
    made = await up(stack, **FIXED)
    made_again(hand, made.properties["name"])
    found = await stack.refresh(QUEUED_RESOURCE, "r")

    assert found is not None
    assert found.inputs.keys() & FLEX.keys() == {"runDuration"}
    assert found.inputs["runDuration"] == {}


async def test_what_google_did_not_keep_is_asked_for_again(stack: Stack, hand: Google, emulator: Emulator) -> None:
    made = await up(stack, **FIXED)
    made_again(hand, made.properties["name"])
    await stack.refresh(QUEUED_RESOURCE, "r")
    await up(stack, **FIXED)

    assert stack.steps == ["create", "delete-replaced", "create"]
    (found,) = emulator.control.objects()["queuedResources"]
    assert found["provisioningModel"] == "FLEX_START"


async def test_a_refresh_is_one_read(stack: Stack, emulator: Emulator) -> None:
    await up(stack, **FLEX)
    emulator.control.clear_calls()
    await stack.refresh(QUEUED_RESOURCE, "r")

    assert len(calls(emulator, GET)) == 1


async def test_a_request_that_says_none_of_it_asks_nothing_over_rest(stack: Stack, emulator: Emulator) -> None:
    await stack.wire.configure(**settings(emulator) | {"endpoints": {"tpu": f"http://{emulator.address}"}})
    await up(stack)

    assert (await stack.refresh(QUEUED_RESOURCE, "r")) is not None


async def test_import_finds_it_whole(stack: Stack) -> None:
    made = await up(stack, **FLEX)
    found = await stack.import_(QUEUED_RESOURCE, "imported", made.id)

    assert found is not None
    assert {name: found.inputs[name] for name in FLEX} == FLEX


async def test_import_of_what_gcloud_asked_for_has_a_tier_and_no_model(stack: Stack, emulator: Emulator) -> None:
    """gcloud sends STANDARD with `--spot`."""
    google = stack.wire.provider.google if stack.wire.provider else None
    assert google is not None
    body = collection(spot={}, provisioningModel="STANDARD")
    body["tpu"]["nodeSpec"][0]["parent"] = programs.ZONE_PATH
    asked = {"parent": programs.ZONE_PATH, "queuedResourceId": "pool", "queuedResource": body}
    await google.call(CREATE, asked, rest=True)
    found = await stack.import_(QUEUED_RESOURCE, "imported", f"{programs.ZONE_PATH}/queuedResources/pool")

    assert found is not None
    assert found.inputs.keys() & {"spot", *FLEX} == {"spot"}


async def test_a_create_without_an_answer_finds_its_own(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(CREATE, "UNAVAILABLE", phase="after")
    await up(stack, **FLEX)

    assert len(emulator.control.objects()["queuedResources"]) == 1


async def test_a_create_that_was_killed_is_found_by_the_next(stack: Stack, emulator: Emulator) -> None:
    made = await up(stack, **FLEX)
    stack.states.clear()
    emulator.control.clear_calls()
    again = await up(stack, **FLEX)

    assert (again.id, calls(emulator, CREATE)) == (made.id, [])


async def test_a_request_of_the_same_id_that_said_it_is_not_taken_for_one_that_does_not(stack: Stack) -> None:
    """A kill, and then the program changed: these slices would be taken away by themselves."""
    await up(stack, **FIXED)
    stack.states.clear()

    with pytest.raises(Exception, match="asks for something else"):
        await up(stack, queuedResourceId="pool")


async def test_a_request_of_the_same_id_without_it_is_not_taken_for_one_with_it(stack: Stack) -> None:
    await up(stack, queuedResourceId="pool")
    stack.states.clear()

    with pytest.raises(Exception, match="asks for something else"):
        await up(stack, **FIXED)


async def test_a_stop_keeps_it_and_the_next_run_goes_on(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    async with screen() as (shown, address):
        await stack.wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        creating = asyncio.ensure_future(stack.wire.create(URN, await stack.wire.checked(URN, collection(**FLEX))))
        await shown.shown.wait()
        await stack.wire.cancel()
        with pytest.raises(InitFailedError) as stopped:
            await creating
    stack.states[URN] = stopped.value.state
    emulator.control.release("qr_waiting")
    emulator.control.clear_calls()
    made = await up(stack, **FLEX)

    assert (made.properties["state"]["state"], calls(emulator, CREATE)) == ("ACTIVE", [])


async def test_a_run_that_is_over_already_is_refused_before_it_is_asked_for(stack: Stack, emulator: Emulator) -> None:
    with pytest.raises(Exception, match=r"runDuration\.terminationTime: .* has passed"):
        await up(stack, provisioningModel="FLEX_START", runDuration={"terminationTime": "2020-01-01T00:00:00Z"})

    assert calls(emulator, CREATE) == []


@pytest.mark.parametrize("name", sorted(FLEX))
async def test_an_emulator_whose_rest_nobody_named_is_told_in_the_preview(
    stack: Stack, emulator: Emulator, name: str
) -> None:
    await stack.wire.configure(**settings(emulator) | {"endpoints": {"tpu": f"http://{emulator.address}"}})
    checked = await stack.wire.check(URN, collection(**{name: FLEX[name]}))

    assert list(checked.failures) == [name]
    assert "give the emulator's address of REST as endpoints.tpuRest" in checked.failures[name]


async def test_a_contradiction_is_told_in_the_preview(stack: Stack) -> None:
    with pytest.raises(CheckFailedError) as refused:
        await up(stack, **FLEX, spot={})

    assert list(refused.value.failures) == ["provisioningModel"]


@pytest.fixture(scope="module")
def later() -> Iterator[Emulator]:
    """On a clock that moves only when a test says so."""
    with Emulator(Settings(clock="virtual")).running() as served:
        yield served


@pytest_asyncio.fixture
async def ended(later: Emulator) -> AsyncIterator[Stack]:
    """A request whose run is over."""
    later.control.reset()
    async with plugin() as wire:
        await wire.configure(**settings(later))
        stack = Stack(wire)
        await up(stack, **FLEX)
        later.control.advance(3700)
        await stack.refresh(QUEUED_RESOURCE, "r")
        yield stack


async def test_the_end_of_the_run_is_seen(ended: Stack) -> None:
    assert ended.states[URN].properties["state"]["state"] == "SUSPENDED"


async def test_when_the_run_is_over_replace_asks_again(ended: Stack) -> None:
    made = await up(ended, **FLEX, onSuspended="REPLACE")

    assert made.properties["state"]["state"] == "ACTIVE"


async def test_when_the_run_is_over_keep_asks_for_nothing(ended: Stack, later: Emulator) -> None:
    later.control.clear_calls()
    await up(ended, **FLEX)

    assert calls(later, CREATE) == []
