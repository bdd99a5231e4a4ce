"""Queueing policies on a clock that moves only when a test says so: nodes are created within the window, or never."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.google import ZONE, Google
from tests.emulator.test_emulator_restart import life
from tpuserve.emulator import Settings
from tpuserve.emulator.settings import Durations

POOL = f"{ZONE}/queuedResources/pool"
HOUR, DAY = 3600, 86400
Start = Callable[..., Google]


@pytest.fixture
def later(start: Start) -> Google:
    return start(Settings(clock="virtual"))


def queue(cloud: Google, policy: dict[str, Any]) -> None:
    cloud.begin_request(queued={"queueing_policy": policy})
    cloud.control.advance(1)


def at(seconds: int) -> datetime:
    """So long from now; tests leave a minute for the machine."""
    return datetime.now(UTC) + timedelta(seconds=seconds)


AFTER: list[Callable[[], dict[str, Any]]] = [
    lambda: {"valid_after_duration": {"seconds": HOUR}},
    lambda: {"valid_after_time": at(HOUR)},
    lambda: {"valid_interval": {"start_time": at(HOUR), "end_time": at(DAY)}},
    lambda: {"valid_interval": {"start_time": at(HOUR)}},
]
UNTIL: list[Callable[[], dict[str, Any]]] = [
    lambda: {"valid_until_duration": {"seconds": HOUR}},
    lambda: {"valid_until_time": at(HOUR)},
    lambda: {"valid_interval": {"start_time": at(0), "end_time": at(HOUR)}},
    lambda: {"valid_interval": {"end_time": at(HOUR)}},
]


@pytest.mark.parametrize("policy", AFTER)
def test_no_node_is_made_before_the_window_opens(later: Google, policy: Callable[[], dict[str, Any]]) -> None:
    queue(later, policy())
    later.control.advance(HOUR - 60)

    assert later.state() == "WAITING_FOR_RESOURCES"


@pytest.mark.parametrize("policy", AFTER)
def test_nodes_are_made_when_the_window_opens(later: Google, policy: Callable[[], dict[str, Any]]) -> None:
    queue(later, policy())
    later.control.advance(HOUR + 60)

    assert later.state() == "ACTIVE"


@pytest.mark.parametrize("policy", UNTIL)
def test_capacity_that_comes_in_time_is_taken(later: Google, policy: Callable[[], dict[str, Any]]) -> None:
    later.control.delay("qr_waiting", HOUR - 60)
    queue(later, policy())
    later.control.advance(HOUR - 50)

    assert later.state() == "ACTIVE"


@pytest.mark.parametrize("policy", UNTIL)
def test_a_request_waits_until_its_window_ends(later: Google, policy: Callable[[], dict[str, Any]]) -> None:
    later.control.delay("qr_waiting", DAY)
    queue(later, policy())
    later.control.advance(HOUR - 60)

    assert later.state() == "WAITING_FOR_RESOURCES"


@pytest.mark.parametrize("policy", UNTIL)
def test_a_request_whose_window_ends_fails_and_stays(later: Google, policy: Callable[[], dict[str, Any]]) -> None:
    later.control.delay("qr_waiting", DAY)
    queue(later, policy())
    later.control.advance(HOUR + 60)
    state = later.tpu.get_queued_resource(name=POOL).state

    assert (state.state.name, "valid-until" in state.failed_data.error.message) == ("FAILED", True)


def test_a_window_that_has_passed_already_fails_the_request(later: Google) -> None:
    queue(later, {"valid_until_time": at(-HOUR)})

    assert later.state() == "FAILED"


def test_a_window_without_length_is_never_open(later: Google) -> None:
    moment = at(HOUR)
    queue(later, {"valid_interval": {"start_time": moment, "end_time": moment}})
    later.control.advance(DAY)

    assert later.state() == "FAILED"


def test_a_restart_moves_no_capacity_out_of_the_window(tmp_path: Path) -> None:
    """Counted anew from the restart, the wait would end after the window."""
    settings = Settings(clock="virtual", durations=Durations(qr_waiting=HOUR - 0.001))
    with life(tmp_path / "state.json", settings) as cloud:
        queue(cloud, {"valid_until_duration": {"seconds": HOUR}})
    with life(tmp_path / "state.json", settings) as cloud:
        cloud.control.advance(HOUR + 60)

        assert cloud.state() == "ACTIVE"
