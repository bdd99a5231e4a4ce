"""How a variant is deployed anew: beside what runs, or after it was undeployed (rule 5 of Deployment)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import variant
from tests.wire.serving import (
    FIRST,
    IMAGE_2,
    STABLE,
    URN,
    again,
    ask,
    live,
    methods,
    shares,
    variants,
    version,
)
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.provider.ownership import Identity
from tpuserve.testing.wire import InitFailedError

OUTAGE = FIRST | {"allowOutage": True}
BOTH: dict[str, Any] = {"versions": {"stable": 1, "canary": 2}, "split": {"stable": 90, "canary": 10}}
QUOTA = "Quota exceeded for aiplatform.googleapis.com/custom_model_serving_tpu_v6e"


def exhausted(emulator: Emulator, message: str = QUOTA, version: str = "*") -> None:
    match = {"deployedModel": {"model": f"*@{version}"}}
    emulator.control.fail("DeployModel", "RESOURCE_EXHAUSTED", message, match=match, times=-1)


async def test_only_variant_is_undeployed_first_where_an_outage_is_agreed_to(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **OUTAGE)
    emulator.control.clear_calls()

    await served(stack, IMAGE_2, **OUTAGE)

    order = ["UploadModel", "UpdateEndpoint", "UndeployModel", "DeployModel", "UpdateEndpoint"]
    assert (methods(emulator), shares(emulator)) == (order, {"2": 100})


async def test_share_goes_to_the_other_variants_first(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **FIRST)
    emulator.control.clear_calls()
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died")

    with pytest.raises(InitFailedError, match="its share went to what else serves"):
        await again(stack, **{f"{STABLE}.model": await version(stack, 3)})

    assert (methods(emulator)[1:], shares(emulator)) == (["UpdateEndpoint", "UndeployModel", "DeployModel"], {"2": 100})


async def test_next_run_goes_on_after_a_failure_of_what_was_undeployed_first(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **FIRST)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died")
    changes = {f"{STABLE}.model": await version(stack, 3)}
    with pytest.raises(InitFailedError):
        await again(stack, **changes)

    await again(stack, **changes)

    assert shares(emulator) == {"2": 10, "3": 90}


async def test_several_that_undeploy_first_go_in_turn_without_an_outage(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **FIRST, **{"deployedModels.canary.strategy": "UNDEPLOY_FIRST"})
    third, fourth = await version(stack, 3), await version(stack, 4)
    emulator.control.clear_calls()

    await again(stack, **{f"{STABLE}.model": third, "deployedModels.canary.model": fourth})

    splits = [
        c["request"]["endpoint"].get("trafficSplit", {})
        for c in emulator.control.calls(mutating_only=True)
        if c["method"] == "UpdateEndpoint"
    ]
    assert ([len(split) for split in splits], shares(emulator)) == ([1, 1, 2], {"3": 90, "4": 10})


async def test_new_variant_that_is_up_takes_over_from_the_only_one(stack: Stack, emulator: Emulator) -> None:
    await served(stack, **FIRST)
    added = {
        f"{STABLE}.model": await version(stack, 2),
        "deployedModels.canary": programs.variant(await version(stack, 3)),
        "trafficSplit": {"stable": 90, "canary": 10},
    }
    emulator.control.clear_calls()

    await again(stack, **added)

    order = ["DeployModel", "UpdateEndpoint", "UndeployModel", "DeployModel", "UpdateEndpoint"]
    assert (methods(emulator), shares(emulator)) == (order, {"2": 90, "3": 10})


async def test_outage_is_refused_at_check(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack, **FIRST)
    args = programs.changed(state.inputs, {f"{STABLE}.model": await version(stack, 2)})

    answer = await stack.wire.check(URN, args, state)

    assert answer.failures[STABLE].startswith("strategy UNDEPLOY_FIRST undeploys the only model that serves before")


async def test_outage_that_check_cannot_know_is_refused_before_anything_is_done(
    stack: Stack, emulator: Emulator
) -> None:
    """The split was changed by hand, so that the variant has all requests."""
    state = await variants(stack, **BOTH, **FIRST)
    key = state.properties["deployedModelStatus"]["stable"]["id"]
    third = await version(stack, 3)
    assert stack.wire.provider is not None
    body = {"endpoint": {"name": state.inputs["endpoint"], "trafficSplit": {key: 100}}, "updateMask": "trafficSplit"}
    await stack.wire.provider.google.call("UpdateEndpoint", body, programs.LOCATION)
    emulator.control.clear_calls()

    with pytest.raises(InitFailedError, match=r"deployedModels.stable: strategy UNDEPLOY_FIRST .* an outage"):
        await again(stack, **{f"{STABLE}.model": third, "trafficSplit": {"stable": 100, "canary": 0}})

    assert methods(emulator) == []


async def test_what_gets_no_requests_is_undeployed_before_quota_is_asked_for(stack: Stack, emulator: Emulator) -> None:
    """A model that an earlier, failed run left holds quota too."""
    await served(stack)
    emulator.control.fail("UpdateEndpoint", "INTERNAL", "no", match={"updateMask": "trafficSplit"}, times=-1)
    with pytest.raises(InitFailedError):
        await served(stack, IMAGE_2)
    emulator.control.clear_faults()
    third = await version(stack, 3)
    emulator.control.clear_calls()
    assert shares(emulator) == {"1": 100, "2": 0}
    exhausted(emulator)

    with pytest.raises(InitFailedError):
        await again(stack, **OUTAGE, **{f"{STABLE}.model": third})

    assert "2" not in shares(emulator)


async def test_what_gets_no_requests_goes_before_anything_is_deployed_beside(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH)
    left = {**variant(await version(stack, 1)), "displayName": f"left{Identity(programs.OWNER, URN).mark('0' * 12)}"}
    await ask(stack, "DeployModel", {"endpoint": live(emulator)["name"], "deployedModel": left})
    third = await version(stack, 3)
    emulator.control.clear_calls()

    await again(stack, **FIRST, **{f"{STABLE}.model": third, "deployedModels.canary.model": third})

    assert methods(emulator)[:2] == ["UndeployModel", "DeployModel"]


async def test_quota_under_beside_names_the_strategy_and_the_chips(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    exhausted(emulator)

    with pytest.raises(InitFailedError) as failed:
        await served(stack, IMAGE_2, **{f"{STABLE}.dedicatedResources.maxReplicaCount": 4})

    first = str(failed.value).splitlines()[0]
    assert first.startswith("deployedModels.stable: deploying stable failed: Google answered RESOURCE_EXHAUSTED")
    assert QUOTA in first
    assert "stable needs 4 chips (replicas at most times chips of a replica)" in first
    assert "what this Deployment runs there holds 1 chip; how many are free beside it is not known here" in first
    assert "strategy BESIDE needs them beside what runs: UNDEPLOY_FIRST frees the variant's own first" in first


async def test_quota_under_beside_leaves_everything_as_it_was(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    exhausted(emulator)

    with pytest.raises(InitFailedError, match="the traffic split is as it was"):
        await served(stack, IMAGE_2)

    assert shares(emulator) == {"1": 100}


async def test_quota_that_is_missed_when_the_operation_ends_is_told_alike(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail_operation("deploy_model", "RESOURCE_EXHAUSTED", QUOTA, stage="ADDING_NODES_TO_CLUSTER")

    with pytest.raises(InitFailedError, match="strategy BESIDE needs them beside what runs"):
        await served(stack, IMAGE_2)


async def test_rate_limit_is_not_told_as_a_matter_of_strategy(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    exhausted(emulator, "Quota exceeded: requests per minute")

    with pytest.raises(InitFailedError) as failed:
        await served(stack, IMAGE_2)

    assert "BESIDE" not in str(failed.value)


async def test_strategy_alone_changes_nothing_at_google(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.clear_calls()

    await served(stack, **FIRST)

    assert methods(emulator) == []


async def test_old_one_goes_on_when_the_split_cannot_be_given_away(stack: Stack, emulator: Emulator) -> None:
    await variants(stack, **BOTH, **FIRST)
    third = await version(stack, 3)
    emulator.control.fail("UpdateEndpoint", "INTERNAL", "no", match={"updateMask": "trafficSplit"})

    with pytest.raises(InitFailedError):
        await again(stack, **{f"{STABLE}.model": third})

    assert shares(emulator) == {"1": 90, "2": 10}
