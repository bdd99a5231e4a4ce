"""What a Deployment leaves on its endpoint when it goes: nothing of its own, everything of others."""

from __future__ import annotations

from pulumi.runtime.proto import plugin_pb2

from tests.wire import programs
from tests.wire.processes import screen
from tests.wire.programs import DEPLOYMENT, ENDPOINT, variant
from tests.wire.serving import URN, ask, ids, live, methods
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.provider.ownership import CLAIM_LABEL, Identity

MARK = Identity(programs.OWNER, URN).mark("0" * 12)
ANOTHERS = Identity(programs.OTHER_OWNER, URN).claim


def claim(emulator: Emulator) -> str | None:
    return live(emulator).get("labels", {}).get(CLAIM_LABEL)


def place(stack: Stack) -> str:
    return stack.states[URN].properties["endpointName"]


async def deploy(stack: Stack, display_name: str) -> str:
    """One more deployed model on the endpoint, of which no state speaks; its id."""
    model = stack.states[URN].inputs["deployedModels"]["stable"]["model"]
    request = {"endpoint": place(stack), "deployedModel": {**variant(model), "displayName": display_name}}
    return (await ask(stack, "DeployModel", request))["deployedModel"]["id"]


async def take_all_away(stack: Stack, emulator: Emulator) -> None:
    """Another hand deletes the endpoint with all that it serves."""
    body = {"name": place(stack), "trafficSplit": {}}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"})
    for key in ids(emulator):
        await ask(stack, "UndeployModel", {"endpoint": place(stack), "deployedModelId": key})
    await ask(stack, "DeleteEndpoint", {"name": place(stack)})


async def test_without_an_owner_nothing_is_claimed(stack: Stack, emulator: Emulator) -> None:
    await stack.wire.configure(ownerId=None)

    await served(stack)

    assert claim(emulator) is None


async def test_claim_goes_with_its_deployment(stack: Stack, emulator: Emulator) -> None:
    await served(stack)

    await stack.remove(DEPLOYMENT, "d")

    assert claim(emulator) is None


async def test_claim_of_another_stays(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    body = {"name": place(stack), "labels": {CLAIM_LABEL: ANOTHERS}}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "labels"})

    await stack.remove(DEPLOYMENT, "d")

    assert claim(emulator) == ANOTHERS


async def test_removal_that_was_done_already_changes_nothing(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    state = stack.states[URN]
    await stack.remove(DEPLOYMENT, "d")
    emulator.control.clear_calls()

    await stack.wire.delete(URN, state)

    assert methods(emulator) == []


async def test_removal_from_an_endpoint_that_is_gone_is_done(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    await take_all_away(stack, emulator)
    emulator.control.clear_calls()

    await stack.remove(DEPLOYMENT, "d")

    assert methods(emulator) == []


async def test_deployed_model_of_ours_that_the_state_missed_goes_too(stack: Stack, emulator: Emulator) -> None:
    """A kill came between Google's answer and the state."""
    await served(stack)
    await deploy(stack, f"canary{MARK}")

    await stack.remove(DEPLOYMENT, "d")

    assert ids(emulator) == []


async def test_deployed_model_of_others_stays(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    stranger = await deploy(stack, "by hand")

    await stack.remove(DEPLOYMENT, "d")

    assert ids(emulator) == [stranger]


async def test_leftover_of_ours_goes_with_its_endpoint(stack: Stack, emulator: Emulator) -> None:
    """Its Deployment was taken out of the state by hand."""
    await served(stack)
    body = {"name": place(stack), "trafficSplit": {}}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"})

    await stack.remove(ENDPOINT, "e")

    assert emulator.control.objects()["endpoints"] == []


async def test_of_what_goes_nothing_is_said(stack: Stack) -> None:
    await served(stack)
    async with screen() as (shown, address):
        await stack.wire.call("Attach", plugin_pb2.PluginAttach(address=address))

        await stack.remove(DEPLOYMENT, "d")

    assert [line for line, passes in shown.lines if not passes] == []


async def test_what_the_current_entry_holds_is_said_to_go_on(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    (key,) = ids(emulator)
    stack.new_run()
    async with screen() as (shown, address):
        await stack.wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        await stack.wire.diff(URN, state, await stack.wire.checked(URN, state.inputs, state))

        await stack.wire.delete(URN, state)

    assert (f"deployed models {key} go on: the current entry holds them", False) in shown.lines
