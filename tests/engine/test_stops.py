"""Runs that are stopped, answers that are lost, and a cloud that does one thing at a time."""

from collections.abc import Callable

import pulumi
import pytest

from tests.engine.harness import processes
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.interrupted import interrupted, resumed
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, Serving, together
from tests.engine.harness.stack import Stack

THREE = Serving(
    image="i:2",
    variants={"old": "1", "stable": "", "canary": ""},
    split={"old": 20, "stable": 70, "canary": 10},
)


def test_interrupted_deployment_is_in_the_state_and_goes_on(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    """Ctrl-C while a model is being deployed."""
    cloud.control.hold("deploy_model")
    running = stack.begin("up", Serving())
    running.until("stable: starting")
    running.interrupt()
    run = running.wait(30)
    assert run.code
    assert "what was begun is kept in the state, and the next `pulumi up` goes on" in run.output
    assert stack.resource("d")["initErrors"]
    cloud.control.release("deploy_model")

    with cloud.recorded() as calls:
        stack.up(Serving())

    assert "DeployModel" not in calls.changing
    assert cloud.traffic() == {"1": 100}
    with predicting("1").expecting("1"):
        stack.unchanged(Serving())


def test_stop_as_ci_systems_do_it_leaves_everything_tracked_and_the_next_run_goes_on(
    stack: Stack, cloud: Cloud
) -> None:
    program, held = together(Collection(), Serving()), ("qr_provisioning", "deploy_model")
    for kind in held:
        cloud.control.hold(kind)
    running = stack.begin("up", program)
    running.until("stable: starting")
    running.until("0 of 3 slices ready")

    ended = interrupted(stack, running, ("c", "d"))

    assert ended.faults == [], ended.run.output
    assert resumed(stack, cloud, program, held) == []
    stack.unchanged(program)


def test_time_of_the_program_is_what_a_deployment_waits_and_the_next_run_goes_on(stack: Stack, cloud: Cloud) -> None:
    short = pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="1s", update="1h"))
    program = Serving(options={"d": short})
    cloud.control.hold("deploy_model")

    run = stack.fails("up", program)

    assert "the time it was given (customTimeouts)" in run.output
    assert resumed(stack, cloud, program, ("deploy_model",)) == []
    stack.unchanged(program)


def test_plugin_ends_with_its_engine(stack: Stack, cloud: Cloud) -> None:
    cloud.control.hold("deploy_model")
    running = stack.begin("up", Serving())
    running.until("stable: starting")
    plugins = running.plugins()
    assert plugins

    running.kill()

    assert processes.gone(plugins, 5)


@pytest.mark.parametrize("method", ["UploadModel", "CreateEndpoint", "DeployModel", "UpdateEndpoint"])
def test_answer_that_is_lost_leaves_one_of_each(stack: Stack, cloud: Cloud, method: str) -> None:
    cloud.control.fail(method, "UNAVAILABLE", "the connection was lost", phase="after")

    stack.begin("up", Serving()).wait()
    stack.up(Serving())

    assert cloud.traffic() == {"1": 100}
    [model] = cloud.objects("models")
    assert [version["versionId"] for version in model["versions"]] == ["1"]
    stack.unchanged(Serving())


def test_deployments_one_after_the_other_where_the_cloud_wants_it(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    stack.up(Serving())
    cloud.control.set("concurrent_deploys", False)
    cloud.control.delay("deploy_stage", 0.05)
    client = predicting("1")

    with cloud.recorded() as calls, client.expecting("1", "2"):
        stack.up(THREE)

    assert calls.changing.count("DeployModel") > calls.succeeded.count("DeployModel") == 2
    assert sorted(cloud.endpoint()["trafficSplit"].values()) == [10, 20, 70]
