"""`deletionProtection` of a variant: it cannot be removed, and its Deployment cannot be deleted (rule 11)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT
from tests.wire.serving import STABLE, URN, again, shares, variants, version
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import WireError

PROTECTED: dict[str, Any] = {f"{STABLE}.deletionProtection": True}
BOTH = {"versions": {"stable": 1, "canary": 2}, "split": {"stable": 90, "canary": 10}}


async def failures(stack: Stack, **changes: Any) -> dict[str, str]:
    """What Check says of the Deployment with these changes."""
    state = stack.states[URN]
    return (await stack.wire.check(URN, programs.changed(state.inputs, changes), state)).failures


async def test_removal_of_a_protected_variant_is_refused(stack: Stack) -> None:
    await variants(stack, **BOTH, **PROTECTED)

    found = await failures(stack, **{STABLE: None, "trafficSplit": {"canary": 100}})

    message = "cannot be removed: its deletionProtection was true: set it to false and run `pulumi up` before"
    assert found == {STABLE: message}


async def test_protection_and_variant_cannot_go_in_one_step(stack: Stack) -> None:
    """The old inputs count: what is taken away in the same breath protects nothing."""
    await variants(stack, **BOTH, **PROTECTED)

    assert STABLE in await failures(stack, **{STABLE: None, "trafficSplit": None})


async def test_variant_is_removed_after_its_protection(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **PROTECTED)
    await again(stack, **{f"{STABLE}.deletionProtection": False})

    await again(stack, **{STABLE: None, "trafficSplit": {"canary": 100}})

    assert shares(emulator) == {"2": 100}


async def test_protected_variant_takes_another_version(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **PROTECTED)

    await again(stack, **{f"{STABLE}.model": await version(stack, 2)})

    assert shares(emulator) == {"2": 100}


async def test_protected_variant_may_be_renamed(stack: Stack, emulator: Emulator) -> None:
    """Another variant takes its model over: nothing is undeployed."""
    state = await served(stack, **PROTECTED)
    given = state.inputs["deployedModels"]["stable"]

    await again(stack, deployedModels={"renamed": given})

    assert shares(emulator) == {"1": 100}


async def test_delete_of_a_deployment_with_a_protected_variant_is_refused(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **PROTECTED)

    with pytest.raises(WireError, match="goes on serving: deletionProtection of stable is true; set it to false"):
        await stack.remove(DEPLOYMENT, "d")

    assert shares(emulator) == {"1": 100}


async def test_move_to_another_endpoint_is_refused_while_a_variant_is_protected(stack: Stack) -> None:
    await served(stack, **PROTECTED)
    other = await stack.up(ENDPOINT, "other", programs.endpoint())

    found = await failures(stack, endpoint=other.properties["name"])

    assert found["endpoint"].startswith("cannot change: stable would be undeployed from the old one")


async def test_another_spelling_of_the_endpoint_is_no_move(stack: Stack) -> None:
    place = await stack.up(ENDPOINT, "e", programs.endpoint())
    args = programs.deployment(place.id, await version(stack, 1), **PROTECTED)
    await stack.up(DEPLOYMENT, "d", args)

    assert await failures(stack, endpoint=place.properties["name"]) == {}


async def test_forced_replacement_of_what_is_protected_deletes_nothing(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack, **PROTECTED)

    await stack.replace(DEPLOYMENT, "d", state.inputs)

    assert shares(emulator) == {"1": 100}


async def test_protection_holds_for_what_the_state_lists_alone(stack: Stack, emulator: Emulator) -> None:
    """Undeployed by hand: there is nothing to protect any more."""
    await served(stack, **PROTECTED)
    await again(stack, paused=True)

    await stack.remove(DEPLOYMENT, "d")

    assert shares(emulator) == {}
