"""Ids of deployed models that the program gives: to fix one, or to take over what runs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, deployment
from tests.wire.serving import FIRST, STABLE, URN, again, ask, by_hand, ids, live, methods, shares, variants, version
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import InitFailedError

SEVEN: dict[str, Any] = {f"{STABLE}.id": "7"}
BOTH = {"versions": {"stable": 1, "canary": 2}, "split": {"stable": 90, "canary": 10}}


async def test_id_is_sent(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **SEVEN)

    assert ids(emulator) == ["7"]


async def test_refresh_finds_no_drift(stack: Stack) -> None:
    before = await served(stack, **SEVEN)

    assert await stack.refresh(DEPLOYMENT, "d") == before


async def test_naming_the_id_of_what_runs_is_no_change(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    running = state.properties["deployedModelStatus"]["stable"]["id"]
    args = programs.changed(state.inputs, {f"{STABLE}.id": running[:10]})

    answer = await stack.wire.check(URN, args, state)

    assert answer.failures == {}


async def test_leaving_out_the_id_of_what_runs_is_no_change(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **SEVEN)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.id": None})

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


async def test_another_id_is_deployed_beside(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **SEVEN)

    await again(stack, **{f"{STABLE}.id": "8"})

    assert ids(emulator) == ["8"]


async def test_another_version_under_the_same_id_beside_is_refused_at_check(stack: Stack) -> None:
    state = await served(stack, **SEVEN)
    args = programs.changed(state.inputs, {f"{STABLE}.model": await version(stack, 2)})

    answer = await stack.wire.check(URN, args, state)

    assert answer.failures[f"{STABLE}.id"].startswith("'7' is what runs now, and the variant deployed beside it needs")


async def test_another_version_under_the_same_id_is_undeployed_first(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **SEVEN, **FIRST)

    await again(stack, **{f"{STABLE}.model": await version(stack, 3)})

    assert ("7" in ids(emulator), shares(emulator)) == (True, {"2": 10, "3": 90})


async def test_two_variants_of_one_id_are_refused_at_check(stack: Stack) -> None:
    state = await variants(stack, **BOTH)
    args = programs.changed(state.inputs, {f"{STABLE}.id": "7", "deployedModels.canary.id": "7"})

    answer = await stack.wire.check(URN, args, state)

    assert "'7' is the id of" in " ".join(answer.failures.values())


async def taking(stack: Stack, emulator: Emulator, number: int = 1, **changes: Any) -> Any:
    """A Deployment of that version, with the id and display name of what runs by hand."""
    made = {f"{STABLE}.id": "77", f"{STABLE}.displayName": "by hand", **changes}
    return await stack.up(DEPLOYMENT, "d", deployment(live(emulator)["name"], await version(stack, number), **made))


async def test_what_runs_by_hand_is_taken_over_by_its_id(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 100, id="77")
    emulator.control.clear_calls()

    state = await taking(stack, emulator)

    assert ("DeployModel" in methods(emulator), shares(emulator)) == (False, {"1": 100})
    assert (state.properties["deployedModelStatus"]["stable"]["id"], state.properties["foreign"]) == ("77", [])


async def test_what_was_taken_over_is_undeployed_with_its_deployment(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 100, id="77")
    await taking(stack, emulator)

    await stack.remove(DEPLOYMENT, "d")

    assert shares(emulator) == {}


async def test_what_was_taken_over_has_not_drifted(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 100, id="77")
    state = await taking(stack, emulator)

    assert await stack.refresh(DEPLOYMENT, "d") == state


async def test_what_runs_by_hand_and_is_something_else_is_not_taken_over(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 0, id="77")

    with pytest.raises(
        InitFailedError, match=r"deployedModels.stable.id: '77' is a deployed model that is not of this"
    ):
        await taking(stack, emulator, 2)

    assert shares(emulator) == {"1": 0}


async def test_model_marked_as_anothers_is_not_taken_over(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 0, id="77", displayName=f"by hand [tpuserve {'0' * 12}-{'0' * 12}]")

    with pytest.raises(InitFailedError, match="is a deployed model that is not of this Deployment"):
        await taking(stack, emulator)


async def split_with(stack: Stack, key: str) -> str:
    with pytest.raises(InitFailedError) as failed:
        await again(stack, **{f"{STABLE}.model": await version(stack, 3), "trafficSplit": {"stable": 60, key: 40}})
    return str(failed.value)


async def test_key_of_a_deployed_model_that_is_not_there_is_refused_before_anything_is_deployed(
    stack: Stack, emulator: Emulator
) -> None:
    await served(stack)
    emulator.control.clear_calls()

    message = await split_with(stack, "12345")

    assert message.startswith(
        "trafficSplit: the endpoint has no deployed model '12345' (any more): remove it, and give"
    )
    assert [method for method in methods(emulator) if method != "UploadModel"] == []


async def test_key_of_our_own_variants_id_is_refused_at_check(stack: Stack) -> None:
    state = await variants(stack, **BOTH)
    key = state.properties["deployedModelStatus"]["canary"]["id"]
    args = programs.changed(state.inputs, {"trafficSplit": {"stable": 90, key: 10}})

    answer = await stack.wire.check(URN, args, state)

    assert answer.failures == {"trafficSplit": f"{key!r} is the id of variant canary: write 'canary' in its place"}


async def test_key_of_a_model_that_waits_to_be_undeployed_is_refused(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("UndeployModel", "INTERNAL", "no")
    with pytest.raises(InitFailedError):
        await again(stack, **{f"{STABLE}.model": await version(stack, 2)})
    (old,) = stack.states[URN].properties["retiring"]

    assert f"{old!r} belongs to no variant any more and is undeployed: remove it" in await split_with(stack, old)


async def test_key_without_a_share_may_be_gone(stack: Stack, emulator: Emulator) -> None:
    theirs = await by_hand(stack, 0)
    await stack.up(
        DEPLOYMENT,
        "d",
        deployment(live(emulator)["name"], await version(stack, 2), trafficSplit={"stable": 100, theirs: 0}),
    )
    await ask(stack, "UndeployModel", {"endpoint": live(emulator)["name"], "deployedModelId": theirs})
    await stack.refresh(DEPLOYMENT, "d")

    await again(stack, trafficSplit={"stable": 100, theirs: 0})

    assert (stack.steps[-1], shares(emulator)) == ("same", {"2": 100})
