"""Capacity: requests that wait for chips, deployments that find none."""

from typing import Any

import pytest

from tests.emulator.google import Google, google
from tpuserve.emulator import ControlError, Emulator, Settings

HOUR = 3600.0


def room(cloud: Google, **chips: int) -> None:
    cloud.control.set("capacity", {place.replace("_", "-"): {"v6e": number} for place, number in chips.items()})


def until_state(cloud: Google, state: str, identifier: str = "pool") -> None:
    for _ in range(2000):
        if cloud.state(identifier) == state:
            return
    pytest.fail(f"never became {state}")


def waiting(cloud: Google, identifier: str = "pool", **more: Any) -> None:
    cloud.done(cloud.begin_request(identifier, **more))
    until_state(cloud, "WAITING_FOR_RESOURCES", identifier)


def test_a_request_waits_while_there_are_too_few_chips(cloud: Google) -> None:
    room(cloud, us_east5_b=23)
    waiting(cloud)

    assert cloud.control.objects()["nodes"] == []


def test_a_request_goes_on_when_chips_are_added(cloud: Google) -> None:
    room(cloud, us_east5_b=0)
    waiting(cloud)
    room(cloud, us_east5_b=24)

    until_state(cloud, "ACTIVE")


def test_a_request_goes_on_when_another_is_gone(cloud: Google) -> None:
    room(cloud, us_east5_b=24)
    first = cloud.active("first")
    cloud.control.set("queued_resource_operation_ends", "ACCEPTED")
    waiting(cloud)
    cloud.done(cloud.tpu.delete_queued_resource(request={"name": first, "force": True}))

    until_state(cloud, "ACTIVE")


def test_a_suspended_request_gives_its_chips_back(cloud: Google) -> None:
    room(cloud, us_east5_b=24)
    first = cloud.active("first")
    cloud.control.preempt(first)

    assert cloud.active("second").endswith("second")


def test_a_place_that_is_not_named_has_enough(cloud: Google) -> None:
    room(cloud, us_east5_a=0)
    cloud.active()

    assert cloud.state() == "ACTIVE"


def test_a_reservation_has_capacity_of_its_own(cloud: Google) -> None:
    room(cloud, us_east5_b=0)
    cloud.active(queued={"guaranteed": {"reserved": True}})

    assert cloud.state() == "ACTIVE"


def test_a_request_without_chips_fails_with_its_window(start: Any) -> None:
    cloud = start(Settings(clock="virtual", capacity={"us-east5-b": {"v6e": 0}}))
    cloud.begin_request(queued={"queueing_policy": {"valid_until_duration": {"seconds": 3600}}})
    cloud.control.advance(HOUR - 1)
    before = cloud.state()
    cloud.control.advance(2)

    assert (before, cloud.state()) == ("WAITING_FOR_RESOURCES", "FAILED")


def test_a_waiting_request_goes_on_waiting_after_a_restart(start: Any, tmp_path: Any) -> None:
    settings, state = Settings(capacity={"us-east5-b": {"v6e": 0}}), tmp_path / "state.json"
    with Emulator(settings, state=state).running() as first, google(first) as cloud:
        waiting(cloud)
    again = start(Settings(), state)

    until_state(again, "ACTIVE")


def test_a_deployment_fails_where_there_are_no_machines(cloud: Google) -> None:
    room(cloud, us_east5=1)
    endpoint, model = cloud.endpoint(), cloud.upload()
    operation = cloud.wait(cloud.begin_deploy(endpoint, model, resources={"min_replica_count": 2}))

    assert (operation.error.code, "enough resources" in operation.error.message) == (8, True)


def test_a_deployment_fails_while_another_holds_the_machines(cloud: Google) -> None:
    room(cloud, us_east5=1)
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.deploy(endpoint, model)

    assert cloud.wait(cloud.begin_deploy(endpoint, model)).error.code == 8


def test_two_deployments_at_once_do_not_take_the_same_machine(start: Any) -> None:
    cloud = start(Settings(clock="virtual", capacity={"us-east5": {"v6e": 1}}))
    cloud.control.delay("deploy_stage", 60)
    endpoint, model = cloud.endpoint(), cloud.upload()
    both = [cloud.begin_deploy(endpoint, model), cloud.begin_deploy(endpoint, model)]
    cloud.control.advance(HOUR)

    assert sorted(cloud.wait(operation).error.code for operation in both) == [0, 8]


def test_a_deployment_that_needs_fewer_replicas_comes_up_with_those_there_are(cloud: Google) -> None:
    room(cloud, us_east5=2)
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.deploy(endpoint, model, resources={"min_replica_count": 3, "required_replica_count": 1})
    (deployed,) = cloud.endpoints.get_endpoint(name=endpoint).deployed_models

    assert deployed.status.available_replica_count == 2


def test_replicas_that_cannot_be_had_fail_the_change(cloud: Google) -> None:
    endpoint, _, deployed = cloud.serving()
    room(cloud, us_east5=2)
    operation = cloud.endpoints.mutate_deployed_model(
        endpoint=endpoint,
        deployed_model={"id": deployed, "dedicated_resources": {"min_replica_count": 3, "max_replica_count": 3}},
        update_mask={"paths": ["dedicated_resources.min_replica_count", "dedicated_resources.max_replica_count"]},
    )

    assert cloud.wait(operation).error.code == 8


def test_an_undeployed_model_gives_its_machines_back(cloud: Google) -> None:
    room(cloud, us_east5=1)
    endpoint, model, deployed = cloud.serving()
    cloud.undeploy(endpoint, deployed)

    assert cloud.deploy(endpoint, model)


def test_chips_are_a_whole_number_of_none_or_more(cloud: Google) -> None:
    with pytest.raises(ControlError, match=r"capacity\[\.\.\.\]"):
        cloud.control.set("capacity", {"us-east5": {"v6e": -1}})
