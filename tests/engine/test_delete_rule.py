"""A live object is never deleted through an entry that is not the current one."""

import copy
from dataclasses import replace

import pulumi
import pytest

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.programs import Collection, Serving
from tests.engine.harness.stack import Stack

pytestmark = pytest.mark.engine


def with_pending_deletes(stack: Stack) -> None:
    """As a forced replacement leaves it when the engine is killed before its deletes."""
    state = stack.export()
    resources = state["deployment"]["resources"]
    resources += [copy.deepcopy(x) | {"delete": True} for x in resources if x["type"].startswith("tpuserve:")]
    stack.import_state(state)


def test_renamed_after_a_forced_replacement_was_killed_before_its_deletes(stack: Stack, cloud: Cloud) -> None:
    stack.up(Serving())
    with_pending_deletes(stack)

    stack.up(Serving(names={"d": "deployment", "m": "model", "e": "endpoint"}))

    assert cloud.traffic() == {"1": 100}


def test_move_that_fails_with_continue_on_error(stack: Stack, cloud: Cloud) -> None:
    on_e = Serving(endpoints=("e", "f"), on="e")
    stack.up(on_e)
    cloud.control.fail_operation("deploy_model", "INTERNAL", "the container died")

    stack.fails("up", replace(on_e, on="f"), "--continue-on-error")

    assert cloud.traffic("e") == {"1": 100}


def test_collection_whose_replacement_is_not_there_yet_with_continue_on_error(stack: Stack, cloud: Cloud) -> None:
    stack.up(Collection(prefix="a"))
    [before] = cloud.objects("queuedResources")
    cloud.control.hold("qr_provisioning")
    short = pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="3s"))

    stack.fails("up", Collection(prefix="b", options=short), "--continue-on-error")

    assert before["name"] in [item["name"] for item in cloud.objects("queuedResources")]
