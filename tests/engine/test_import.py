"""What others have made is taken into the state as it is."""

from collections.abc import Callable
from typing import Any

import tpuserve.resources as r
from tests.emulator.google import ZONE, Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, variant
from tests.engine.harness.stack import Stack

QUEUED_RESOURCE, DEPLOYMENT = "tpuserve:tpu:QueuedResource", "tpuserve:vertex:Deployment"


def test_queued_resource(stack: Stack, cloud: Cloud, hand: Google) -> None:
    hand.active("pool", params={"node_id_prefix": "dig"})

    with cloud.recorded() as calls:
        stack.import_(QUEUED_RESOURCE, "c", f"{ZONE}/queuedResources/pool")
        stack.unchanged(Collection())

    assert calls.changing == []
    state = stack.resource("c")["outputs"]
    assert state["state"]["state"] == "ACTIVE"
    assert [node["state"] for node in state["nodes"]] == ["READY"] * 3


def test_deployment(stack: Stack, cloud: Cloud, hand: Google, predicting: Callable[..., Predictor]) -> None:
    endpoint, model, deployed = hand.serving()
    client = predicting("1")

    def program(replicas: int = 1) -> None:
        """What `pulumi import` writes, in Python."""
        as_it_is: Any = {**variant(model), "display_name": "digits"}
        as_it_is["dedicated_resources"] |= {"min_replica_count": replicas, "max_replica_count": replicas}
        args: Any = {
            "endpoint": endpoint,
            "deployed_models": {f"d{deployed}": as_it_is},
            "traffic_split": {f"d{deployed}": 100},
        }
        r.Deployment("d", args)

    with cloud.recorded() as calls, client.expecting("1"):
        stack.import_(DEPLOYMENT, "d", endpoint)
        stack.unchanged(program)
    assert calls.changing == []

    with cloud.recorded() as calls, client.expecting("1"):
        stack.up(lambda: program(replicas=2))
    assert [method.split()[0] for method in calls.changing] == ["UpdateEndpoint", "MutateDeployedModel"]


def test_what_does_not_exist(stack: Stack) -> None:
    run = stack.fails("import", None, QUEUED_RESOURCE, "c", f"{ZONE}/queuedResources/nothing")

    assert "does not exist" in run.output


def test_id_of_another_kind(stack: Stack) -> None:
    run = stack.fails("import", None, QUEUED_RESOURCE, "c", "pool")

    assert "projects/PROJECT/locations/ZONE/queuedResources/ID" in run.output
