"""Replacements that no input asked for (taint, `--replace`) adopt what runs and delete nothing."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.kills import killed_before_deletes
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, Serving, together
from tests.engine.harness.stack import Stack

SERVING = Serving()
ALL = together(SERVING, Collection())
KINDS = ("queuedResources", "nodes", "models", "endpoints")


def taint(stack: Stack) -> list[str]:
    """Mark every resource; what the next `up` needs besides: nothing."""
    stack.command("state", "taint", "--yes", *(item["urn"] for item in stack.resources))
    return []


def replace_flags(stack: Stack) -> list[str]:
    return [f"--replace={item['urn']}" for item in stack.resources]


def held(cloud: Cloud) -> dict[str, Any]:
    return {kind: cloud.objects(kind) for kind in KINDS}


@pytest.mark.parametrize("force", [taint, replace_flags], ids=["taint", "--replace"])
def test_everything_is_adopted(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor], force: Callable[[Stack], list[str]]
) -> None:
    stack.up(ALL)
    client, before = predicting("1"), held(cloud)
    flags = force(stack)

    with cloud.recorded() as calls, client.expecting("1"):
        run = stack.up(ALL, *flags)

    assert {name for op, name in run.steps if op == "create-replacement"} == {"c", "d", "e", "m"}
    assert calls.succeeded == []
    assert held(cloud) == before
    assert "goes on: the current entry of this resource holds it" in run.output
    stack.unchanged(ALL)


@pytest.mark.parametrize("force", [taint, replace_flags], ids=["taint", "--replace"])
def test_everything_is_adopted_although_the_engine_was_killed_before_the_deletes(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor], force: Callable[[Stack], list[str]]
) -> None:
    stack.up(SERVING)
    client, before = predicting("1"), held(cloud)["endpoints"]
    flags = force(stack)
    with client.expecting("1"):
        killed_before_deletes(stack, cloud, ALL, "d created replacement", *flags)
    assert [item["urn"] for item in stack.resources if item.get("delete")], "something is left to be deleted"

    with cloud.recorded() as calls, client.expecting("1"):
        stack.up(ALL)

    assert not {"DeployModel", "UndeployModel", "DeleteModel", "DeleteEndpoint"} & set(calls.changing)
    assert held(cloud)["endpoints"] == before
    assert not [item for item in stack.resources if item.get("delete")]


def test_recreate_really_replaces(stack: Stack, cloud: Cloud) -> None:
    stack.up(Collection())
    [before] = cloud.objects("queuedResources")

    stack.up(Collection(args={"recreate": "1"}))

    [after] = cloud.objects("queuedResources")
    assert after["name"] != before["name"]
