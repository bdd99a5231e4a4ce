"""The provider's settings: from the stack, else from the environment that pulumi-gcp reads too."""

from __future__ import annotations

import pytest

from tpuserve.access import Access
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.config import parse
from tpuserve.resources.provider import is_loopback

ENVIRONMENT = {"GOOGLE_PROJECT": "first", "GOOGLE_CLOUD_PROJECT": "second", "GOOGLE_REGION": "us-east5"}


def test_setting_goes_before_the_environment() -> None:
    assert parse({"project": "given"}, ENVIRONMENT).project == "given"


def test_first_variable_goes_before_the_second() -> None:
    assert parse({}, ENVIRONMENT).project == "first"


def test_empty_variable_is_none() -> None:
    assert parse({}, ENVIRONMENT | {"GOOGLE_PROJECT": ""}).project == "second"


def test_nothing_is_guessed() -> None:
    found = parse({}, {})

    assert (found.project, found.location, found.zone, found.owner_id) == (None, None, None, "")


def test_setting_that_is_not_known_yet_leaves_the_environment() -> None:
    assert parse({"project": UNKNOWN, "ownerId": UNKNOWN}, ENVIRONMENT).project == "first"


@pytest.mark.parametrize("endpoints", [{"tpu": "https://a"}, '{"tpu": "https://a"}'])
def test_endpoints_as_an_object_or_its_json_text(endpoints: object) -> None:
    assert parse({"endpoints": endpoints}, {}).endpoints == {"tpu": "https://a"}


WHO = {"GOOGLE_CREDENTIALS": "{}", "GOOGLE_OAUTH_ACCESS_TOKEN": "t0ken", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT": "a@b.c"}


@pytest.mark.parametrize(
    ("variable", "value", "found"),
    [
        ("GOOGLE_CREDENTIALS", "{}", {"credentials": "{}"}),
        ("GOOGLE_CLOUD_KEYFILE_JSON", "{}", {"credentials": "{}"}),
        ("GCLOUD_KEYFILE_JSON", "{}", {"credentials": "{}"}),
        ("GOOGLE_OAUTH_ACCESS_TOKEN", "t0ken", {"access_token": "t0ken"}),
        ("GOOGLE_IMPERSONATE_SERVICE_ACCOUNT", "a@b.c", {"impersonate": "a@b.c"}),
        ("USER_PROJECT_OVERRIDE", "true", {"charges_project": True}),
        ("GOOGLE_BILLING_PROJECT", "billed", {"billing_project": "billed"}),
        ("GOOGLE_CLOUD_UNIVERSE_DOMAIN", "apis.example", {"universe_domain": "apis.example"}),
        ("CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "/ca.pem", {"ca_bundle": "/ca.pem"}),
        ("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "/ca.pem", {"ca_bundle": "/ca.pem"}),
    ],
)
def test_variable(variable: str, value: str, found: dict[str, object]) -> None:
    assert parse({}, {variable: value}).access == Access(**found)  # pyright: ignore[reportArgumentType]


def test_credentials_of_the_stack_hide_a_token_of_the_environment() -> None:
    access = parse({"credentials": "{1}"}, WHO).access

    assert (access.access_token, access.credentials) == ("", "{1}")


def test_who_is_asked_for_is_not_shown() -> None:
    assert "t0ken" not in repr(parse({"accessToken": "t0ken", "credentials": "t0ken"}, {}))


def test_secrets_of_credentials_are_known_one_by_one() -> None:
    text = '{"type": "authorized_user", "client_secret": "one", "refresh_token": "two"}'

    assert parse({"credentials": text}, {}).access.secrets() == {text, "one", "two"}


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("", False),
    ],
)
def test_loopback(host: str, local: bool) -> None:
    assert is_loopback(host) is local
