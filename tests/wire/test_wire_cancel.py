"""Cancel, the screen, and a plugin that another engine takes over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from pulumi.runtime.proto import plugin_pb2

from tests.wire.conftest import settings
from tests.wire.harness import InitFailedError, Wire, plugin
from tests.wire.processes import Screen, screen
from tests.wire.programs import DEPLOYMENT, MODEL, QUEUED_RESOURCE, collection, deployment, model
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator

URN = urn_of(QUEUED_RESOURCE, "r")


@pytest_asyncio.fixture
async def watched(emulator: Emulator) -> AsyncIterator[tuple[Wire, Screen]]:
    """A plugin whose lines are seen."""
    async with screen() as (shown, address), plugin() as wire:
        await wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        await wire.configure(**settings(emulator))
        yield wire, shown


async def stopped(wire: Wire, shown: Screen) -> InitFailedError:
    """A create of a collection that is cancelled as soon as it waits."""
    inputs = await wire.checked(URN, collection())
    creating = asyncio.ensure_future(wire.create(URN, inputs))
    await shown.shown.wait()
    await wire.cancel()
    with pytest.raises(InitFailedError) as failed:
        await creating
    return failed.value


async def test_wait_is_shown_until_the_next_line(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")

    await stopped(*watched)

    assert watched[1].lines[0] == ("WAITING_FOR_RESOURCES, 0 of 3 slices ready (0 s)", True)


async def test_cancel_keeps_what_was_asked_for_in_the_state(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")

    error = await stopped(*watched)

    assert error.state.properties["state"]["state"] == "WAITING_FOR_RESOURCES"


async def test_cancel_says_where_it_stopped(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")

    error = await stopped(*watched)

    assert str(error).startswith("stopped at WAITING_FOR_RESOURCES, 0 of 3 slices ready; what was begun is kept")


async def test_cancel_stops_a_wait_for_an_operation(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    emulator.control.hold("upload_model")
    wire, shown = watched
    urn = urn_of(MODEL, "m")
    creating = asyncio.ensure_future(wire.create(urn, await wire.checked(urn, model())))
    await shown.shown.wait()

    await wire.cancel()

    with pytest.raises(InitFailedError, match="stopped"):
        await asyncio.wait_for(creating, 1)


async def test_next_run_goes_on_with_what_was_begun(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    wire, shown = watched
    stack = Stack(wire)
    stack.states[URN] = (await stopped(wire, shown)).state
    emulator.control.release("qr_waiting")
    emulator.control.clear_calls()

    state = await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (state.properties["state"]["state"], emulator.control.calls(mutating_only=True)) == ("ACTIVE", [])


async def test_model_that_was_being_uploaded_is_not_uploaded_again(
    watched: tuple[Wire, Screen], emulator: Emulator
) -> None:
    emulator.control.hold("upload_model")
    wire, shown = watched
    urn, stack = urn_of(MODEL, "m"), Stack(wire)
    creating = asyncio.ensure_future(wire.create(urn, await wire.checked(urn, model())))
    await shown.shown.wait()
    await wire.cancel()
    with pytest.raises(InitFailedError) as failed:
        await creating
    stack.states[urn] = failed.value.state
    emulator.control.release("upload_model")

    state = await stack.up(MODEL, "m", model())

    assert state.properties["versionId"] == "1"


async def test_version_that_is_being_uploaded_is_waited_for(watched: tuple[Wire, Screen], emulator: Emulator) -> None:
    wire, shown = watched
    urn, stack = urn_of(MODEL, "m"), Stack(wire)
    first = await stack.up(MODEL, "m", model())
    emulator.control.hold("upload_model")
    inputs = await wire.checked(urn, model(**{"containerSpec.imageUri": "registry/digits:2"}), first)
    shown.shown.clear()
    updating = asyncio.ensure_future(wire.update(urn, first, inputs))
    await shown.shown.wait()
    await wire.cancel()
    with pytest.raises(InitFailedError) as failed:
        await updating
    stack.new_run()
    shown.shown.clear()
    again = asyncio.ensure_future(wire.update(urn, failed.value.state, inputs))
    await shown.shown.wait()
    emulator.control.release("upload_model")

    assert (await again).properties["versionId"] == "2"
    assert "waiting for an operation that was running before" in shown.lines[-1][0]
    assert [call["method"] for call in emulator.control.calls(mutating_only=True)].count("UploadModel") == 2


async def test_cancel_of_a_deployment_leaves_the_split_and_says_so(
    watched: tuple[Wire, Screen], emulator: Emulator
) -> None:
    wire, shown = watched
    stack = Stack(wire)
    first = await served(stack)
    made = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))
    urn = urn_of(DEPLOYMENT, "d")
    inputs = await wire.checked(urn, deployment(first.inputs["endpoint"], made.properties["versionName"]), first)
    emulator.control.hold("deploy_model")
    shown.shown.clear()
    updating = asyncio.ensure_future(wire.update(urn, first, inputs))
    await shown.shown.wait()
    await wire.cancel()

    with pytest.raises(InitFailedError, match=r"^stopped; what was begun is kept") as failed:
        await updating

    assert failed.value.state.properties["deployedModelStatus"] == first.properties["deployedModelStatus"]


async def test_stack_without_owner_id_is_told_what_it_misses(watched: tuple[Wire, Screen]) -> None:
    wire, shown = watched

    await wire.configure(ownerId=None)

    assert [line for line, _ in shown.lines if "set tpuserve:ownerId" in line]


async def test_stack_with_owner_id_is_told_nothing(watched: tuple[Wire, Screen]) -> None:
    assert watched[1].lines == []
