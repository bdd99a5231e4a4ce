"""Rules of replicas, by themselves: rows of answers, back-off, rates."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.emulator.serving.autoscaling import Rate
from tpuserve.emulator.serving.probe import Probe, Tally
from tpuserve.emulator.serving.replica import back_off


@given(st.lists(st.booleans(), max_size=40), st.integers(1, 5), st.integers(1, 5))
def test_a_threshold_is_reached_by_an_unbroken_row_alone(answers: list[bool], successes: int, failures: int) -> None:
    row = Tally(Probe("http_get", successes=successes, failures=failures), 0)
    for index, healthy in enumerate(answers):
        verdict = row.told(healthy, 0.0)
        wanted = successes if healthy else failures
        unbroken = answers[max(0, index + 1 - wanted) : index + 1] == [healthy] * wanted

        assert verdict == (healthy if unbroken else None)


def test_the_first_look_is_after_the_delay() -> None:
    assert Tally(Probe("http_get", delay=7), 100.0).due == 107.0


def test_the_next_look_is_a_period_later() -> None:
    row = Tally(Probe("http_get", period=4), 0.0)
    row.told(True, 100.0)

    assert row.due == 104.0


@pytest.mark.parametrize(
    ("restarts", "seconds"), [(0, 10), (1, 20), (2, 40), (3, 80), (4, 160), (5, 300), (6, 300), (9999, 300)]
)
def test_a_back_off_doubles_up_to_five_minutes(restarts: int, seconds: float) -> None:
    assert back_off(10, restarts) == seconds


def test_without_a_delay_restarts_are_at_once() -> None:
    assert back_off(0, 5) == 0


@given(st.integers(0, 500), st.integers(1, 60), st.integers(1, 3), st.integers(3, 9))
def test_replicas_are_requests_a_minute_by_target_within_bounds(
    requests: int, target: int, minimum: int, maximum: int
) -> None:
    rate = Rate()
    for _ in range(requests):
        rate.count(30.0)

    assert rate.wanted(40.0, target, minimum, maximum) == min(max(math.ceil(requests / target), minimum), maximum)


def test_requests_of_more_than_a_minute_ago_do_not_count() -> None:
    rate = Rate()
    rate.count(0.0)
    rate.count(10.0)

    assert rate.wanted(65.0, 1, 1, 9) == 1


@pytest.mark.parametrize(("passed", "left"), [(299.0, 3), (301.0, 1)])
def test_fewer_are_enough_only_after_five_minutes(passed: float, left: int) -> None:
    rate = Rate()
    for _ in range(30):
        rate.count(0.0)
    rate.wanted(0.0, 10, 1, 9)

    assert rate.wanted(passed, 10, 1, 9) == left
