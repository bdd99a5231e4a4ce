"""Image 2 serves, image 3 fails half way, back to image 2: it goes on serving, and nothing is left over."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.kills import killed_at
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

IMAGE2 = Serving(image="i:2")
IMAGE3 = replace(IMAGE2, image="i:3")
SPLIT = {"updateMask": "trafficSplit"}
"""What tells the UpdateEndpoint that moves requests from the one that writes labels."""


@pytest.fixture
def serving_2(stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> Predictor:
    """Image 1, then image 2: a client that expects version 2 alone."""
    stack.up(Serving(image="i:1"))
    client = predicting("1")
    with client.expecting("1", then="2"):
        stack.up(IMAGE2)
    return client


@pytest.mark.parametrize("appears", [False, True], ids=["without a trace", "left in the endpoint"])
def test_deployment_that_fails(stack: Stack, cloud: Cloud, serving_2: Predictor, appears: bool) -> None:
    cloud.control.fail_operation("deploy_model", "INTERNAL", "the container died", appears=appears)
    with serving_2.expecting("2"):
        run = stack.fails("up", IMAGE3)
    assert "the container died" in run.output
    assert cloud.traffic()["2"] == 100

    with cloud.recorded() as calls, serving_2.expecting("2"):
        stack.up(IMAGE2)

    assert "DeployModel" not in calls.changing
    assert cloud.traffic() == {"2": 100}
    stack.unchanged(IMAGE2)


def test_deployment_that_fails_and_the_engine_killed_before_the_deletes(
    stack: Stack, cloud: Cloud, serving_2: Predictor
) -> None:
    cloud.control.fail_operation("deploy_model", "INTERNAL", "the container died", appears=True)
    stack.fails("up", IMAGE3)
    with serving_2.expecting("2"):
        killed_at(stack, cloud, IMAGE2, "UndeployModel")

    with cloud.recorded() as calls, serving_2.expecting("2"):
        stack.up(IMAGE2)

    assert calls.changing == ["UndeployModel"]
    assert cloud.traffic() == {"2": 100}
    stack.unchanged(IMAGE2)


@pytest.mark.parametrize("on", [IMAGE3, IMAGE2], ids=["the same program", "the previous program"])
def test_engine_killed_before_the_old_image_is_undeployed(
    stack: Stack, cloud: Cloud, serving_2: Predictor, on: Serving
) -> None:
    with serving_2.expecting("2", then="3"):
        killed_at(stack, cloud, IMAGE3, "UndeployModel", after=3)
    version = on.image[-1]

    with cloud.recorded() as calls, serving_2.expecting("3", then=version):
        stack.up(on)

    assert "DeployModel" not in calls.changing
    assert cloud.traffic() == {version: 100}
    stack.unchanged(on)


def test_split_that_somebody_else_moves_five_times(stack: Stack, cloud: Cloud, serving_2: Predictor) -> None:
    cloud.control.fail("UpdateEndpoint", "ABORTED", "the etag is stale", times=5, match=SPLIT)

    with cloud.recorded() as calls, serving_2.expecting("2", then="3"):
        stack.up(IMAGE3)

    assert calls.changing.count("UpdateEndpoint trafficSplit") == 6
    assert cloud.traffic() == {"3": 100}


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "with the engine killed before the deletes"])
def test_split_that_never_moves(stack: Stack, cloud: Cloud, serving_2: Predictor, killed: bool) -> None:
    cloud.control.fail("UpdateEndpoint", "ABORTED", "the etag is stale", times=-1, match=SPLIT)
    with serving_2.expecting("2"):
        run = stack.fails("up", IMAGE3)
    assert "moving the traffic split (it is as it was)" in run.output
    assert cloud.traffic() == {"2": 100, "3": 0}
    if killed:
        with serving_2.expecting("2"):
            killed_at(stack, cloud, IMAGE2, "UndeployModel")

    with cloud.recorded() as calls, serving_2.expecting("2"):
        stack.up(IMAGE2)

    assert calls.changing == ["UndeployModel"]
    assert cloud.traffic() == {"2": 100}
