"""What a user asks for while something runs: cancellation, a reset, maintenance by hand."""

from typing import Any

import pytest
from google.longrunning import operations_pb2
from google.protobuf.empty_pb2 import Empty

from tests.emulator.google import ZONE, Google, refused
from tpuserve.emulator.messages import DeploymentStage, TpuOperationMetadata, vertex

POOL = f"{ZONE}/queuedResources/pool"


def ask(cloud: Google, method: str, name: str) -> None:
    kind = getattr(operations_pb2, f"{method}Request")
    cloud.channel.unary_unary(
        f"/google.longrunning.Operations/{method}",
        request_serializer=kind.SerializeToString,
        response_deserializer=Empty.FromString,
    )(kind(name=name))


def cancelled(cloud: Google, operation: Any) -> int:
    """The code that the operation ends with."""
    ask(cloud, "CancelOperation", operation.operation.name)
    return cloud.wait(operation).error.code


def test_a_cancelled_upload_makes_no_model(cloud: Google) -> None:
    cloud.control.hold("upload_model")

    assert cancelled(cloud, cloud.begin_upload()) == 1
    assert cloud.control.objects()["models"] == []


def test_a_cancelled_deployment_leaves_its_endpoint_empty(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.set("deployed_model_appears_at_once", True)
    cloud.control.hold("deploy_model")

    assert cancelled(cloud, cloud.begin_deploy(endpoint, model)) == 1
    assert list(cloud.endpoints.get_endpoint(name=endpoint).deployed_models) == []


def test_a_cancelled_operation_says_that_it_failed_to_deploy(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    operation = cloud.begin_deploy(endpoint, model)
    cancelled(cloud, operation)
    told = vertex("DeployModelOperationMetadata")()
    cloud.wait(operation).metadata.Unpack(told)

    assert DeploymentStage(told.deployment_stage).name == "FAILED_TO_DEPLOY"


def test_a_deletion_goes_on_when_it_is_cancelled(cloud: Google) -> None:
    cloud.upload()
    cloud.control.hold("delete_model")
    operation = cloud.models.delete_model(name=f"{ZONE.removesuffix('-b')}/models/digits")
    ask(cloud, "CancelOperation", operation.operation.name)
    cloud.control.release("delete_model")

    assert cloud.wait(operation).error.code == 0


def test_an_operation_that_has_ended_is_not_cancelled(cloud: Google) -> None:
    operation = cloud.begin_upload()
    cloud.wait(operation)

    assert cancelled(cloud, operation) == 0


def test_cancellation_that_was_asked_for_is_told(cloud: Google) -> None:
    cloud.control.hold("create_queued_resource")
    operation = cloud.begin_request()
    ask(cloud, "CancelOperation", operation.operation.name)
    told = TpuOperationMetadata()
    cloud.tpu.get_operation({"name": operation.operation.name}).metadata.Unpack(told)

    assert told.cancel_requested


def test_a_deleted_operation_is_not_found_and_its_work_goes_on(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    operation = cloud.begin_upload()
    ask(cloud, "DeleteOperation", operation.operation.name)
    with refused("NOT_FOUND"):
        cloud.models.get_operation({"name": operation.operation.name})
    cloud.control.release("upload_model")
    until_uploaded(cloud)

    assert [model["displayName"] for model in cloud.control.objects()["models"]] == ["digits"]


def until_uploaded(cloud: Google) -> None:
    for _ in range(2000):
        if cloud.control.objects()["models"]:
            return


def reset(cloud: Google) -> Any:
    return cloud.tpu.reset_queued_resource(name=POOL)


def health(cloud: Google) -> list[tuple[str, str]]:
    return [(node["state"], node["health"]) for node in cloud.control.objects()["nodes"]]


def test_a_reset_restarts_every_node(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("reset_queued_resource")
    operation = reset(cloud)
    during = health(cloud)
    cloud.control.release("reset_queued_resource")
    cloud.wait(operation)

    assert ({state for state, _ in during}, {state for state, _ in health(cloud)}) == ({"RESTARTING"}, {"READY"})


def test_a_reset_leaves_the_request_active(cloud: Google) -> None:
    cloud.active()

    assert cloud.done(reset(cloud)).state.state.name == cloud.state() == "ACTIVE"


def test_a_request_that_is_not_active_cannot_be_reset(cloud: Google) -> None:
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    with refused("FAILED_PRECONDITION", "must be ACTIVE"):
        reset(cloud)


def test_two_resets_do_not_run_at_once(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("reset_queued_resource")
    reset(cloud)

    with refused("FAILED_PRECONDITION", "running"):
        reset(cloud)


def maintain(cloud: Google, *nodes: str) -> Any:
    return cloud.tpu.perform_maintenance_queued_resource(request={"name": POOL, "node_names": list(nodes)})


def test_maintenance_by_hand_goes_over_the_nodes_that_are_named(cloud: Google) -> None:
    cloud.active()
    cloud.control.hold("perform_maintenance")
    operation = maintain(cloud, "pool-1")
    down = [index for index, (_, found) in enumerate(until_down(cloud)) if found == "UNHEALTHY_MAINTENANCE"]
    cloud.control.release("perform_maintenance")

    assert (down, cloud.done(operation).state.state.name) == ([1], "ACTIVE")


def until_down(cloud: Google) -> list[tuple[str, str]]:
    for _ in range(2000):
        now = health(cloud)
        if any(found == "UNHEALTHY_MAINTENANCE" for _, found in now):
            return now
    pytest.fail("no node is under maintenance")


def test_maintenance_by_hand_is_of_the_requests_own_nodes(cloud: Google) -> None:
    cloud.active()

    with refused("INVALID_ARGUMENT", "node_names", "other-1", "pool-1"):
        maintain(cloud, "other-1")
