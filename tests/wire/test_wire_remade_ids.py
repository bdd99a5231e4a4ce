"""A deployed model that another hand made again under the id that the state lists is that hand's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, OWNER, variant
from tests.wire.serving import STABLE, URN, again, ask, ids, live, methods, version
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.provider.ownership import Identity
from tpuserve.testing.wire import InitFailedError

UNMARKED, MARKED = "by hand", f"by hand [tpuserve {'0' * 12}-{'0' * 12}]"
each_stranger = pytest.mark.parametrize("name", [UNMARKED, MARKED], ids=["nobody's", "another-stack's"])


async def remade(stack: Stack, emulator: Emulator, name: str) -> None:
    """Ours is gone, and version 2 runs under its id, with that display name and every request."""
    await served(stack, **{f"{STABLE}.id": "7"})
    place, model = live(emulator)["name"], await version(stack, 2)
    await _put_split(stack, place, {})
    await ask(stack, "UndeployModel", {"endpoint": place, "deployedModelId": "7"})
    deployed = {**variant(model), "id": "7", "displayName": name}
    await ask(stack, "DeployModel", {"endpoint": place, "deployedModel": deployed})
    await _put_split(stack, place, {"7": 100})
    emulator.control.clear_calls()


async def _put_split(stack: Stack, place: str, split: dict[str, int]) -> None:
    body: dict[str, Any] = {"name": place, "trafficSplit": split}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"})


@each_stranger
async def test_delete_leaves_it(stack: Stack, emulator: Emulator, name: str) -> None:
    await remade(stack, emulator, name)

    await stack.remove(DEPLOYMENT, "d")

    assert (ids(emulator), live(emulator)["trafficSplit"]) == (["7"], {"7": 100})


@each_stranger
async def test_refresh_tells_that_it_is_foreign(stack: Stack, emulator: Emulator, name: str) -> None:
    await remade(stack, emulator, name)

    state = await stack.refresh(DEPLOYMENT, "d")

    assert state is not None
    assert ([item["id"] for item in state.properties["foreign"]], state.inputs["deployedModels"]) == (["7"], {})


@each_stranger
async def test_update_says_whose_it_is_and_changes_nothing(stack: Stack, emulator: Emulator, name: str) -> None:
    await remade(stack, emulator, name)

    with pytest.raises(InitFailedError, match="'7' is a deployed model that is not of this Deployment"):
        await again(stack, **{f"{STABLE}.dedicatedResources.maxReplicaCount": 2})

    assert methods(emulator) == []


async def test_another_variant_beside_it_does_not_take_it_away(stack: Stack, emulator: Emulator) -> None:
    await remade(stack, emulator, UNMARKED)
    args = programs.changed(stack.states[URN].inputs, {f"{STABLE}.id": "8", "trafficSplit": {"stable": 90, "7": 10}})
    await stack.refresh(DEPLOYMENT, "d")

    await stack.up(DEPLOYMENT, "d", args)

    assert live(emulator)["trafficSplit"] == {"8": 90, "7": 10}


async def test_with_our_mark_it_is_ours_at_any_time(stack: Stack, emulator: Emulator) -> None:
    await remade(stack, emulator, f"stable{Identity(OWNER, URN).mark('0' * 12)}")

    await stack.remove(DEPLOYMENT, "d")

    assert ids(emulator) == []
