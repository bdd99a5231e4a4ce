"""The life of a deployment, with a client that predicts from the first deployment on."""

from collections.abc import Callable
from dataclasses import replace

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

REPLICAS = "dedicatedResources.maxReplicaCount,dedicatedResources.minReplicaCount"

REPLICAS = "dedicatedResources.maxReplicaCount,dedicatedResources.minReplicaCount"


def test_up_change_refresh_destroy(stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> None:
    program = Serving()
    stack.up(program)
    client = predicting("1")
    stack.unchanged(program)

    with cloud.recorded() as calls, client.expecting("1"):
        program = replace(program, replicas=2)
        stack.up(program)
    assert calls.changing == [f"MutateDeployedModel {REPLICAS}"]

    with cloud.recorded() as calls, client.expecting("1", then="2") as change:
        program = replace(program, image="i:2")
        stack.up(program)
    assert calls.changing == ["UploadModel", "DeployModel", "UpdateEndpoint trafficSplit", "UndeployModel"]
    assert change.versions == ["1", "2"]

    stack.refresh("--expect-no-changes")
    client.stop()
    with cloud.recorded() as calls:
        stack.destroy()
    assert cloud.is_empty()
    *undeploy, last, before_last = calls.changing
    assert undeploy == ["UpdateEndpoint trafficSplit", "UndeployModel", "UpdateEndpoint labels"]
    assert {last, before_last} == {"DeleteEndpoint", "DeleteModel"}
