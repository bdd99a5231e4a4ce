"""What another hand made again under the fixed ids of a stack is left alone."""

from typing import Any

import tpuserve.resources as r
from tests.emulator.google import LOCATION, Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.programs import Collection, container
from tests.engine.harness.stack import Stack

COLLECTION = Collection(args={"queued_resource_id": "digits"})
ENDPOINT, MODEL, REQUEST = (f"{LOCATION}{rest}/digits" for rest in ("/endpoints", "/models", "-b/queuedResources"))


def program() -> None:
    """One of each, with the ids that its author gave."""
    model: Any = {"display_name": "m", "model_id": "digits", "container_spec": container("i:1")}
    r.Model("m", model)
    r.Endpoint("e", {"display_name": "e", "endpoint_id": "digits"})
    COLLECTION()


def test_neither_changed_nor_deleted(stack: Stack, cloud: Cloud, hand: Google) -> None:
    stack.up(program)
    hand.done(hand.endpoints.delete_endpoint(name=ENDPOINT))
    hand.done(hand.models.delete_model(name=MODEL))
    hand.done(hand.tpu.delete_queued_resource(request={"name": REQUEST, "force": True}))
    hand.endpoint("digits")
    hand.upload("digits")
    hand.active("digits", params={"node_id_prefix": "dig"})

    with cloud.recorded() as calls:
        refused = stack.fails("up", program, "--continue-on-error")
        stack.destroy()

    assert calls.succeeded == []
    assert stack.resources == []
    for name in (ENDPOINT, REQUEST):  # what is read before an update is known to be gone, and made again
        assert f"{name} exists and was not taken: it carries no tpuserve-owner label" in refused.output
