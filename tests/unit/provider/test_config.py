"""The provider's settings: from the stack, else from the environment that pulumi-gcp reads too."""

from __future__ import annotations

import pytest

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.config import is_loopback, parse

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
