"""The rules of a Deployment that the other stories do not tell: claims, order, previews, and ways down."""

from collections.abc import Callable
from dataclasses import replace

import pulumi
import pytest

import tpuserve.resources as r
from tests.emulator.google import Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.kills import killed_at
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving, variant
from tests.engine.harness.stack import Stack

FIRST = Serving()
CLAIM = "tpuserve-deployment"
TWO_NEW = Serving(
    image="i:2",
    variants={"stable": "1", "left": "", "right": ""},
    split={"stable": 80, "left": 10, "right": 10},
)


def on(endpoint: str, model: str, replicas: int = 1) -> Callable[[], None]:
    """A Deployment on an endpoint that somebody else made."""

    def program() -> None:
        r.Deployment("d", {"endpoint": endpoint, "deployed_models": {"stable": variant(model, replicas)}})

    return program


def test_claim_comes_first_and_outlives_label_updates(stack: Stack, cloud: Cloud) -> None:
    with cloud.recorded() as calls:
        stack.up(FIRST)
    served = [method for method in calls.changing if method not in ("UploadModel", "CreateEndpoint")]
    assert served == ["UpdateEndpoint labels", "DeployModel", "UpdateEndpoint trafficSplit"]
    claim = cloud.endpoint()["labels"][CLAIM]

    stack.up(replace(FIRST, endpoint_args={"labels": {"team": "vision"}}))

    labels = cloud.endpoint()["labels"]
    assert (labels[CLAIM], labels["team"]) == (claim, "vision")


def test_claim_lost_on_an_endpoint_of_others_is_renewed(stack: Stack, cloud: Cloud, hand: Google) -> None:
    endpoint, model = hand.endpoint(), hand.upload()
    stack.up(on(endpoint, model))
    claim = cloud.endpoint()["labels"][CLAIM]
    hand.endpoints.update_endpoint(endpoint={"name": endpoint, "labels": {}}, update_mask={"paths": ["labels"]})

    stack.up(on(endpoint, model, replicas=2))

    assert cloud.endpoint()["labels"][CLAIM] == claim


def test_two_deployments_on_one_endpoint_are_refused(stack: Stack, cloud: Cloud, hand: Google) -> None:
    endpoint, model = hand.endpoint(), hand.upload()

    def both() -> None:
        for name in ("one", "two"):
            r.Deployment(name, {"endpoint": endpoint, "deployed_models": {"stable": variant(model)}})

    with cloud.recorded() as calls:
        run = stack.fails("preview", both)

    assert "already: one Deployment per endpoint; declare all its variants in one of the two" in run.output
    assert calls.changing == []


@pytest.mark.parametrize(("on_failure", "left"), [("KEEP", {"1": 100, "2": 0}), ("UNDEPLOY", {"1": 100})])
def test_one_of_two_variants_fails(
    stack: Stack,
    cloud: Cloud,
    predicting: Callable[..., Predictor],
    on_failure: str,
    left: dict[str, int],
) -> None:
    stack.up(FIRST)
    client = predicting("1")
    program = replace(TWO_NEW, deployment_args={"on_failure": on_failure})
    right = {"deployedModel": {"displayName": "right *"}}
    cloud.control.fail_operation("deploy_model", "INTERNAL", "the container died", match=right)

    with client.expecting("1"):
        run = stack.fails("up", program)

    assert "deployedModels.right: deploying right failed: " in run.output
    assert "deployedModels.left: came up" in run.output
    assert cloud.traffic() == left
    with cloud.recorded() as calls, client.expecting("1", "2"):
        stack.up(program)
    assert calls.changing.count("DeployModel") == 3 - len(left)


def test_replicas_are_added_before_the_shift_and_taken_away_after_it(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    both = Serving(variants={"grows": "1", "shrinks": "1"}, split={"grows": 50, "shrinks": 50}, replicas=2)
    stack.up(both)
    client = predicting("1")
    with cloud.recorded() as calls, client.expecting("1"):
        stack.up(replace(both, split={"grows": 90, "shrinks": 10}, counts={"grows": 3, "shrinks": 1}))

    assert [method.split()[0] for method in calls.changing] == [
        "MutateDeployedModel",
        "UpdateEndpoint",
        "MutateDeployedModel",
    ]


def test_preview_tells_each_variant_and_knows_what_stays(stack: Stack) -> None:
    stack.up(FIRST)

    run = stack.preview(replace(TWO_NEW, image="i:1", variants={"stable": "1", "canary": "1"}, split={"stable": 100}))

    assert run.diff("d") == {"deployedModels.canary": "add"}


def test_two_variants_of_one_specification_keep_their_shares(stack: Stack) -> None:
    both = Serving(variants={"stable": "", "canary": ""}, split={"stable": 60, "canary": 40})

    stack.up(both)

    stack.unchanged(both)


def test_share_that_ignore_changes_puts_back_is_an_error(stack: Stack, cloud: Cloud) -> None:
    both = Serving(variants={"stable": "", "canary": ""}, split={"stable": 60, "canary": 40})
    stack.up(both)
    ignoring = {"d": pulumi.ResourceOptions(ignore_changes=["trafficSplit.canary"])}

    with cloud.recorded() as calls:
        run = stack.fails("preview", Serving(split={"stable": 100}, options=ignoring))

    assert run.errors[0].endswith(
        "'canary' is not a variant; variants: stable; stable 100 + canary 40 sums to 140; shares must sum to 100; the "
        "old shares are all still in it: ignoreChanges on trafficSplit puts them back, also for a removed variant"
    )
    assert calls.changing == []


@pytest.mark.parametrize("killed", [False, True], ids=["whole", "with the engine killed in between"])
def test_destroy_leaves_others_what_is_theirs(
    stack: Stack, cloud: Cloud, hand: Google, predicting: Callable[..., Predictor], killed: bool
) -> None:
    """On an endpoint that serves a model of somebody else, too."""
    endpoint, model, theirs = hand.serving()
    second = hand.upload(image="i:2", parent_model=model.partition("@")[0])

    def program() -> None:
        split = {"stable": 40, theirs: 60}
        r.Deployment(
            "d", {"endpoint": endpoint, "deployed_models": {"stable": variant(second)}, "traffic_split": split}
        )

    client = predicting("1")
    with client.expecting("1", "2"):
        stack.up(program)
    assert cloud.traffic() == {"1": 60, "2": 40}
    if killed:
        with client.expecting("1", "2", then="1"):
            killed_at(stack, cloud, None, "UndeployModel", after=1, verb="destroy")

    with client.expecting("1", "2", then="1"):
        stack.destroy()

    assert cloud.traffic() == {"1": 100}
    assert CLAIM not in cloud.endpoint()["labels"]


def test_endpoint_that_still_serves_is_not_deleted(stack: Stack, cloud: Cloud) -> None:
    stack.up(FIRST)
    stack.command("state", "delete", stack.urn("d"), "--yes")

    run = stack.fails("destroy", None, "--target", stack.urn("e"))

    assert "(100 % of its requests), which no Deployment of this stack holds" in run.output
    assert cloud.traffic() == {"1": 100}


def test_engine_killed_before_the_claim(stack: Stack, cloud: Cloud) -> None:
    killed_at(stack, cloud, FIRST, "UpdateEndpoint", after=2)

    stack.up(FIRST)

    assert cloud.traffic() == {"1": 100}
    stack.unchanged(FIRST)
