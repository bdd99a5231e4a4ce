"""What is called otherwise and is the same."""

from collections.abc import Callable

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack


def test_resources_renamed_with_aliases(stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> None:
    stack.up(Serving())
    client = predicting("1")
    renamed = Serving(names={"m": "model", "e": "endpoint", "d": "deployment"})

    with cloud.recorded() as calls, client.expecting("1"):
        stack.up(renamed, "--expect-no-changes")

    assert calls.changing == []
    assert {item["urn"].rpartition("::")[2] for item in stack.resources} == {"model", "endpoint", "deployment"}


def test_origin_outlives_a_rename(stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]) -> None:
    """Another image after a rename is a version of the same model, deployed in the same Deployment."""
    stack.up(Serving())
    client = predicting("1")
    names = {"m": "model", "e": "endpoint", "d": "deployment"}
    stack.up(Serving(names=names))

    with cloud.recorded() as calls, client.expecting("1", then="2"):
        stack.up(Serving(names=names, image="i:2"))

    assert calls.changing == ["UploadModel", "DeployModel", "UpdateEndpoint trafficSplit", "UndeployModel"]


def test_canary_promoted_to_stable_deploys_nothing(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    stack.up(Serving())
    client = predicting("1")
    canary = Serving(image="i:2", variants={"stable": "1", "canary": ""}, split={"stable": 90, "canary": 10})
    with client.expecting("1", "2"):
        stack.up(canary)
    assert cloud.traffic() == {"1": 90, "2": 10}

    with cloud.recorded() as calls, client.expecting("1", "2", then="2"):
        stack.up(Serving(image="i:2"))

    assert calls.changing == ["UpdateEndpoint trafficSplit", "UndeployModel"]
    assert cloud.traffic() == {"2": 100}
