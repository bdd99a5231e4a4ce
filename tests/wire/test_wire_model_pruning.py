"""Old versions of a model go at the start of the next update, and only those that nobody needs."""

from __future__ import annotations

import pytest

from tests.wire import programs
from tests.wire.harness import InitFailedError
from tests.wire.models import URN, asked, by_hand, changing, give, up, versions
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, model
from tests.wire.properties import Secret
from tests.wire.stack import Stack
from tpuserve.emulator import Emulator


async def several(stack: Stack, count: int) -> None:
    """So many versions, each of another image, the newest with the alias `default`."""
    for image in range(1, count + 1):
        await up(stack, image, ["default"])


async def pruned(stack: Stack, emulator: Emulator, image: int, retain: int) -> list[str]:
    """The versions that are left after an update in place."""
    await up(stack, image, ["default"], description="text", retainVersions=retain)
    return versions(emulator)


async def deploy(stack: Stack, version: int) -> None:
    endpoint = await stack.up(ENDPOINT, "e", programs.endpoint())
    args = programs.deployment(endpoint.properties["name"], f"{stack.states[URN].id}@{version}")
    await stack.up(DEPLOYMENT, "d", args)


async def test_three_earlier_ones_are_kept_where_nothing_is_said(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 5)
    await up(stack, 5, ["default"], description="text")

    assert versions(emulator) == ["2", "3", "4", "5"]


async def test_create_prunes_nothing(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 5)
    del stack.states[URN]

    await up(stack, 5, ["default"])

    assert versions(emulator) == ["1", "2", "3", "4", "5"]


async def test_it_happens_before_anything_else(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 2)
    await up(stack, 2, ["default"], retainVersions=0)
    await up(stack, 3, ["default"], retainVersions=0)
    emulator.control.clear_calls()

    await up(stack, 4, ["default"], retainVersions=0)

    assert changing(emulator) == ["DeleteModelVersion", "UploadModel", "MergeVersionAliases"]


async def test_no_update_prunes_nothing(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 4)
    await up(stack, 5, ["default"])
    emulator.control.clear_calls()

    await up(stack, 5, ["default"])

    assert emulator.control.calls() == []


async def test_zero_keeps_the_current_one_alone(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 3)

    assert await pruned(stack, emulator, 3, 0) == ["3"]


async def test_deployed_one_stays(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 3)
    await deploy(stack, 1)
    emulator.control.clear_calls()

    assert await pruned(stack, emulator, 3, 0) == ["1", "3"]
    assert [request["name"][-2:] for request in asked(emulator, "DeleteModelVersion")] == ["@2"]


async def test_undeployed_one_goes_with_the_next_update(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 3)
    await deploy(stack, 1)
    await pruned(stack, emulator, 3, 0)
    await deploy(stack, 3)

    await up(stack, 3, ["default"], description="other", retainVersions=0)

    assert versions(emulator) == ["3"]


async def test_default_one_stays(stack: Stack, emulator: Emulator) -> None:
    for image in (1, 2, 3):
        await up(stack, image)

    await up(stack, 3, description="text", retainVersions=0)

    assert versions(emulator) == ["1", "3"]


async def test_one_with_an_alias_of_somebody_else_stays(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 3)
    await give(stack, 2, "theirs")

    assert await pruned(stack, emulator, 3, 0) == ["2", "3"]


async def test_one_that_somebody_else_uploaded_stays(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 1)
    await upload_by_hand(stack)
    await up(stack, 3, ["default"])

    assert await pruned(stack, emulator, 3, 0) == ["2", "3"]


async def upload_by_hand(stack: Stack) -> None:
    parent, _, _ = stack.states[URN].id.partition("/models/")
    body = {"displayName": "digits", "containerSpec": {"imageUri": "registry/theirs:1"}}
    await by_hand(stack, "UploadModel", parent=parent, parentModel=stack.states[URN].id, model=body)


async def test_one_that_the_program_goes_back_to_stays(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 4)

    state = await up(stack, 1, ["default"], retainVersions=0)

    assert (state.properties["versionId"], versions(emulator)) == ("1", ["1", "4"])


async def test_one_whose_mark_another_secret_took_goes_too(stack: Stack, emulator: Emulator) -> None:
    for secret in ("s3cr3t-one", "s3cr3t-two"):
        env = [{"name": "TOKEN", "value": Secret(secret)}]
        await stack.up(MODEL, "m", model(**{"containerSpec.env": env, "versionAliases": ["default"]}))

    args = {"containerSpec.env": env, "versionAliases": ["default"], "retainVersions": 0}
    await stack.up(MODEL, "m", model(**args))

    assert versions(emulator) == ["2"]


async def test_nothing_goes_while_no_version_is_known_to_be_the_current_one(stack: Stack, emulator: Emulator) -> None:
    await several(stack, 2)
    stack.states[URN].properties |= {"versionId": "", "versionName": ""}

    assert await pruned(stack, emulator, 2, 0) == ["1", "2"]


@pytest.mark.parametrize("code", ["FAILED_PRECONDITION", "NOT_FOUND"])
async def test_one_that_is_in_use_or_gone_keeps_nobody_from_the_update(
    stack: Stack, emulator: Emulator, code: str
) -> None:
    await several(stack, 2)
    emulator.control.fail("DeleteModelVersion", code, "no", times=1)

    state = await up(stack, 2, ["default"], description="text", retainVersions=0)

    assert (state.properties["description"], versions(emulator)) == ("text", ["1", "2"])


@pytest.mark.parametrize("method", ["ListModelVersions", "DeleteModelVersion"])
async def test_refusal_of_another_kind_is_an_error_before_anything_is_changed(
    stack: Stack, emulator: Emulator, method: str
) -> None:
    await several(stack, 2)
    emulator.control.fail(method, "INVALID_ARGUMENT", "no", times=-1)

    with pytest.raises(InitFailedError, match=f"INVALID_ARGUMENT to {method}"):
        await up(stack, 2, ["default"], description="text", retainVersions=0)

    assert "UpdateModel" not in changing(emulator)
