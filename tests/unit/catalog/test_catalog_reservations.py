"""Reservations that machines are drawn from (ReservationAffinity), and metrics that replicas follow."""

from typing import Any

import pytest

from tpuserve.catalog import UNKNOWN, check_metrics, check_reservation_affinity

KEY = "compute.googleapis.com/reservation-name"
NAME = "projects/p/zones/us-east5-b/reservations/r"
SPECIFIC = "SPECIFIC_RESERVATION"


@pytest.mark.parametrize(
    ("kind", "key", "values"),
    [
        (SPECIFIC, KEY, [NAME]),
        ("ANY_RESERVATION", None, None),
        ("NO_RESERVATION", "", []),
        (UNKNOWN, "x", ["y"]),
        (SPECIFIC, UNKNOWN, UNKNOWN),
        (SPECIFIC, KEY, [UNKNOWN]),
    ],
)
def test_what_is_right_or_not_known_yet(kind: Any, key: Any, values: Any) -> None:
    assert check_reservation_affinity(kind, key, values) == []


@pytest.mark.parametrize(
    ("kind", "key", "values", "found"),
    [
        (SPECIFIC, None, None, ["key", "values"]),
        (SPECIFIC, "other", [NAME], ["key"]),
        (SPECIFIC, KEY, ["r", NAME, None], ["values", "values"]),
        (SPECIFIC, KEY, [], ["values"]),
        ("ANY_RESERVATION", KEY, [NAME], ["key", "values"]),
        ("NO_RESERVATION", None, [NAME], ["values"]),
    ],
)
def test_what_is_wrong(kind: Any, key: Any, values: Any, found: list[str]) -> None:
    assert [which for which, _ in check_reservation_affinity(kind, key, values)] == found


def test_key_that_is_missing_is_named() -> None:
    (fault,) = check_reservation_affinity(SPECIFIC, None, [NAME])

    assert fault == ("key", f"was not given; SPECIFIC_RESERVATION takes {KEY!r}")


def test_name_that_is_not_full_is_named() -> None:
    (fault,) = check_reservation_affinity(SPECIFIC, KEY, ["r"])

    message = "'r' is not the full name of a reservation; give projects/PROJECT/zones/ZONE/reservations/NAME"
    assert fault == ("values", message)


def test_key_beside_any_reservation_is_named() -> None:
    (fault,) = check_reservation_affinity("ANY_RESERVATION", KEY, None)

    assert fault == ("key", "is for SPECIFIC_RESERVATION alone; leave it out beside ANY_RESERVATION")


@pytest.mark.parametrize(
    ("metrics", "found"),
    [
        ([], []),
        ([{"metricName": "a", "target": 60}, {"metricName": "b"}], []),
        ([{"metricName": UNKNOWN, "target": UNKNOWN}, UNKNOWN], []),
        ([{"metricName": "a"}, {"metricName": "a"}], ["'a' stands there twice; give each metric once"]),
        ([{"metricName": "a", "target": 0}], ["0 is not a target; give 1 to 100 (percent)"]),
        ([{"metricName": "a", "target": 101}], ["101 is not a target; give 1 to 100 (percent)"]),
    ],
)
def test_metrics(metrics: list[Any], found: list[str]) -> None:
    assert check_metrics(metrics) == found
