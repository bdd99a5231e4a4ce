"""A deployment that fails: its stage, Google's reason, the container's log; and what is left of it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.wire.programs import DEPLOYMENT, ENDPOINT, endpoint, variant
from tests.wire.serving import IMAGE_2, STABLE, again, live, methods, shares, variants, version
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import InitFailedError

REPLICAS = f"{STABLE}.dedicatedResources."
TWO = {"stable": 50, "canary": 50}


async def failure(stack: Stack, image: str = IMAGE_2, /, **changes: Any) -> str:
    with pytest.raises(InitFailedError) as failed:
        await served(stack, image, **changes)
    return str(failed.value)


async def test_stage_reason_and_log_query_are_told(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail_operation("deploy_model", "FAILED_PRECONDITION", "Model server exited unexpectedly")

    message = await failure(stack)

    endpoint = live(emulator)["name"].rpartition("/")[2]
    query = f'resource.type="aiplatform.googleapis.com/Endpoint" AND resource.labels.endpoint_id="{endpoint}"'
    assert "Google answered FAILED_PRECONDITION" in message
    assert "Model server exited unexpectedly" in message
    assert "Last stage seen: starting" in message
    assert f'The container\'s log, in Cloud Logging: {query} AND resource.labels.location="us-east5"' in message


async def test_refusal_before_any_stage_tells_no_stage_and_no_log(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("DeployModel", "INVALID_ARGUMENT", "no such machine")

    message = await failure(stack)

    assert ("no such machine" in message, "stage" in message, "Cloud Logging" in message) == (True, False, False)


async def test_model_that_a_failed_deployment_left_gets_no_requests(stack: Stack, emulator: Emulator) -> None:
    """A failed deploy may leave the endpoint a part-filled deployment."""
    await served(stack)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", appears=True)
    await failure(stack)
    left = live(emulator)["deployedModels"][-1]["id"]

    await served(stack, IMAGE_2)

    assert (shares(emulator), left in live(emulator)["trafficSplit"]) == ({"2": 100}, False)


async def test_model_that_a_failed_deployment_left_is_listed_until_it_is_undeployed(
    stack: Stack, emulator: Emulator
) -> None:
    await served(stack)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", appears=True)
    await failure(stack)
    left = live(emulator)["deployedModels"][-1]["id"]

    state = next(state for urn, state in stack.states.items() if urn.endswith("::d"))

    assert state.properties["retiring"] == [left]


async def test_deploys_run_side_by_side(stack: Stack, emulator: Emulator) -> None:
    """Rule 3: several deploys run in parallel. The second is asked for while the first cannot end."""
    models = {"stable": variant(await version(stack, 1)), "canary": variant(await version(stack, 2))}
    place = await stack.up(ENDPOINT, "e", endpoint())
    args = {"endpoint": place.properties["name"], "deployedModels": models, "trafficSplit": TWO}
    emulator.control.hold("deploy_model")
    emulator.control.break_at(2)  # after the claim and the first deployment
    running = asyncio.create_task(stack.up(DEPLOYMENT, "d", args))

    stopped = await asyncio.to_thread(emulator.control.wait_broken)

    emulator.control.release_break()
    emulator.control.release("deploy_model")
    await running
    assert stopped is not None
    assert (stopped["method"], shares(emulator)) == ("DeployModel", {"1": 50, "2": 50})


async def test_deploys_run_one_after_the_other_where_google_runs_one(stack: Stack, emulator: Emulator) -> None:
    """Rule 3: where Google answers that an operation is running, one after the other."""
    emulator.control.set("concurrent_deploys", False)
    emulator.control.delay("deploy_stage", 0.05)

    await variants(stack, {"stable": 1, "canary": 2}, TWO)

    assert (methods(emulator).count("DeployModel") > 2, shares(emulator)) == (True, {"1": 50, "2": 50})


async def test_change_that_another_operation_blocks_waits_for_it(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("UpdateEndpoint", "FAILED_PRECONDITION", "An operation is running: x", times=2)

    await served(stack, IMAGE_2)

    assert shares(emulator) == {"2": 100}


async def test_deployment_ends_early_with_its_required_replicas(stack: Stack, emulator: Emulator) -> None:
    """DedicatedResources.required_replica_count: the rest is tried again."""
    emulator.control.set("required_replicas_are_enough", True)

    state = await served(stack, **{f"{REPLICAS}minReplicaCount": 3, f"{REPLICAS}requiredReplicaCount": 1})

    status = state.properties["deployedModelStatus"]["stable"]
    assert (status["availableReplicaCount"], shares(emulator)) == (1, {"1": 100})


async def test_failed_variant_that_undeployed_first_says_where_requests_go(stack: Stack, emulator: Emulator) -> None:
    outage: dict[str, Any] = {f"{STABLE}.strategy": "UNDEPLOY_FIRST", "allowOutage": True}
    await served(stack, **outage)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died")

    message = await failure(stack, **outage)

    assert "where nothing does the endpoint answers no request until the next `pulumi up` succeeds" in message


async def test_what_came_up_and_serves_is_not_taken_down_again(stack: Stack, emulator: Emulator) -> None:
    """onFailure: UNDEPLOY, after a variant that is up took over from one that is undeployed first."""
    first: dict[str, Any] = {f"{STABLE}.strategy": "UNDEPLOY_FIRST", "onFailure": "UNDEPLOY"}
    await served(stack, **first)
    second, third = await version(stack, 2), await version(stack, 3)
    emulator.control.fail_operation("deploy_model", "INTERNAL", "died", match={"deployedModel": {"model": "*@2"}})
    canary = variant(third)

    with pytest.raises(InitFailedError):
        await again(stack, **{f"{STABLE}.model": second, "deployedModels.canary": canary, "trafficSplit": dict(TWO)})

    assert shares(emulator) == {"3": 100}


async def test_running_change_of_the_inference_timeout_is_waited_for(stack: Stack, emulator: Emulator) -> None:
    """UpdateEndpointLongRunning blocks every other field."""
    place = await stack.up(ENDPOINT, "e", endpoint(dedicatedEndpointEnabled=True))
    emulator.control.delay("update_endpoint", 0.3)
    assert stack.wire.provider is not None
    body = {"name": place.properties["name"], "clientConnectionConfig": {"inferenceTimeout": "90s"}}
    await stack.wire.provider.google.call("UpdateEndpointLongRunning", {"endpoint": body}, "us-east5")
    args = {"endpoint": place.properties["name"], "deployedModels": {"stable": variant(await version(stack, 1))}}

    await stack.up(DEPLOYMENT, "d", args)

    assert shares(emulator) == {"1": 100}
