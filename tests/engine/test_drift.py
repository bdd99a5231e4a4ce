"""Other hands at work on what a stack declares."""

from collections.abc import Callable

import pulumi
import pytest

from tests.emulator.google import Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

BOTH = Serving(image="i:2", variants={"stable": "1", "canary": ""}, split={"stable": 90, "canary": 10})


@pytest.fixture
def serving_both(stack: Stack, predicting: Callable[..., Predictor]) -> Predictor:
    """Versions 1 and 2, with 90 and 10 % of the requests."""
    stack.up(Serving())
    client = predicting("1")
    with client.expecting("1", "2"):
        stack.up(BOTH)
    return client


def move_split(hand: Google, cloud: Cloud, shares: dict[str, int]) -> None:
    """Somebody else gives each model version another share."""
    endpoint = cloud.endpoint()
    ids = {item["modelVersionId"]: item["id"] for item in endpoint["deployedModels"]}
    hand.update_split(endpoint["name"], {ids[version]: share for version, share in shares.items()})


def test_split_moved_by_hand_is_put_right(stack: Stack, cloud: Cloud, hand: Google, serving_both: Predictor) -> None:
    move_split(hand, cloud, {"1": 50, "2": 50})
    preview = stack.preview(BOTH)
    assert preview.diff("d") == {"trafficSplit.canary": "update", "trafficSplit.stable": "update"}

    with cloud.recorded() as calls, serving_both.expecting("1", "2"):
        stack.up(BOTH)

    assert calls.changing == ["UpdateEndpoint trafficSplit"]
    assert cloud.traffic() == {"1": 90, "2": 10}


def test_split_is_left_to_another_hand(stack: Stack, cloud: Cloud, hand: Google, serving_both: Predictor) -> None:
    """`ignoreChanges: [trafficSplit]`, also while something else of the Deployment changes."""
    ignoring = {"d": pulumi.ResourceOptions(ignore_changes=["trafficSplit"])}
    move_split(hand, cloud, {"1": 50, "2": 50})

    with serving_both.expecting("1", "2"):
        stack.up(Serving(image="i:2", variants=BOTH.variants, split=BOTH.split, replicas=2, options=ignoring))

    assert cloud.traffic() == {"1": 50, "2": 50}


def test_moved_alias_is_a_change(
    stack: Stack, cloud: Cloud, hand: Google, predicting: Callable[..., Predictor]
) -> None:
    program = Serving(variants={"stable": "prod"}, model_args={"version_aliases": ["prod"]})
    stack.up(program)
    client = predicting("1")
    [model] = cloud.objects("models")
    second = hand.upload("m", "i:2", parent_model=model["name"])
    hand.models.merge_version_aliases(name=second, version_aliases=["prod"])

    run = stack.preview(program)
    assert run.diff("d") == {"deployedModels.stable.model": "update"}

    with cloud.recorded() as calls, client.expecting("1", then="2"):
        stack.up(program, "--target", stack.urn("d"))
    assert calls.changing == ["DeployModel", "UpdateEndpoint trafficSplit", "UndeployModel"]


def test_model_undeployed_by_hand_is_deployed_again(
    stack: Stack, cloud: Cloud, hand: Google, predicting: Callable[..., Predictor]
) -> None:
    stack.up(Serving())
    endpoint = cloud.endpoint()
    hand.undeploy(endpoint["name"], endpoint["deployedModels"][0]["id"])

    with cloud.recorded() as calls:
        stack.up(Serving())

    assert calls.changing == ["DeployModel", "UpdateEndpoint trafficSplit"]
    with predicting("1").expecting("1"):
        stack.unchanged(Serving())


def test_resources_deleted_by_hand_are_made_again(stack: Stack, cloud: Cloud, hand: Google) -> None:
    stack.up(Serving())
    endpoint = cloud.endpoint()
    hand.undeploy(endpoint["name"], endpoint["deployedModels"][0]["id"])
    hand.done(hand.endpoints.delete_endpoint(name=endpoint["name"]))

    with cloud.recorded() as calls:
        stack.up(Serving())

    assert calls.changing == [
        "CreateEndpoint",
        "UpdateEndpoint labels",
        "DeployModel",
        "UpdateEndpoint trafficSplit",
    ]
    assert cloud.endpoint()["name"] == endpoint["name"]
