"""Long-running operations: where they are found, what they say, how they are waited for."""

import time
from typing import Any

from google.longrunning import operations_pb2

from tests.emulator.google import HERE, LOCATION, THERE, Google, refused
from tpuserve.emulator import Durations, Settings


def listed(cloud: Google, name: str, text: str = "") -> list[str]:
    request = operations_pb2.ListOperationsRequest(name=name, filter=text)
    return [operation.name for operation in cloud.models.list_operations(request).operations]


def test_an_upload_is_found_under_its_model_while_it_runs(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    operation = cloud.begin_upload()

    assert listed(cloud, f"{LOCATION}/models/digits") == [operation.operation.name]


def test_an_upload_of_a_version_is_found_under_its_model(cloud: Google) -> None:
    cloud.upload()
    cloud.control.hold("upload_model")
    operation = cloud.begin_upload(parent_model=f"{LOCATION}/models/digits")

    assert listed(cloud, f"{LOCATION}/models/digits", "done=false") == [operation.operation.name]


def test_a_deployment_is_found_under_its_endpoint(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    operation = cloud.begin_deploy(endpoint, model)

    assert listed(cloud, endpoint, "done=false") == [operation.operation.name]


def test_a_vertex_operation_is_named_under_its_resource(cloud: Google) -> None:
    assert cloud.begin_upload().operation.name.startswith(f"{HERE}/models/digits/operations/")


def test_a_tpu_operation_is_named_under_its_zone(cloud: Google) -> None:
    assert cloud.begin_request().operation.name.startswith(f"{THERE}/operations/")


def test_a_location_lists_what_lies_below_it(cloud: Google) -> None:
    cloud.upload()
    cloud.endpoint()

    assert len(listed(cloud, LOCATION)) == 2


def test_a_filter_that_cannot_be_read_is_refused(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "filter"):
        listed(cloud, LOCATION, "verb=create")


def test_a_running_operation_is_not_done(cloud: Google) -> None:
    cloud.control.hold("upload_model")

    assert not cloud.wait(cloud.begin_upload(), seconds=0).done


def test_a_wait_ends_with_the_operation(cloud: Google) -> None:
    cloud.control.delay("upload_model", 0.05)

    assert cloud.wait(cloud.begin_upload()).done


def test_a_missing_operation_is_not_found(cloud: Google) -> None:
    with refused("NOT_FOUND", "operations/1"):
        cloud.models.get_operation({"name": f"{LOCATION}/models/digits/operations/1"})


def test_an_operation_knows_when_it_was_last_updated(cloud: Google) -> None:
    operation = cloud.begin_upload()
    cloud.done(operation)
    metadata = operation.metadata.generic_metadata

    assert metadata.update_time >= metadata.create_time


def test_a_tpu_operation_says_what_it_does_to_what(cloud: Google) -> None:
    operation = cloud.begin_request()
    name = cloud.done(operation).name

    assert (operation.metadata.verb, operation.metadata.target) == ("create", name)


def test_the_work_of_the_service_itself_is_no_operation(cloud: Google) -> None:
    cloud.control.hold("qr_waiting")
    cloud.done(cloud.begin_request())

    assert listed(cloud, LOCATION + "-b", "done=false") == []


def test_hours_pass_at_once_where_time_is_instant(start: Any) -> None:
    durations = Durations(deploy_stage=600, qr_waiting=7200, qr_provisioning=1800, upload_model=300)
    cloud = start(Settings(clock="instant", durations=durations))
    begun = time.monotonic()
    cloud.serving()
    cloud.active()
    (first, *_, last) = cloud.control.calls()

    assert last["time"] - first["time"] > 2 * 3600
    assert time.monotonic() - begun < 10
