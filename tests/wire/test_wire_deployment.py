"""A Deployment on the wire: what is deployed, in which order, and what its states say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import InitFailedError, State, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, deployment, variant
from tests.wire.stack import Stack, served, urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator

IMAGE_2, IMAGE_3 = "registry/digits:2", "registry/digits:3"
URN = urn_of(DEPLOYMENT, "d")


def methods(emulator: Emulator) -> list[str]:
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


def live(emulator: Emulator) -> dict[str, Any]:
    (endpoint,) = emulator.control.objects()["endpoints"]
    return endpoint


def versions(emulator: Emulator) -> dict[str, int]:
    """Version deployed -> its share."""
    shares = live(emulator).get("trafficSplit", {})
    return {item["modelVersionId"]: shares.get(item["id"], 0) for item in live(emulator).get("deployedModels", [])}


async def test_only_variant_gets_every_request(stack: Stack, emulator: Emulator) -> None:
    await served(stack)

    assert versions(emulator) == {"1": 100}


async def test_state_lists_what_was_deployed(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)

    assert state.properties["deployedModelStatus"]["stable"]["id"] == live(emulator)["deployedModels"][0]["id"]


async def test_second_update_changes_nothing(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.clear_calls()

    await served(stack)

    assert methods(emulator) == []


async def test_refresh_finds_no_drift(stack: Stack, emulator: Emulator) -> None:
    before = await served(stack)

    assert await stack.refresh(DEPLOYMENT, "d") == before


async def test_another_image_is_deployed_beside_then_shifted_then_the_old_one_undeployed(
    stack: Stack, emulator: Emulator
) -> None:
    await served(stack)
    emulator.control.clear_calls()

    await served(stack, IMAGE_2)

    assert methods(emulator) == ["UploadModel", "DeployModel", "UpdateEndpoint", "UndeployModel"]
    assert versions(emulator) == {"2": 100}


async def test_more_replicas_change_in_place(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.clear_calls()

    changes: dict[str, Any] = {"deployedModels.stable.dedicatedResources.minReplicaCount": 2}
    await served(stack, **changes)

    assert methods(emulator) == ["MutateDeployedModel"]


async def test_promoting_another_variant_name_deploys_nothing(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    emulator.control.clear_calls()
    name = state.inputs["deployedModels"]["stable"]["model"]

    await stack.up(
        DEPLOYMENT, "d", {"endpoint": state.inputs["endpoint"], "deployedModels": {"renamed": variant(name)}}
    )

    assert methods(emulator) == []


async def test_failed_deployment_leaves_the_split_as_it_was(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "the container died")

    with pytest.raises(InitFailedError, match=r"deployedModels.stable: .*the container died"):
        await served(stack, IMAGE_2)

    assert versions(emulator) == {"1": 100}


async def test_back_to_the_image_that_serves_after_a_failure(stack: Stack, emulator: Emulator) -> None:
    await served(stack, IMAGE_2)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "the container died")
    with pytest.raises(InitFailedError):
        await served(stack, IMAGE_3)
    before = live(emulator)["deployedModels"]
    emulator.control.clear_calls()

    await served(stack, IMAGE_2)

    assert (live(emulator)["deployedModels"], versions(emulator)) == (before, {"1": 100})


async def test_split_that_is_aborted_five_times_succeeds(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("UpdateEndpoint", "ABORTED", "etag", times=5)

    await served(stack, IMAGE_2)

    assert versions(emulator) == {"2": 100}


async def test_split_that_is_always_aborted_fails_and_stays_as_it_was(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("UpdateEndpoint", "ABORTED", "etag", times=-1)

    with pytest.raises(InitFailedError, match="it is as it was"):
        await served(stack, IMAGE_2)

    assert versions(emulator) == {"1": 100, "2": 0}


async def test_two_deploys_where_google_runs_one_at_a_time(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("concurrent_deploys", False)
    state = await served(stack)
    name = state.inputs["deployedModels"]["stable"]["model"]
    args = {
        "endpoint": state.inputs["endpoint"],
        "deployedModels": {
            key: variant(name, **{"dedicatedResources.machineSpec.machineType": machine})
            for key, machine in (("four", "ct6e-standard-4t"), ("eight", "ct6e-standard-8t"))
        },
        "trafficSplit": {"four": 90, "eight": 10},
    }

    await stack.up(DEPLOYMENT, "d", args)

    assert sorted(live(emulator)["trafficSplit"].values()) == [10, 90]


async def test_moved_to_another_endpoint_and_the_old_one_is_empty(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    other = await stack.up(ENDPOINT, "other", programs.endpoint())
    name = state.inputs["deployedModels"]["stable"]["model"]

    await stack.up(DEPLOYMENT, "d", deployment(other.properties["name"], name))

    deployed = {item["name"]: len(item.get("deployedModels", [])) for item in emulator.control.objects()["endpoints"]}
    assert deployed == {state.inputs["endpoint"]: 0, other.properties["name"]: 1}


async def test_failed_move_and_back_costs_nothing(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    other = await stack.up(ENDPOINT, "other", programs.endpoint())
    name = state.inputs["deployedModels"]["stable"]["model"]
    emulator.control.fail_operation("deploy_model", "INTERNAL", "the container died")
    moved = await stack.wire.checked(URN, deployment(other.properties["name"], name), state)
    with pytest.raises(InitFailedError) as failed:
        await stack.wire.create(URN, moved)
    stack.new_run()
    back = await stack.wire.checked(URN, state.inputs, failed.value.state)
    await stack.wire.diff(URN, failed.value.state, back)
    again = await stack.wire.create(URN, back)

    await stack.wire.delete(URN, failed.value.state)
    await stack.wire.delete(URN, state)

    assert (again.properties, versions_of(emulator, state)) == (state.properties, ["1"])


def versions_of(emulator: Emulator, state: State) -> list[str]:
    (found,) = [item for item in emulator.control.objects()["endpoints"] if item["name"] == state.inputs["endpoint"]]
    return [item["modelVersionId"] for item in found.get("deployedModels", [])]


async def test_second_deployment_of_a_program_on_one_endpoint_is_refused(stack: Stack) -> None:
    state = await served(stack)
    await stack.wire.checked(URN, state.inputs, state)

    answer = await stack.wire.check(urn_of(DEPLOYMENT, "second"), state.inputs)

    assert "is served by 'd' already" in answer.failures["endpoint"]


async def test_endpoint_claimed_by_another_deployment_is_an_error_that_names_the_claim(stack: Stack) -> None:
    state = await served(stack)

    with pytest.raises(WireError, match=r"is served by another Deployment .*an endpoint has one"):
        await stack.up(DEPLOYMENT, "second", state.inputs)


async def test_requests_of_others_are_not_taken_unsaid(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    await stack.wire.configure(ownerId=programs.OTHER_OWNER)
    await release_claim(stack, emulator)

    with pytest.raises(InitFailedError, match=r"trafficSplit: 100 % of the endpoint's requests go to deployed model"):
        await stack.up(DEPLOYMENT, "other", state.inputs)


async def release_claim(stack: Stack, emulator: Emulator) -> None:
    assert stack.wire.provider is not None
    now = live(emulator)
    body = {"name": now["name"], "labels": {"team": "a"}}
    await stack.wire.provider.google.call("UpdateEndpoint", {"endpoint": body, "updateMask": "labels"}, "us-east5")


async def test_preview_of_another_image_leaves_only_the_new_id_and_version_unknown(stack: Stack) -> None:
    state = await served(stack)
    made = await stack.up(MODEL, "m", programs.model(**{"containerSpec.imageUri": IMAGE_2}))
    args = deployment(state.inputs["endpoint"], made.properties["versionName"])
    inputs = await stack.wire.checked(URN, args, state)

    previewed = await stack.wire.update(URN, state, inputs, preview=True)

    assert previewed.properties["deployedModelStatus"] == {"stable": {"id": UNKNOWN, "modelVersionId": UNKNOWN}}


async def test_preview_of_replicas_knows_every_output(stack: Stack) -> None:
    state = await served(stack)
    args = programs.changed(state.inputs, {"deployedModels.stable.dedicatedResources.minReplicaCount": 2})
    inputs = await stack.wire.checked(URN, args, state)

    previewed = await stack.wire.update(URN, state, inputs, preview=True)

    assert previewed.properties["deployedModelStatus"] == state.properties["deployedModelStatus"]


async def test_diff_has_one_row_a_variant(stack: Stack) -> None:
    state = await served(stack)
    changes = {"stable.dedicatedResources.minReplicaCount": 2, "stable.dedicatedResources.maxReplicaCount": 4}
    args = programs.changed(state.inputs, {f"deployedModels.{path}": value for path, value in changes.items()})

    diff = await stack.wire.diff(URN, state, await stack.wire.checked(URN, args, state))

    assert list(diff.detailedDiff) == ["deployedModels.stable"]


async def test_import_makes_a_variant_of_each_deployed_model(stack: Stack) -> None:
    state = await served(stack)
    deployed = state.properties["deployedModelStatus"]["stable"]["id"]

    found = await stack.wire.read(URN, state.id)

    assert found is not None
    assert (list(found.inputs["deployedModels"]), found.inputs["trafficSplit"]) == (
        [f"d{deployed}"],
        {f"d{deployed}": 100},
    )


async def test_import_gives_inputs_without_a_difference(stack: Stack) -> None:
    state = await served(stack)
    found = await stack.wire.read(URN, state.id)
    assert found is not None

    diff = await stack.wire.diff(URN, found, await stack.wire.checked(URN, found.inputs, found))

    assert dict(diff.detailedDiff) == {}


async def test_removal_leaves_the_endpoint_empty_and_unclaimed(stack: Stack, emulator: Emulator) -> None:
    await served(stack)

    await stack.remove(DEPLOYMENT, "d")

    assert (versions(emulator), "tpuserve-deployment" in live(emulator)["labels"]) == ({}, False)


async def test_read_is_empty_where_the_endpoint_is_gone(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.reset()

    assert await stack.refresh(DEPLOYMENT, "d") is None


async def empty_the_split(stack: Stack, state: State) -> None:
    """By another hand, or by a pause or an UNDEPLOY_FIRST that was killed half way."""
    assert stack.wire.provider is not None
    body = {"name": state.inputs["endpoint"], "trafficSplit": {}}
    request = {"endpoint": body, "updateMask": "trafficSplit"}
    await stack.wire.provider.google.call("UpdateEndpoint", request, "us-east5")


@pytest.mark.parametrize("split", [None, {"stable": 100}], ids=["left out", "given"])
async def test_requests_that_go_nowhere_are_a_difference_and_are_put_right(
    stack: Stack, emulator: Emulator, split: dict[str, int] | None
) -> None:
    state = await served(stack)
    inputs = state.inputs | ({"trafficSplit": split} if split else {})
    await stack.up(DEPLOYMENT, "d", inputs)
    await empty_the_split(stack, state)

    await stack.refresh(DEPLOYMENT, "d")
    await stack.up(DEPLOYMENT, "d", inputs)

    assert versions(emulator) == {"1": 100}


async def test_hand_changed_split_is_seen_by_read(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    await empty_the_split(stack, state)

    found = await stack.refresh(DEPLOYMENT, "d")

    assert found is not None
    assert found.inputs["trafficSplit"] == {}


async def by_alias(stack: Stack) -> tuple[State, dict[str, Any]]:
    """A Deployment of `@champion`, and its arguments."""
    made = await stack.up(MODEL, "m", programs.model(versionAliases=["champion"]))
    place = await stack.up(ENDPOINT, "e", programs.endpoint())
    args = deployment(place.properties["name"], f"{made.properties['name']}@champion")
    return await stack.up(DEPLOYMENT, "d", args), args


async def test_moved_alias_is_a_difference(stack: Stack) -> None:
    state, args = await by_alias(stack)
    await stack.up(MODEL, "m", programs.model(versionAliases=["champion"], **{"containerSpec.imageUri": IMAGE_2}))

    diff = await stack.wire.diff(URN, state, await stack.wire.checked(URN, args, state))

    assert list(diff.detailedDiff) == ["deployedModels.stable.model"]


async def test_preview_of_a_moved_alias_does_not_know_the_new_id(stack: Stack) -> None:
    state, args = await by_alias(stack)
    await stack.up(MODEL, "m", programs.model(versionAliases=["champion"], **{"containerSpec.imageUri": IMAGE_2}))

    previewed = await stack.wire.update(URN, state, await stack.wire.checked(URN, args, state), preview=True)

    assert previewed.properties["deployedModelStatus"] == {"stable": {"id": UNKNOWN, "modelVersionId": UNKNOWN}}


async def test_preview_knows_every_output_where_only_a_spelling_differs(stack: Stack) -> None:
    made = await stack.up(MODEL, "m", programs.model())
    place = await stack.up(ENDPOINT, "e", programs.endpoint())
    version = f"{made.id}@{made.properties['versionId']}"
    state = await stack.up(DEPLOYMENT, "d", deployment(place.id, version))
    respelled = version.replace(programs.PROJECT, programs.NUMBER)
    changes: dict[str, Any] = {
        "deployedModels.stable.model": respelled,
        "deployedModels.stable.dedicatedResources.minReplicaCount": 2,
    }
    inputs = await stack.wire.checked(URN, programs.changed(state.inputs, changes), state)
    await stack.wire.diff(URN, state, inputs)

    previewed = await stack.wire.update(URN, state, inputs, preview=True)

    assert previewed.properties["deployedModelStatus"] == state.properties["deployedModelStatus"]
