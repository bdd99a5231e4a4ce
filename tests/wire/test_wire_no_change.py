"""Arguments left out or given as what leaving them out means: no difference, and nothing is asked of Google."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.serving import STABLE, URN, again, methods, variants
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator

RESOURCES = f"{STABLE}.dedicatedResources."
ROWS: dict[str, dict[str, Any]] = {
    "the only variant gets all": {"trafficSplit": {"stable": 100}},
    "at most as many replicas as at least": {f"{RESOURCES}maxReplicaCount": 1},
    "as many required replicas as at least": {f"{RESOURCES}requiredReplicaCount": 1},
    "all of them": {
        "trafficSplit": {"stable": 100},
        f"{RESOURCES}maxReplicaCount": 1,
        f"{RESOURCES}requiredReplicaCount": 1,
    },
    "not paused": {"paused": False},
    "not protected": {f"{STABLE}.deletionProtection": False},
}
each = pytest.mark.parametrize("given", ROWS.values(), ids=ROWS.keys())


@each
async def test_giving_it_is_no_change(stack: Stack, emulator: Emulator, given: dict[str, Any]) -> None:
    await served(stack)
    emulator.control.clear_calls()

    await served(stack, **given)

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


@each
async def test_leaving_it_out_is_no_change(stack: Stack, emulator: Emulator, given: dict[str, Any]) -> None:
    await served(stack, **given)
    emulator.control.clear_calls()

    await served(stack)

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


@each
async def test_leaving_it_out_in_an_update_sends_no_more_than_the_update(
    stack: Stack, emulator: Emulator, given: dict[str, Any]
) -> None:
    await served(stack, **given)
    emulator.control.clear_calls()

    await served(stack, **{f"{STABLE}.disableContainerLogging": True})

    calls = [call["request"]["updateMask"] for call in emulator.control.calls(mutating_only=True)]
    assert calls == ["disableContainerLogging"]


async def test_share_of_zero_is_as_one_left_out(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, {"stable": 1, "canary": 2}, {"stable": 100, "canary": 0})
    emulator.control.clear_calls()

    await again(stack, trafficSplit={"stable": 100})

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


async def test_default_of_fewer_replicas_than_were_given_is_a_change(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **{f"{RESOURCES}maxReplicaCount": 2})
    emulator.control.clear_calls()

    await served(stack)

    assert methods(emulator) == ["MutateDeployedModel"]


async def test_minimum_alone_is_shown_where_the_maximum_follows_it(stack: Stack) -> None:
    state = await served(stack)
    args = programs.changed(state.inputs, {f"{RESOURCES}minReplicaCount": 2, f"{RESOURCES}maxReplicaCount": 2})

    diff = await stack.wire.diff(URN, state, await stack.wire.checked(URN, args, state))

    assert list(diff.detailedDiff) == [f"{RESOURCES}minReplicaCount"]


async def test_required_replicas_that_followed_nothing_follow_the_minimum_again(
    stack: Stack, emulator: Emulator
) -> None:
    """Given before and not now, with a minimum that grows meanwhile."""
    await served(stack, **{f"{RESOURCES}requiredReplicaCount": 1})

    await served(stack, **{f"{RESOURCES}minReplicaCount": 2})

    sent = emulator.control.calls(mutating_only=True)[-1]["request"]
    assert "requiredReplicaCount" in sent["updateMask"] or "required_replica_count" in sent["updateMask"]
