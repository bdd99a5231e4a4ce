"""Flex-start as the emulator has it: what is refused, which quota is charged, and how a run ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.google import ZONE, Google, google
from tests.emulator.rest.http_client import QUEUED, Response, Rest, collection
from tpuserve.emulator import Emulator, Settings

FLEX = {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}
POOL = f"{ZONE}/queuedResources/pool"
RESERVATION = f"{ZONE}/reservations/mine"
PREEMPTIBLE = "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"


@pytest.fixture(scope="module")
def timeless() -> Iterator[Emulator]:
    with Emulator(Settings(clock="virtual")).running() as served:
        yield served


@pytest.fixture
def later(timeless: Emulator) -> Iterator[Google]:
    """On a clock that moves only when a test says so."""
    timeless.control.reset()
    with google(timeless) as clients:
        yield clients


@pytest.fixture
def rest_later(later: Google, timeless: Emulator) -> Iterator[Rest]:
    client = Rest(timeless.addresses.rest)
    yield client
    client.close()


def asked(rest: Rest, **more: Any) -> Response:
    return rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**more))


@pytest.mark.parametrize(
    "other", [{"spot": {}}, {"guaranteed": {}}, {"bestEffort": {}}, {"reservationName": RESERVATION}]
)
def test_another_way_to_capacity_beside_it_is_refused(rest: Rest, other: dict[str, Any]) -> None:
    answer = asked(rest, **FLEX, **other)

    assert (answer.status, "queued_resource.provisioning_model" in answer.error()) == (400, True)


@pytest.mark.parametrize("duration", ["604801s", "0s", "-1s"])
def test_a_run_beyond_seven_days_or_of_no_time_is_refused(rest: Rest, duration: str) -> None:
    answer = asked(rest, provisioningModel="FLEX_START", runDuration={"maxRunDuration": duration})

    assert (answer.status, "queued_resource.run_duration.max_run_duration" in answer.error()) == (400, True)


def test_what_is_refused_leaves_nothing(rest: Rest) -> None:
    asked(rest, **FLEX, spot={})

    assert rest.get(f"{QUEUED}/pool").status == 404


def test_seven_days_are_taken(rest: Rest) -> None:
    assert asked(rest, provisioningModel="FLEX_START", runDuration={"maxRunDuration": "604800s"}).status == 200


def test_standard_beside_spot_is_taken_as_gcloud_sends_it(rest: Rest) -> None:
    assert asked(rest, provisioningModel="STANDARD", spot={}).status == 200


def test_the_record_has_what_only_rest_can_say(rest: Rest, cloud: Google) -> None:
    asked(rest, **FLEX)
    (call,) = cloud.control.calls(mutating_only=True)

    assert {name: call["request"]["queuedResource"][name] for name in FLEX} == FLEX


def test_an_answer_that_is_lost_after_the_effect_loses_none_of_it(rest: Rest, cloud: Google) -> None:
    cloud.control.fail("CreateQueuedResource", "UNAVAILABLE", phase="after")
    asked(rest, **FLEX)

    assert rest.get(f"{QUEUED}/pool").value()["provisioningModel"] == "FLEX_START"


def test_a_restart_forgets_none_of_it(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    with Emulator(Settings(), state=state).running() as first, closing(Rest(first.addresses.rest)) as rest:
        asked(rest, **FLEX)
    with Emulator(Settings(), state=state).running() as second, closing(Rest(second.addresses.rest)) as rest:
        found = rest.get(f"{QUEUED}/pool").value()

    assert {name: found[name] for name in FLEX} == FLEX


def test_preemptible_quota_is_charged(rest: Rest, cloud: Google) -> None:
    """Source: the page on Flex-start: "ensure you have sufficient preemptible quota"."""
    asked(rest, **FLEX)
    used = {row["quota"]: row["used"] for row in cloud.control.quotas() if row["used"]}

    assert used == {PREEMPTIBLE: 16}


def test_preemptible_quota_that_is_used_up_refuses_it(rest: Rest, cloud: Google) -> None:
    cloud.control.set("quotas", {PREEMPTIBLE: {"*": 8}})

    assert (asked(rest, **FLEX).status, PREEMPTIBLE in asked(rest, **FLEX).error()) == (429, True)


def test_slices_run_for_as_long_as_was_asked_for(rest_later: Rest, later: Google) -> None:
    asked(rest_later, **FLEX)
    later.control.advance(3590)

    assert later.state() == "ACTIVE"


def test_when_the_run_is_over_the_slices_are_gone_and_the_request_is_suspended(rest_later: Rest, later: Google) -> None:
    """Source: the page on Flex-start: the TPU VMs are deleted, and the request moves to SUSPENDED."""
    asked(rest_later, **FLEX)
    later.control.advance(3610)
    found = later.tpu.get_queued_resource(name=POOL)

    assert (found.state.state.name, found.state.state_initiator.name) == ("SUSPENDED", "SERVICE")
    assert list(later.tpu.list_nodes(parent=ZONE)) == []


def test_a_request_whose_window_ends_first_fails_and_stays(rest_later: Rest, later: Google) -> None:
    """Source: QueueingPolicy: "the request will be failed"; the page on queued resources: it remains in the queue."""
    later.control.delay("qr_waiting", 7200)
    asked(rest_later, **FLEX, queueingPolicy={"validUntilDuration": "600s"})
    later.control.advance(1200)

    assert later.state() == "FAILED"


def test_the_control_api_tells_the_model(rest: Rest, cloud: Google) -> None:
    asked(rest, **FLEX)
    (found,) = cloud.control.objects()["queuedResources"]

    assert found["provisioningModel"] == "FLEX_START"


def test_without_a_duration_flex_start_ends_after_seven_days(rest_later: Rest, later: Google) -> None:
    asked(rest_later, provisioningModel="FLEX_START")
    later.control.advance(7 * 86400 - 60)
    before = later.state()
    later.control.advance(120)

    assert (before, later.state()) == ("ACTIVE", "SUSPENDED")


def test_a_run_ends_at_the_time_that_was_given(rest_later: Rest, later: Google) -> None:
    end = datetime.fromtimestamp(later.control.status()["time"] + 3600, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    asked(rest_later, runDuration={"terminationTime": end})
    later.control.advance(3500)
    before = later.state()
    later.control.advance(200)

    assert (before, later.state()) == ("ACTIVE", "SUSPENDED")


def test_other_requests_run_on(rest_later: Rest, later: Google) -> None:
    asked(rest_later, provisioningModel="STANDARD")
    later.control.advance(8 * 86400)

    assert later.state() == "ACTIVE"
