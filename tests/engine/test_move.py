"""A Deployment that moves from endpoint e to endpoint f."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.kills import killed_at
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

ON_E = Serving(endpoints=("e", "f"), on="e")
ON_F = replace(ON_E, on="f")


@pytest.fixture
def serving_on_e(stack: Stack) -> Stack:
    stack.up(ON_E)
    return stack


def client_of(cloud: Cloud, predicting: Callable[..., Predictor], *endpoints: str) -> Predictor:
    return predicting("1", endpoints=tuple(cloud.endpoint(name)["name"] for name in endpoints))


def test_moves_first_there_then_away(serving_on_e: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> None:
    client = client_of(cloud, predicting, "e", "f")

    with cloud.recorded() as calls, client.expecting("1"):
        serving_on_e.up(ON_F)

    deployed, undeployed = (calls.changing.index(method) for method in ("DeployModel", "UndeployModel"))
    assert deployed < undeployed
    assert cloud.traffic("f") == {"1": 100}
    assert cloud.traffic("e") == {}
    serving_on_e.unchanged(ON_F)


def test_moves_on_after_the_engine_was_killed_before_the_deletes(
    serving_on_e: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    client = client_of(cloud, predicting, "e", "f")
    with client.expecting("1"):
        # claim, deployment and split on f; then the requests are taken off e
        killed_at(serving_on_e, cloud, ON_F, "UpdateEndpoint", after=3)

    with cloud.recorded() as calls, client.expecting("1"):
        serving_on_e.up(ON_F)

    assert "DeployModel" not in calls.changing
    assert cloud.traffic("f") == {"1": 100}
    assert cloud.traffic("e") == {}


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "with the engine killed before the deletes"])
def test_fails_half_way_and_moves_back(
    serving_on_e: Stack, cloud: Cloud, predicting: Callable[..., Predictor], killed: bool
) -> None:
    client = client_of(cloud, predicting, "e")
    cloud.control.fail_operation("deploy_model", "INTERNAL", "the container died", appears=True)
    with client.expecting("1"):
        serving_on_e.fails("up", ON_F)
    if killed:
        with client.expecting("1"):
            killed_at(serving_on_e, cloud, ON_E, "UndeployModel")

    with cloud.recorded() as calls, client.expecting("1"):
        serving_on_e.up(ON_E)

    assert "DeployModel" not in calls.changing
    assert cloud.traffic("e") == {"1": 100}
    assert cloud.traffic("f") == {}
    serving_on_e.unchanged(ON_E)
