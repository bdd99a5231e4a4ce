"""Ways down that are asked for: a variant undeployed first, a pause; and one that is refused: a protected variant."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.kills import killed_at
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

FIRST = {"strategy": "UNDEPLOY_FIRST"}
BOTH = Serving(
    image="i:2", variants={"stable": "1", "canary": ""}, split={"stable": 50, "canary": 50}, variant_args=FIRST
)
QUOTA = "Quota exceeded for aiplatform.googleapis.com/custom_model_serving_tpu_v6e"


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "with the engine killed in between"])
def test_undeployed_first_beside_another_variant_loses_no_request(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor], killed: bool
) -> None:
    stack.up(Serving())
    stack.up(BOTH)
    client = predicting("1", "2")
    third = replace(BOTH, image="i:3", variants={"stable": "1", "canary": ""})
    if killed:  # the version, the share given away, the old one undeployed; then the engine dies
        with client.expecting("1", "2"):
            killed_at(stack, cloud, third, "DeployModel", after=3)
        assert cloud.traffic() == {"1": 100}

    with cloud.recorded() as calls, client.expecting("1", "2", "3"):
        stack.up(third)

    done = [method for method in calls.changing if method not in ("UploadModel", "MergeVersionAliases")]
    early = [] if killed else ["UpdateEndpoint trafficSplit", "UndeployModel"]
    assert done == [*early, "DeployModel", "UpdateEndpoint trafficSplit"]
    assert cloud.traffic() == {"1": 50, "3": 50}
    stack.unchanged(third)


def test_quota_names_the_strategy_and_an_outage_is_agreed_to_first(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    stack.up(Serving())
    client = predicting("1")
    cloud.control.fail("DeployModel", "RESOURCE_EXHAUSTED", QUOTA)
    second = Serving(image="i:2")

    with client.expecting("1"):
        run = stack.fails("up", second)
        refused = stack.fails("up", replace(second, variant_args=FIRST))

    assert "stable needs 1 chip (replicas at most times chips of a replica)" in run.output
    assert "strategy BESIDE needs them beside what runs: UNDEPLOY_FIRST frees the variant's own first" in run.output
    assert "an outage: set allowOutage to true to agree, or strategy to BESIDE" in refused.output
    assert cloud.traffic() == {"1": 100}
    client.stop()
    stack.up(replace(second, variant_args=FIRST, deployment_args={"allow_outage": True}))
    assert cloud.traffic() == {"2": 100}


def test_pause_keeps_the_endpoint_and_going_on_restores_it(stack: Stack, cloud: Cloud) -> None:
    both = replace(BOTH, variant_args={})
    stack.up(Serving())
    stack.up(both)
    paused = replace(both, deployment_args={"paused": True})
    name = cloud.endpoint()["name"]

    stack.up(paused)

    assert (cloud.traffic(), cloud.endpoint()["name"]) == ({}, name)
    stack.unchanged(paused)
    stack.up(both)
    assert cloud.traffic() == {"1": 50, "2": 50}
    stack.unchanged(both)


def test_protected_variant_is_neither_removed_nor_destroyed(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    protected = Serving(variant_args={"deletion_protection": True})
    stack.up(protected)
    client = predicting("1")

    with cloud.recorded() as calls, client.expecting("1"):
        removed = stack.fails("preview", replace(protected, variants={"other": ""}, image="i:2"))
        destroyed = stack.fails("destroy")

    assert "deployedModels.stable: cannot be removed: its deletionProtection was true" in removed.output
    assert "goes on serving: deletionProtection of stable is true; set it to false" in destroyed.output
    assert calls.changing == []
    client.stop()
    stack.up(Serving())
    stack.destroy()
    assert cloud.is_empty()
