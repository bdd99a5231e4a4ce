"""Kinds of endpoint: of which one an endpoint is, and what each can do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN

NETWORK = "projects/1/global/networks/n"
CONNECT = {"enablePrivateServiceConnect": True}
TIMEOUT = {"clientConnectionConfig": {"inferenceTimeout": "90s"}}
LOGGED = {"predictRequestResponseLoggingConfig": {"enabled": True, "samplingRate": 0.1}}
KINDS: dict[str, dict[str, Any]] = {
    "shared": {},
    "dedicated": {"dedicatedEndpointEnabled": True},
    "private_service_connect": {"privateServiceConnectConfig": CONNECT},
    "private_services_access": {"network": NETWORK},
}
each_kind = pytest.mark.parametrize("name", KINDS)
ABLE = {"dedicated", "private_service_connect"}


def paths(arguments: dict[str, Any]) -> list[str]:
    return [fault.path for fault in catalog.check_endpoint(arguments)]


@each_kind
def test_an_argument_makes_the_kind(name: str) -> None:
    kind = catalog.endpoint_kind(KINDS[name])

    assert kind
    assert kind.name == name


def test_a_kind_that_is_turned_off_is_none() -> None:
    assert (
        catalog.endpoint_kind({"dedicatedEndpointEnabled": False, "network": ""}) == catalog.endpoint_kinds()["shared"]
    )


@pytest.mark.parametrize("argument", ["dedicatedEndpointEnabled", "privateServiceConnectConfig", "network"])
def test_of_what_is_not_known_yet_no_kind_is_told(argument: str) -> None:
    assert catalog.endpoint_kind({argument: UNKNOWN}) is None


def test_each_of_two_kinds_is_named() -> None:
    assert paths(KINDS["dedicated"] | KINDS["private_services_access"]) == ["dedicatedEndpointEnabled", "network"]


@each_kind
def test_a_timeout_is_for_what_is_reached_apart_from_others(name: str) -> None:
    """Vertex AI, page "Choose an endpoint type": "Configurable up to 1 hour", else "60 seconds"."""
    assert paths(KINDS[name] | TIMEOUT) == ([] if name in ABLE else ["clientConnectionConfig.inferenceTimeout"])


@each_kind
def test_a_request_log_is_not_for_a_peered_network(name: str) -> None:
    """The same page, row "Request and response logging"."""
    refused = ["predictRequestResponseLoggingConfig.enabled"] if name == "private_services_access" else []

    assert paths(KINDS[name] | LOGGED) == refused


@each_kind
def test_a_split_is_not_for_a_peered_network(name: str) -> None:
    """The same page, row "Traffic splitting"."""
    assert catalog.endpoint_kinds()[name].traffic_split is (name != "private_services_access")


def test_a_request_log_of_two_kinds_is_one_fault_less() -> None:
    """Only when the kind is settled can it be said what the endpoint cannot do."""
    assert paths(KINDS["dedicated"] | KINDS["private_services_access"] | LOGGED) == [
        "dedicatedEndpointEnabled",
        "network",
    ]


@pytest.mark.parametrize(("rate", "refused"), [(0, True), (0.0, True), (0.001, False), (1, False), (None, False)])
def test_a_log_of_no_request_is_refused(rate: float | None, refused: bool) -> None:
    log = {"enabled": True, "samplingRate": rate}

    assert bool(paths({"predictRequestResponseLoggingConfig": log})) is refused


def test_a_log_that_is_off_may_have_no_rate() -> None:
    assert paths({"predictRequestResponseLoggingConfig": {"enabled": False, "samplingRate": 0}}) == []


@given(st.floats(allow_nan=False))
def test_a_sampling_rate_is_a_share(rate: float) -> None:
    assert (catalog.check_sampling_rate(rate) is None) is (0 <= rate <= 1)


@each_kind
@pytest.mark.parametrize("later", [UNKNOWN, dict.fromkeys(("inferenceTimeout", "enabled", "samplingRate"), UNKNOWN)])
def test_what_is_not_known_yet_is_no_fault(name: str, later: Any) -> None:
    given_later = dict.fromkeys(("clientConnectionConfig", "predictRequestResponseLoggingConfig"), later)

    assert paths(KINDS[name] | given_later) == []
