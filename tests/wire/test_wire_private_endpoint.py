"""A Deployment on an endpoint with private services access: one variant, no traffic split (rule 9).

Sources: Endpoint.network; PrivateEndpoint of the Vertex AI SDK.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, deployment, variant
from tests.wire.serving import FIRST, STABLE, again, ask, ids, methods, version
from tests.wire.stack import Stack
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import InitFailedError, State

PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
NAME = f"{PARENT}/endpoints/private"
OUTAGE = FIRST | {"allowOutage": True}


async def private(stack: Stack, **changes: Any) -> State:
    """A Deployment of version 1 on an endpoint in a network, made by somebody else."""
    body = {"displayName": "private", "network": "projects/100000000001/global/networks/n"}
    request = {"parent": PARENT, "endpoint": body, "endpointId": "private"}
    await ask(stack, "CreateEndpoint", request)
    return await stack.up(DEPLOYMENT, "d", deployment(NAME, await version(stack, 1), **changes))


def splits(emulator: Emulator) -> list[Any]:
    calls = emulator.control.calls(mutating_only=True)
    return [call for call in calls if "trafficSplit" in str(call["request"])]


async def test_one_variant_is_deployed_and_no_split_is_sent(stack: Stack, emulator: Emulator) -> None:
    await private(stack)

    assert (len(ids(emulator)), splits(emulator)) == (1, [])


async def test_refresh_finds_no_drift(stack: Stack) -> None:
    before = await private(stack)

    assert await stack.refresh(DEPLOYMENT, "d") == before


async def test_second_variant_is_refused_before_anything_is_deployed(stack: Stack, emulator: Emulator) -> None:
    first, second = await version(stack, 1), await version(stack, 2)
    more = {"deployedModels.canary": variant(second), "trafficSplit": {"stable": 90, "canary": 10}}

    with pytest.raises(InitFailedError, match="is reached by private services access, where one variant serves"):
        await private(stack, **{f"{STABLE}.model": first}, **more)

    assert "DeployModel" not in methods(emulator)


async def test_split_that_gives_all_to_the_only_variant_is_taken_and_not_sent(stack: Stack, emulator: Emulator) -> None:
    await private(stack, trafficSplit={"stable": 100})

    assert (len(ids(emulator)), splits(emulator)) == (1, [])


async def test_another_version_beside_is_refused(stack: Stack, emulator: Emulator) -> None:
    await private(stack)

    with pytest.raises(
        InitFailedError, match="nothing can be deployed beside what runs: set strategy to UNDEPLOY_FIRST"
    ):
        await again(stack, **{f"{STABLE}.model": await version(stack, 2)})

    assert len(ids(emulator)) == 1


async def test_another_version_is_deployed_after_the_first_was_undeployed(stack: Stack, emulator: Emulator) -> None:
    await private(stack, **OUTAGE)
    second = await version(stack, 2)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.model": second})

    assert (methods(emulator), splits(emulator)) == (["UndeployModel", "DeployModel"], [])


async def test_replicas_change_in_place(stack: Stack, emulator: Emulator) -> None:
    await private(stack)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.dedicatedResources.minReplicaCount": 2})

    assert methods(emulator) == ["MutateDeployedModel"]


async def test_removal_undeploys(stack: Stack, emulator: Emulator) -> None:
    await private(stack)

    await stack.remove(DEPLOYMENT, "d")

    assert (ids(emulator), splits(emulator)) == ([], [])


async def test_model_of_others_there_is_refused(stack: Stack, emulator: Emulator) -> None:
    await private(stack)
    await stack.wire.configure(ownerId=programs.OTHER_OWNER)
    body = {"name": NAME, "labels": {}}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "labels"})

    with pytest.raises(InitFailedError, match=r"and serves \d+ \(.*\), which is not of this Deployment"):
        await stack.up(DEPLOYMENT, "other", deployment(NAME, await version(stack, 1)))
