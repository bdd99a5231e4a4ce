"""Several variants on one endpoint, and deployed models of others beside them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import InitFailedError, State, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, endpoint, model, variant
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator

URN = urn_of(DEPLOYMENT, "d")
LOCATION = programs.LOCATION


async def version(stack: Stack, number: int) -> str:
    """The full name of a version with image `digits:<number>`."""
    state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": f"registry/digits:{number}"}))
    return state.properties["versionName"]


async def variants(stack: Stack, split: dict[str, int] | None = None, **more: Any) -> State:
    """`stable` of version 1 and `canary` of version 2, with more arguments of the Deployment."""
    models = {"stable": variant(await version(stack, 1)), "canary": variant(await version(stack, 2))}
    place = await stack.up(ENDPOINT, "e", endpoint())
    shares = split or {"stable": 90, "canary": 10}
    args = {"endpoint": place.properties["name"], "deployedModels": models, "trafficSplit": shares, **more}
    return await stack.up(DEPLOYMENT, "d", args)


def live(emulator: Emulator) -> dict[str, Any]:
    (found,) = emulator.control.objects()["endpoints"]
    return found


def shares(emulator: Emulator) -> dict[str, int]:
    """Version -> share, of all that is deployed."""
    split = live(emulator).get("trafficSplit", {})
    return {item["modelVersionId"]: split.get(item["id"], 0) for item in live(emulator).get("deployedModels", [])}


def methods(emulator: Emulator) -> list[str]:
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


async def test_split_is_by_variant_name(stack: Stack, emulator: Emulator) -> None:
    await variants(stack)

    assert shares(emulator) == {"1": 90, "2": 10}


async def test_variant_without_a_share_is_deployed(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, {"stable": 100, "canary": 0})

    assert shares(emulator) == {"1": 100, "2": 0}


async def test_another_split_is_one_update_of_the_endpoint(stack: Stack, emulator: Emulator) -> None:
    await variants(stack)
    emulator.control.clear_calls()

    await variants(stack, {"stable": 50, "canary": 50})

    assert (methods(emulator), shares(emulator)) == (["UpdateEndpoint"], {"1": 50, "2": 50})


async def test_promoted_canary_is_not_deployed_again(stack: Stack, emulator: Emulator) -> None:
    state = await variants(stack)
    canary = state.inputs["deployedModels"]["canary"]
    emulator.control.clear_calls()

    await stack.up(DEPLOYMENT, "d", {"endpoint": state.inputs["endpoint"], "deployedModels": {"stable": canary}})

    assert (methods(emulator), shares(emulator)) == (["UpdateEndpoint", "UndeployModel"], {"2": 100})


async def test_promoted_canary_is_listed_under_its_new_name_alone(stack: Stack) -> None:
    state = await variants(stack)
    args = {
        "endpoint": state.inputs["endpoint"],
        "deployedModels": {"stable": state.inputs["deployedModels"]["canary"]},
    }

    promoted = await stack.up(DEPLOYMENT, "d", args)

    assert list(promoted.properties["deployedModelStatus"]) == ["stable"]


async def test_renamed_variant_is_listed_under_its_new_name_alone(stack: Stack) -> None:
    state = await served(stack)
    args = {"endpoint": state.inputs["endpoint"], "deployedModels": {"new": state.inputs["deployedModels"]["stable"]}}

    renamed = await stack.up(DEPLOYMENT, "d", args)

    assert (list(renamed.properties["deployedModelStatus"]), await stack.refresh(DEPLOYMENT, "d")) == (["new"], renamed)


async def test_what_came_up_is_kept_and_listed_when_another_fails(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", match={"deployedModel": {"model": "*@2"}})

    with pytest.raises(InitFailedError) as failed:
        await variants(stack)

    kept = failed.value.state.properties
    assert (kept["deployedModelStatus"], kept["retiring"]) == ({}, [live(emulator)["deployedModels"][0]["id"]])


async def test_each_variants_end_is_told(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", match={"deployedModel": {"model": "*@2"}})

    with pytest.raises(InitFailedError) as failed:
        await variants(stack)

    first, *rest = str(failed.value).splitlines()
    assert first.startswith("deployedModels.canary: deploying canary failed: Google answered INTERNAL")
    assert rest == ["deployedModels.stable: came up", "the traffic split is as it was; what came up is kept"]


async def test_what_came_up_is_used_by_the_next_run(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", match={"deployedModel": {"model": "*@2"}})
    with pytest.raises(InitFailedError):
        await variants(stack)
    emulator.control.clear_calls()

    await variants(stack)

    assert (methods(emulator).count("DeployModel"), shares(emulator)) == (1, {"1": 90, "2": 10})


async def test_what_came_up_is_undeployed_where_that_is_wanted(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", match={"deployedModel": {"model": "*@2"}})

    with pytest.raises(InitFailedError, match="what came up was undeployed again"):
        await variants(stack, onFailure="UNDEPLOY")

    assert shares(emulator) == {}


# --- others on the same endpoint ---------------------------------------------------------------------------------


async def by_hand(stack: Stack, share: int) -> str:
    """Version 1 deployed by somebody else, with that share; its id."""
    await version(stack, 1)
    place = await stack.up(ENDPOINT, "e", endpoint())
    google, name = google_of(stack), place.properties["name"]
    deployed = {**variant(stack.states[urn_of(MODEL, "m")].properties["versionName"]), "displayName": "by hand"}
    operation = await google.call("DeployModel", {"endpoint": name, "deployedModel": deployed}, LOCATION)
    ended = await google.call("WaitOperation", {"name": operation["name"], "timeout": "5s"}, LOCATION)
    found = ended["response"]["deployedModel"]["id"]
    split = {found: share} if share else {}
    body = {"endpoint": {"name": name, "trafficSplit": split}, "updateMask": "trafficSplit"}
    await google.call("UpdateEndpoint", body, LOCATION)
    return found


def google_of(stack: Stack) -> Any:
    assert stack.wire.provider is not None
    return stack.wire.provider.google


async def beside(stack: Stack, split: dict[str, int]) -> State:
    name = await version(stack, 2)
    place = stack.states[urn_of(ENDPOINT, "e")].properties["name"]
    args = {"endpoint": place, "deployedModels": {"stable": variant(name)}, "trafficSplit": split}
    return await stack.up(DEPLOYMENT, "d", args)


async def test_equal_model_of_others_is_never_taken(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 0)

    await served(stack)

    assert len(live(emulator)["deployedModels"]) == 2


async def test_model_of_others_is_listed(stack: Stack) -> None:
    found = await by_hand(stack, 0)

    state = await served(stack)

    assert [(item["id"], item["displayName"]) for item in state.properties["foreign"]] == [(found, "by hand")]


async def test_share_of_others_that_is_named_is_kept(stack: Stack, emulator: Emulator) -> None:
    found = await by_hand(stack, 100)

    await beside(stack, {"stable": 30, found: 70})

    assert shares(emulator) == {"1": 70, "2": 30}


async def test_share_of_others_that_is_not_named_is_not_taken(stack: Stack, emulator: Emulator) -> None:
    await by_hand(stack, 100)

    with pytest.raises((InitFailedError, WireError), match="which is not of this Deployment"):
        await beside(stack, {"stable": 100})

    assert shares(emulator) == {"1": 100}


async def test_share_given_to_others_during_a_deployment_is_not_taken(stack: Stack, emulator: Emulator) -> None:
    found = await by_hand(stack, 0)
    first = await served(stack)
    name, status = first.properties["endpointName"], first.properties["deployedModelStatus"]
    await version(stack, 2)
    emulator.control.clear_calls()
    emulator.control.hold("deploy_model")
    update = asyncio.ensure_future(beside(stack, {"stable": 100}))
    async with asyncio.timeout(10):
        while all(call["method"] != "WaitOperation" for call in emulator.control.calls()):  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # the record is another thread's
    body = {"name": name, "trafficSplit": {status["stable"]["id"]: 90, found: 10}}
    await google_of(stack).call("UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"}, LOCATION)
    emulator.control.release("deploy_model")

    with pytest.raises(InitFailedError, match=f"10 % of the endpoint's requests go to deployed model {found}"):
        await update

    assert live(emulator)["trafficSplit"] == body["trafficSplit"]


async def test_removal_gives_the_shares_back_to_others(stack: Stack, emulator: Emulator) -> None:
    found = await by_hand(stack, 100)
    await beside(stack, {"stable": 30, found: 70})

    await stack.remove(DEPLOYMENT, "d")

    assert shares(emulator) == {"1": 100}


async def test_model_undeployed_by_hand_is_deployed_again(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    google, name = google_of(stack), state.inputs["endpoint"]
    await google.call("UpdateEndpoint", {"endpoint": {"name": name}, "updateMask": "trafficSplit"}, LOCATION)
    request = {"endpoint": name, "deployedModelId": state.properties["deployedModelStatus"]["stable"]["id"]}
    await google.call("UndeployModel", request, LOCATION)
    await stack.refresh(DEPLOYMENT, "d")

    await served(stack)

    assert shares(emulator) == {"1": 100}


async def test_replicas_changed_by_hand_are_put_right(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    key = state.properties["deployedModelStatus"]["stable"]["id"]
    deployed = {"id": key, "dedicatedResources": {"minReplicaCount": 2, "maxReplicaCount": 2}}
    request = {"endpoint": state.inputs["endpoint"], "deployedModel": deployed}
    mask = "dedicatedResources.minReplicaCount,dedicatedResources.maxReplicaCount"
    await google_of(stack).call("MutateDeployedModel", {**request, "updateMask": mask}, LOCATION)
    await stack.refresh(DEPLOYMENT, "d")

    await served(stack)

    found = await google_of(stack).call("GetEndpoint", {"name": state.inputs["endpoint"]}, LOCATION)
    assert found["deployedModels"][0]["dedicatedResources"]["minReplicaCount"] == 1
