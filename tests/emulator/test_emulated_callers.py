"""Permissions by caller: who calls is told by the bearer token, over gRPC and REST alike."""

import base64
import json
from typing import Any

import pytest
from google.api_core.exceptions import PermissionDenied
from hypothesis import given
from hypothesis import strategies as st

from tests.emulator.conftest import Start
from tests.emulator.google import LOCATION, Google, refused
from tests.emulator.rest.http_client import MODELS, Rest
from tpuserve.emulator import ControlError, Emulator, Settings
from tpuserve.emulator.callers import callers, granted

VIEW = ["aiplatform.models.list"]


def jwt(**claims: Any) -> str:
    """A token whose signature nobody could verify."""
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256"}, claims)]
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


def list_models(cloud: Google, token: str = "") -> int:
    metadata = [("authorization", f"Bearer {token}")] if token else []
    return len(list(cloud.models.list_models(parent=LOCATION, metadata=metadata)))


def test_a_caller_has_what_its_token_is_granted(cloud: Google) -> None:
    cloud.control.set("permissions", {"viewer": VIEW, "*": []})

    assert list_models(cloud, "viewer") == 0


def test_another_caller_has_what_the_rest_is_granted(cloud: Google) -> None:
    cloud.control.set("permissions", {"viewer": VIEW, "*": []})

    with refused("PERMISSION_DENIED", "Permission 'aiplatform.models.list' denied on resource", LOCATION):
        list_models(cloud, "somebody")


def test_a_caller_without_a_token_is_one_of_the_rest(cloud: Google) -> None:
    cloud.control.set("permissions", {"viewer": VIEW, "*": []})

    with pytest.raises(PermissionDenied):
        list_models(cloud)


def test_a_caller_that_is_named_has_no_more_than_its_own(cloud: Google) -> None:
    cloud.control.set("permissions", {"viewer": [], "*": VIEW})

    with pytest.raises(PermissionDenied):
        list_models(cloud, "viewer")


def test_without_a_row_for_the_rest_they_may_do_everything(cloud: Google) -> None:
    cloud.control.set("permissions", {"viewer": []})

    assert list_models(cloud) == 0


def test_null_is_every_permission(cloud: Google) -> None:
    cloud.control.set("permissions", {"admin": None, "*": []})

    assert list_models(cloud, "admin") == 0


def test_a_service_account_is_known_by_the_token_it_signs(cloud: Google) -> None:
    cloud.control.set("permissions", {"ci@p.iam.gserviceaccount.com": VIEW, "*": []})

    assert list_models(cloud, jwt(iss="ci@p.iam.gserviceaccount.com", sub="ci@p.iam.gserviceaccount.com")) == 0


def test_rest_knows_a_caller_by_the_same_header() -> None:
    with Emulator(Settings(permissions={"viewer": VIEW, "*": []})).running() as emulator:
        rest = Rest(emulator.addresses.rest)
        statuses = [rest.ask("GET", MODELS, Authorization=f"Bearer {token}").status for token in ("viewer", "another")]
        rest.close()

    assert statuses == [200, 403]


def test_a_reset_brings_back_the_table_of_the_start(start: Start) -> None:
    cloud = start(Settings(permissions={"*": []}))
    cloud.control.set("permissions", None)
    cloud.control.reset()

    with pytest.raises(PermissionDenied):
        list_models(cloud)


def test_a_permission_in_a_table_that_does_not_exist_is_refused(cloud: Google) -> None:
    with pytest.raises(ControlError, match=r"aiplatform\.model\.get unknown; there are .*aiplatform\.models\.get"):
        cloud.control.set("permissions", {"viewer": ["aiplatform.model.get"]})


def test_a_table_of_another_form_is_refused(cloud: Google) -> None:
    with pytest.raises(ControlError, match="permissions"):
        cloud.control.set("permissions", {"viewer": "aiplatform.models.get"})


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Bearer token", ("token",)),
        ("bearer  token ", ("token",)),
        ("Basic dXNlcjpwYXNz", ()),
        ("Bearer ", ()),
        ("", ()),
        ("Bearer a.b.c", ("a.b.c",)),
        (f"Bearer {jwt(email='a@b.c', sub=7)}", (jwt(email="a@b.c", sub=7), "a@b.c")),
    ],
)
def test_names_of_a_caller(header: str, names: tuple[str, ...]) -> None:
    assert callers({"authorization": header}) == names


@given(st.text())
def test_a_token_of_any_text_is_no_failure(token: str) -> None:
    assert callers({"authorization": f"Bearer {token}"})[:1] == ((token.strip(),) if token.strip() else ())


@given(st.dictionaries(st.sampled_from("abc*"), st.lists(st.sampled_from(VIEW))), st.lists(st.sampled_from("abcd")))
def test_the_first_name_that_the_table_has_decides(table: dict[str, list[str]], names: list[str]) -> None:
    rows = [table[name] for name in names if name in table] or [table.get("*")]

    assert granted(table, names) == rows[0]
