"""Two stacks, or two projects, with one name in common: neither is taken for the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.wire.programs import (
    DEPLOYMENT,
    ENDPOINT,
    MODEL,
    OTHER_NUMBER,
    OTHER_OWNER,
    OTHER_PROJECT,
    deployment,
    endpoint,
    model,
)
from tests.wire.serving import PARENT, ask, live
from tests.wire.stack import Stack
from tpuserve.emulator import Emulator
from tpuserve.provider.ownership import OWNER_LABEL
from tpuserve.testing import plugin
from tpuserve.testing import settings as settings_for
from tpuserve.testing.wire import WireError


@pytest_asyncio.fixture
async def others(emulator: Emulator) -> AsyncIterator[Stack]:
    """The stack of another owner."""
    async with plugin() as wire:
        await wire.configure(**settings_for(emulator.address, ownerId=OTHER_OWNER))
        yield Stack(wire)


@pytest.mark.parametrize("image", ["registry/digits:1", "registry/digits:2"], ids=["alike", "of-another-image"])
async def test_model_that_two_stacks_upload_at_once_is_one_stacks(
    stack: Stack, others: Stack, emulator: Emulator, image: str
) -> None:
    given = model(modelId="fixed", **{"containerSpec.imageUri": image})

    ends = await asyncio.gather(
        stack.up(MODEL, "m", model(modelId="fixed")), others.up(MODEL, "m", given), return_exceptions=True
    )

    (refused,) = [str(end) for end in ends if isinstance(end, Exception)]
    assert "exists and was not taken: it belongs to the stack with owner id" in refused
    assert [len(found["versions"]) for found in emulator.control.objects()["models"]] == [1]


async def test_model_of_nobody_that_came_after_the_first_look_is_not_taken(stack: Stack, emulator: Emulator) -> None:
    await uploaded_by_hand(stack, emulator, {})

    with pytest.raises(WireError, match="exists and was not taken"):
        await stack.up(MODEL, "m", model(modelId="fixed"))

    assert [len(found["versions"]) for found in emulator.control.objects()["models"]] == [1]


async def test_without_an_owner_a_model_of_another_that_came_after_the_first_look_is_not_taken(
    stack: Stack, emulator: Emulator
) -> None:
    await stack.wire.configure(ownerId=None)
    await uploaded_by_hand(stack, emulator, {OWNER_LABEL: OTHER_OWNER})

    with pytest.raises(WireError, match="exists and was not taken"):
        await stack.up(MODEL, "m", model(modelId="fixed"))

    assert [len(found["versions"]) for found in emulator.control.objects()["models"]] == [1]


async def test_without_an_owner_an_upload_whose_answer_was_lost_is_found_again(
    stack: Stack, emulator: Emulator
) -> None:
    await stack.wire.configure(ownerId=None)
    emulator.control.fail("UploadModel", "DEADLINE_EXCEEDED", "no answer", phase="after")

    state = await stack.up(MODEL, "m", model(modelId="fixed"))

    assert state.properties["versionId"] == "1"


async def uploaded_by_hand(stack: Stack, emulator: Emulator, labels: dict[str, str]) -> None:
    """A model of that name, which the next look does not see yet."""
    given = {**model(), "labels": labels}
    await ask(stack, "UploadModel", {"parent": PARENT, "modelId": "fixed", "model": given})
    emulator.control.fail("GetModel", "NOT_FOUND", "not seen yet")


@pytest.mark.parametrize("spelled", ["id", "number"])
async def test_model_of_the_same_id_in_another_project_is_another_model(
    stack: Stack, emulator: Emulator, spelled: str
) -> None:
    mine = await stack.up(MODEL, "a", model(modelId="digits"))
    other = await stack.up(MODEL, "b", model(modelId="digits", project=OTHER_PROJECT))
    place = (await stack.up(ENDPOINT, "e", endpoint())).properties["name"]
    names = [made.properties["versionName"] if spelled == "number" else f"{made.id}@1" for made in (mine, other)]
    await stack.up(DEPLOYMENT, "d", deployment(place, names[0]))

    await stack.up(DEPLOYMENT, "d", deployment(place, names[1]))

    (deployed,) = live(emulator)["deployedModels"]
    assert deployed["model"].split("/")[1] == OTHER_NUMBER


async def test_another_spelling_of_the_project_deploys_nothing_anew(stack: Stack, emulator: Emulator) -> None:
    made = await stack.up(MODEL, "a", model())
    place = (await stack.up(ENDPOINT, "e", endpoint())).properties["name"]
    before = await stack.up(DEPLOYMENT, "d", deployment(place, made.properties["versionName"]))

    more = {"deployedModels.stable.dedicatedResources.maxReplicaCount": 2}
    after = await stack.up(DEPLOYMENT, "d", deployment(place, f"{made.id}@1", **more))

    ran, runs = (state.properties["deployedModelStatus"]["stable"]["id"] for state in (before, after))
    assert ran == runs
