"""The life of a deployment, with a client that predicts from the first deployment on."""

from collections.abc import Callable
from dataclasses import replace

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, Serving, together
from tests.engine.harness.stack import Stack

REPLICAS = "dedicatedResources.maxReplicaCount,dedicatedResources.minReplicaCount"
FIRST = Serving()


def test_replicas_then_another_image(stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> None:
    run = stack.up(FIRST)
    assert "stable: starting" in run.output, "the wait is shown as it goes on"
    client = predicting("1")
    with cloud.recorded() as calls:
        stack.unchanged(FIRST)
    assert calls.changing == []

    with cloud.recorded() as calls, client.expecting("1"):
        more = replace(FIRST, replicas=2)
        stack.up(more)
    assert calls.changing == [f"MutateDeployedModel {REPLICAS}"]

    with cloud.recorded() as calls, client.expecting("1", then="2") as change:
        stack.up(replace(more, image="i:2"))
    assert calls.changing == ["UploadModel", "DeployModel", "UpdateEndpoint trafficSplit", "UndeployModel"]
    assert change.versions == ["1", "2"], "there is no middle of a shift"
    assert cloud.traffic() == {"2": 100}


def test_refresh_finds_no_drift(stack: Stack, cloud: Cloud) -> None:
    stack.up(together(FIRST, Collection()))

    with cloud.recorded() as calls:
        stack.refresh("--expect-no-changes")

    assert calls.changing == []


def test_destroy_leaves_nothing(stack: Stack, cloud: Cloud) -> None:
    stack.up(together(FIRST, Collection()))

    with cloud.recorded() as calls:
        stack.destroy()

    assert cloud.is_empty()
    assert stack.resources == []
    served = [method for method in calls.changing if method != "DeleteQueuedResource"]
    assert served[:3] == ["UpdateEndpoint trafficSplit", "UndeployModel", "UpdateEndpoint labels"]
    assert sorted(served[3:]) == ["DeleteEndpoint", "DeleteModel"]
