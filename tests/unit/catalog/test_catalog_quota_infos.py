"""Answers of Cloud Quotas as limits."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import Account

QUOTA = catalog.quotas()["TPUV6EPerProjectPerZoneForTPUAPI"]
PLACES = ("us-east5-a", "us-east5-b", "us-east1-d")
LIMITS = st.dictionaries(st.sampled_from(PLACES), st.integers(-1, 99))


def entry(limit: int | None, *places: str, **dimensions: str) -> dict[str, Any]:
    """One of dimensionsInfos."""
    found: dict[str, Any] = {"details": {} if limit is None else {"value": str(limit)}}
    if places:
        found["applicableLocations"] = list(places)
    return found | ({"dimensions": dimensions} if dimensions else {})


def limits(*entries: dict[str, Any], only: tuple[str, ...] = ()) -> dict[str, int]:
    return catalog.granted(QUOTA, {"dimensionsInfos": list(entries)}, only)


def test_each_applicable_location_has_the_value() -> None:
    assert limits(entry(8, "us-east5-a", "us-east5-b")) == {"us-east5-a": 8, "us-east5-b": 8}


def test_a_more_specific_entry_comes_before_the_general_one() -> None:
    assert limits(entry(64, "us-east5-b", zone="us-east5-b"), entry(8, *PLACES))["us-east5-b"] == 64


def test_a_missing_value_is_0_and_needs_no_line() -> None:
    assert limits(entry(None, "us-east5-a"), entry(8, "us-east5-b")) == {"us-east5-b": 8}


def test_a_place_with_0_is_kept_where_every_other_has_more() -> None:
    assert limits(entry(None, "us-east5-a"), entry(8)) == {"us-east5-a": 0, "*": 8}


def test_a_quota_without_a_limit_is_that_everywhere() -> None:
    assert limits(entry(-1)) == {"*": catalog.UNLIMITED}


def test_an_entry_of_a_dimension_of_another_kind_is_left_out() -> None:
    assert limits(entry(8, "us-east5-b", zone="us-east5-b", family="x")) == {}


def test_an_answer_without_entries_grants_nothing() -> None:
    assert catalog.granted(QUOTA, {}) == {}


@pytest.mark.parametrize("general", [entry(8), entry(8, *PLACES)])
def test_the_places_that_are_asked_for_are_the_only_ones(general: dict[str, Any]) -> None:
    assert limits(entry(64, "us-east5-b"), general, only=("us-east5-b", "us-east5-a")) == {
        "us-east5-a": 8,
        "us-east5-b": 64,
    }


@given(LIMITS, st.integers(-1, 99), st.sampled_from(PLACES))
def test_every_place_has_the_limit_that_was_told_for_it(own: dict[str, int], others: int, place: str) -> None:
    found = limits(*(entry(limit, name) for name, limit in own.items()), entry(others))

    judged = catalog.limit_of(Account("acme", QUOTA.id, place), {"acme": {QUOTA.id: found}})
    assert judged == own.get(place, others)
