"""A second backend: the same owner id is the same stack, another one is another stack."""

from collections.abc import Callable
from typing import Any

import pytest

import tpuserve.resources as r
from tests.emulator.google import LOCATION
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, Serving, together, variant
from tests.engine.harness.stack import OWNER, Stack

ALL = together(Serving(), Collection())
OTHER = "b" * 20
ENDPOINT, MODEL = f"{LOCATION}/endpoints/digits", f"{LOCATION}/models/digits"


def given_names() -> None:
    """Every resource with a name that its author gave."""
    Serving(model_args={"model_id": "digits"}, endpoint_args={"endpoint_id": "digits"})()
    Collection(args={"queued_resource_id": "digits"})()


def given_names_apart() -> None:
    """The same, none of them waiting for another one."""
    container: Any = {"image_uri": "i:1"}
    r.Model("m", {"display_name": "m", "model_id": "digits", "container_spec": container})
    r.Endpoint("e", {"display_name": "e", "endpoint_id": "digits"})
    r.Deployment("d", {"endpoint": ENDPOINT, "deployed_models": {"stable": variant(f"{MODEL}@1")}})
    Collection(args={"queued_resource_id": "digits"})()


def test_same_owner_id_adopts_everything(
    stacks: Callable[..., Stack], cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    first, second = stacks(), stacks()
    first.up(ALL)
    client = predicting("1")

    with cloud.recorded() as calls, client.expecting("1"):
        second.up(ALL)

    assert calls.succeeded == []
    assert second.resource("d")["outputs"] == first.resource("d")["outputs"]
    second.unchanged(ALL)


@pytest.mark.parametrize("owner", [OTHER, ""], ids=["another owner id", "no owner id"])
def test_what_another_stack_holds_is_refused(
    stacks: Callable[..., Stack], cloud: Cloud, predicting: Callable[..., Predictor], owner: str
) -> None:
    stacks().up(given_names)
    client = predicting("1")

    with cloud.recorded() as calls, client.expecting("1"):
        run = stacks(owner=owner).fails("up", given_names_apart, "--continue-on-error")

    assert calls.succeeded == []
    holder = f"it belongs to the stack with owner id '{OWNER}'"
    for name in (MODEL, ENDPOINT, f"{LOCATION}-b/queuedResources/digits"):
        assert f"{name} exists and was not taken: {holder}" in run.output
    assert "is served by another Deployment" in run.output
    assert ("set tpuserve:ownerId in the stack's configuration" in run.output) == (not owner)
