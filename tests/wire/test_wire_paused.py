"""A Deployment that is paused: undeployed, its endpoint kept, and deployed again afterwards."""

from __future__ import annotations

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, deployment, variant
from tests.wire.serving import IMAGE_2, STABLE, URN, again, by_hand, live, methods, shares, variants, version
from tests.wire.stack import Stack, served
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import InitFailedError

BOTH = {"versions": {"stable": 1, "canary": 2}, "split": {"stable": 90, "canary": 10}}


async def test_pausing_undeploys_everything_and_keeps_endpoint_and_claim(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH)

    await again(stack, paused=True)

    found = live(emulator)
    assert (found["deployedModels"], found["trafficSplit"], "tpuserve-deployment" in found["labels"]) == ([], {}, True)


async def test_going_on_deploys_what_is_declared_and_restores_the_split(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH)
    await again(stack, paused=True)

    await again(stack, paused=False)

    assert shares(emulator) == {"1": 90, "2": 10}


async def test_paused_state_lists_nothing_deployed(stack: Stack) -> None:
    await served(stack)

    state = await again(stack, paused=True)

    assert (state.properties["deployedModelStatus"], state.properties["retiring"]) == ({}, [])


async def test_refresh_of_what_is_paused_finds_no_drift(stack: Stack) -> None:
    await variants(stack, **BOTH)
    before = await again(stack, paused=True)

    assert await stack.refresh(DEPLOYMENT, "d") == before


async def test_second_update_of_what_is_paused_changes_nothing(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    await again(stack, paused=True)
    emulator.control.clear_calls()

    await again(stack, paused=True)

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


async def test_change_while_paused_deploys_nothing(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    await again(stack, paused=True)
    second = await version(stack, 2)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.model": second})

    assert methods(emulator) == []


async def test_change_while_paused_is_deployed_when_it_goes_on(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    await again(stack, paused=True)

    await again(stack, paused=False, **{f"{STABLE}.model": await version(stack, 2)})

    assert shares(emulator) == {"2": 100}


async def test_deployment_that_begins_paused_deploys_nothing(stack: Stack, emulator: Emulator) -> None:
    await served(stack, paused=True)

    assert shares(emulator) == {}


async def test_pausing_scales_the_shares_of_others_to_100(stack: Stack, emulator: Emulator) -> None:
    theirs = await by_hand(stack, 100)
    place = live(emulator)["name"]
    args = deployment(place, await version(stack, 2), trafficSplit={"stable": 30, theirs: 70})
    await stack.up(DEPLOYMENT, "d", args)

    await again(stack, paused=True)

    assert shares(emulator) == {"1": 100}


async def test_pause_that_failed_half_way_is_finished_by_the_next_run(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH)
    emulator.control.fail("UndeployModel", "INTERNAL", "no", times=1)
    with pytest.raises(InitFailedError):
        await again(stack, paused=True)

    await again(stack, paused=True)

    assert shares(emulator) == {}


async def test_pause_that_failed_half_way_and_is_given_up_deploys_what_is_missing(
    stack: Stack, emulator: Emulator
) -> None:
    await variants(stack, **BOTH)
    emulator.control.fail("UndeployModel", "INTERNAL", "no", times=2)
    with pytest.raises(InitFailedError):
        await again(stack, paused=True)

    await again(stack, paused=False)

    assert shares(emulator) == {"1": 90, "2": 10}


async def test_preview_of_a_pause_knows_that_nothing_is_deployed(stack: Stack) -> None:
    state = await served(stack)
    inputs = await stack.wire.checked(URN, programs.changed(state.inputs, {"paused": True}), state)

    previewed = await stack.wire.update(URN, state, inputs, preview=True)

    assert previewed.properties["deployedModelStatus"] == {}


async def test_preview_of_going_on_knows_no_id(stack: Stack) -> None:
    await served(stack)
    state = await again(stack, paused=True)
    inputs = await stack.wire.checked(URN, programs.changed(state.inputs, {"paused": False}), state)

    previewed = await stack.wire.update(URN, state, inputs, preview=True)

    assert previewed.properties["deployedModelStatus"] == {"stable": {"id": UNKNOWN, "modelVersionId": UNKNOWN}}


async def test_destroy_of_what_is_paused_gives_the_endpoint_free(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    await again(stack, paused=True)

    await stack.remove(DEPLOYMENT, "d")

    assert "tpuserve-deployment" not in live(emulator)["labels"]


async def test_another_variant_declared_while_paused_comes_up_with_the_others(stack: Stack, emulator: Emulator) -> None:
    await served(stack, IMAGE_2)
    await again(stack, paused=True)
    added = {"deployedModels.canary": variant(await version(stack, 3)), "trafficSplit": {"stable": 50, "canary": 50}}

    await again(stack, paused=False, **added)

    assert sorted(shares(emulator).values()) == [50, 50]
