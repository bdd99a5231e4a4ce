"""Permissions: what is granted passes, all else is refused in Google's words before anything is looked at."""

from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError, PermissionDenied

from tests.emulator.google import LOCATION, ZONE, Google, refused
from tpuserve.emulator import ControlError, Settings
from tpuserve.emulator.api import OPERATIONS, Api
from tpuserve.emulator.catalog_data import names
from tpuserve.emulator.core import Core
from tpuserve.emulator.permissions import named_in, permissions, row_of

DIGITS, POOL = f"{LOCATION}/models/digits", f"{ZONE}/queuedResources/pool"


def details(error: GoogleAPICallError) -> dict[str, Any]:
    [info] = error.details
    return {"reason": info.reason, "domain": info.domain, **info.metadata}


def test_what_is_granted_passes(cloud: Google) -> None:
    cloud.control.set("permissions", ["aiplatform.models.upload", "aiplatform.models.get"])

    assert cloud.upload().endswith("/models/digits@1")


def test_vertex_refuses_in_its_own_words(cloud: Google) -> None:
    cloud.control.set("permissions", [])

    with pytest.raises(PermissionDenied) as caught:
        cloud.models.get_model(name=DIGITS)

    told = f"Permission 'aiplatform.models.get' denied on resource '//aiplatform.googleapis.com/{DIGITS}'"
    assert caught.value.message == f"{told} (or it may not exist)."
    assert details(caught.value) == {
        "reason": "IAM_PERMISSION_DENIED",
        "domain": "aiplatform.googleapis.com",
        "permission": "aiplatform.models.get",
        "resource": DIGITS,
    }


def test_cloud_tpu_refuses_in_its_own_words(cloud: Google) -> None:
    cloud.control.set("permissions", ["tpu.nodes.list"])

    with pytest.raises(PermissionDenied) as caught:
        cloud.tpu.get_queued_resource(name=POOL)

    assert caught.value.message == f"Permission 'tpu.nodes.get' denied on '{POOL}'"


def test_one_does_not_learn_what_exists(cloud: Google) -> None:
    cloud.upload()
    cloud.control.set("permissions", [])

    for name in (DIGITS, f"{LOCATION}/models/none"):
        with refused("PERMISSION_DENIED", "aiplatform.models.get"):
            cloud.models.get_model(name=name)


def test_nothing_is_done_without_the_permission(cloud: Google) -> None:
    cloud.control.set("permissions", ["aiplatform.models.get"])

    with refused("PERMISSION_DENIED", "aiplatform.models.upload", LOCATION):
        cloud.begin_upload()

    assert cloud.control.objects()["models"] == []


def test_an_operation_needs_the_permission_of_its_resource(cloud: Google) -> None:
    operation = cloud.begin_upload()
    cloud.control.set("permissions", ["aiplatform.endpoints.get"])

    with pytest.raises(Exception, match=r"'aiplatform\.models\.get' denied"):
        cloud.wait(operation)


def test_the_message_s_own_name_is_what_an_update_is_about(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.control.set("permissions", [])

    with refused("PERMISSION_DENIED", "aiplatform.endpoints.update", endpoint):
        cloud.update_split(endpoint, {})


def test_everything_is_granted_again(cloud: Google) -> None:
    cloud.control.set("permissions", [])
    cloud.control.set("permissions", None)

    assert list(cloud.models.list_models(parent=LOCATION)) == []


def test_a_refused_call_is_in_the_record(cloud: Google) -> None:
    cloud.control.set("permissions", [])
    with refused("PERMISSION_DENIED"):
        cloud.models.get_model(name=DIGITS)

    assert [(call["method"], call["code"]) for call in cloud.control.calls()] == [("GetModel", "PERMISSION_DENIED")]


def test_a_permission_that_does_not_exist_is_refused_with_those_that_do(cloud: Google) -> None:
    with pytest.raises(ControlError, match=r"aiplatform\.model\.get unknown; there are .*aiplatform\.models\.get"):
        cloud.control.set("permissions", ["aiplatform.model.get"])


def rows() -> list[str]:
    """The rows that the methods served need, operations for each kind of resource they are about."""
    kinds = ("models", "endpoints", "deploymentResourcePools")
    places = [f"{LOCATION}/{kind}/x/operations/1" for kind in kinds] + [f"{ZONE}/operations/1"]
    methods = Api(Core(Settings(), None, Path())).methods().values()
    plain = [method.name for method in methods if method.service != OPERATIONS]
    waiting = [method.name for method in methods if method.service == OPERATIONS]
    return [*plain, *(row_of(name, place) for name in waiting for place in places)]


@pytest.mark.parametrize("row", rows())
def test_each_method_that_is_served_has_a_permission(row: str) -> None:
    assert names("permissions")[row]["permission"] in permissions()


@pytest.mark.parametrize(
    ("method", "request_", "row"),
    [
        ("GetModel", {"name": DIGITS}, "GetModel"),
        ("WaitOperation", {"name": f"{DIGITS}/operations/1"}, "WaitOperation/models"),
        ("ListOperations", {"name": DIGITS}, "ListOperations/models"),
        ("ListOperations", {"name": LOCATION}, "ListOperations/region"),
        ("GetOperation", {"name": f"{ZONE}/operations/1"}, "GetOperation/zone"),
        ("UpdateEndpoint", {"endpoint": {"name": "e"}}, "UpdateEndpoint"),
    ],
)
def test_row_of_a_call_in_the_record(method: str, request_: dict[str, Any], row: str) -> None:
    assert row_of(method, named_in(request_)) == row
