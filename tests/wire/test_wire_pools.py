"""Variants in a shared deployment resource pool."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT
from tests.wire.serving import IMAGE_2, POOL, STABLE, URN, again, make_pool, methods, shares
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import InitFailedError, State

SHARED: dict[str, Any] = {f"{STABLE}.dedicatedResources": None, f"{STABLE}.sharedResources": POOL}


@pytest.fixture
def pool(emulator: Emulator) -> None:
    make_pool(emulator)


async def pooled(stack: Stack, image: str = "registry/digits:1", /, **changes: Any) -> State:
    return await served(stack, image, **SHARED, **changes)


@pytest.mark.usefixtures("pool")
async def test_variant_in_a_pool_serves(stack: Stack, emulator: Emulator) -> None:
    await pooled(stack)

    assert shares(emulator) == {"1": 100}


@pytest.mark.usefixtures("pool")
async def test_refresh_finds_no_drift(stack: Stack) -> None:
    """Google answers with the project's number."""
    before = await pooled(stack)

    assert await stack.refresh(DEPLOYMENT, "d") == before


@pytest.mark.usefixtures("pool")
async def test_second_update_changes_nothing(stack: Stack, emulator: Emulator) -> None:
    await pooled(stack)
    emulator.control.clear_calls()

    await pooled(stack)

    assert (methods(emulator), stack.steps[-1]) == ([], "same")


@pytest.mark.usefixtures("pool")
async def test_import_gives_inputs_without_a_difference(stack: Stack) -> None:
    state = await pooled(stack)
    found = await stack.wire.read(URN, state.id)
    assert found is not None

    diff = await stack.wire.diff(URN, found, await stack.wire.checked(URN, found.inputs, found))

    assert dict(diff.detailedDiff) == {}


@pytest.mark.usefixtures("pool")
async def test_another_version_is_deployed_into_the_pool(stack: Stack, emulator: Emulator) -> None:
    await pooled(stack)

    await pooled(stack, IMAGE_2)

    assert shares(emulator) == {"2": 100}


@pytest.mark.usefixtures("pool")
async def test_container_logging_changes_in_place(stack: Stack, emulator: Emulator) -> None:
    await pooled(stack)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.disableContainerLogging": True})

    assert methods(emulator) == ["MutateDeployedModel"]


@pytest.mark.usefixtures("pool")
async def test_variant_moves_from_its_own_machines_into_the_pool(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.clear_calls()

    await pooled(stack)

    assert methods(emulator) == ["DeployModel", "UpdateEndpoint", "UndeployModel"]


@pytest.mark.usefixtures("pool")
async def test_pool_by_the_projects_number_is_the_same_pool(stack: Stack, emulator: Emulator) -> None:
    await pooled(stack)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.sharedResources": POOL.replace(programs.PROJECT, programs.NUMBER)})

    assert methods(emulator) == []


async def test_pool_that_does_not_exist_is_refused_before_anything_is_deployed(
    stack: Stack, emulator: Emulator
) -> None:
    with pytest.raises(InitFailedError, match=r"deployedModels.stable.sharedResources: .* does not exist; create it"):
        await pooled(stack)

    assert "DeployModel" not in methods(emulator)
