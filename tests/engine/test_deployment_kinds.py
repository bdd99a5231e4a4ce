"""What serves on the kinds of endpoint: with a host name of its own, and in a network (rule 9 of Deployment)."""

from collections.abc import Callable
from dataclasses import replace

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

NETWORK = "projects/100000000001/global/networks/n"
TIMEOUT = "UpdateEndpointLongRunning"


def test_host_name_of_its_own_and_a_timeout_that_changes_in_the_same_run(
    stack: Stack, cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    """The change of the inference timeout blocks the endpoint while it runs."""
    dedicated = {"dedicated_endpoint_enabled": True}
    stack.up(Serving(endpoint_args=dedicated))
    client = predicting("1")
    cloud.control.delay("update_endpoint", 0.5)
    timed = Serving(image="i:2", endpoint_args={**dedicated, "client_connection_config": {"inference_timeout": "120s"}})

    with cloud.recorded() as calls, client.expecting("1", "2", then="2"):
        stack.up(timed)

    assert next(method.split()[0] for method in calls.changing if "Endpoint" in method) == TIMEOUT
    assert cloud.traffic() == {"2": 100}
    stack.unchanged(timed)


def test_endpoint_in_a_network_serves_one_variant_without_a_split(stack: Stack, cloud: Cloud) -> None:
    private = Serving(endpoint_args={"network": NETWORK})
    with cloud.recorded() as calls:
        stack.up(private)
    stack.unchanged(private)
    second = replace(private, image="i:2")

    refused = stack.fails("up", second)
    agreed = {"variant_args": {"strategy": "UNDEPLOY_FIRST"}, "deployment_args": {"allow_outage": True}}
    with cloud.recorded() as more:
        stack.up(replace(second, **agreed))

    assert "nothing can be deployed beside what runs: set strategy to UNDEPLOY_FIRST" in refused.output
    splits = [method for method in [*calls.changing, *more.changing] if "trafficSplit" in method]
    assert (splits, list(cloud.traffic())) == ([], ["2"])
