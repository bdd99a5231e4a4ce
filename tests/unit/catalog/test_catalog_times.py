"""Moments, and the policies made of them."""

from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog

TIMES = st.from_regex(
    r"(0[0-9]{3}|[1-9][0-9]{3})-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{1,9})?(Z|[+-][012][0-9]:[0-6][0-9])",
    fullmatch=True,
)


@given(TIMES)
def test_every_time_that_is_taken_is_one_to_protobuf(text: str) -> None:
    found = catalog.moment(text)
    if found is None:
        return
    stamp = Timestamp()
    stamp.FromJsonString(text)

    assert stamp.ToNanoseconds() == found


@pytest.mark.parametrize(
    "value",
    [
        "2026-12-01",
        "2026-12-01T08:00:00",
        "2026-12-01 08:00:00Z",
        "2026-13-01T08:00:00Z",
        "2026-12-01T08:00:60Z",
        "0001-01-01T00:00:00+14:00",
        "3600s",
        "",
    ],
)
def test_what_is_no_time_is_refused_with_an_example(value: str) -> None:
    assert "such as 2026-12-01T08:00:00Z" in (catalog.check_time(value) or "")


EIGHT, NINE = "2026-12-01T08:00:00Z", "2026-12-01T09:00:00Z"
ONE = [
    {"validUntilDuration": "60s"},
    {"validUntilTime": EIGHT},
    {"validAfterDuration": "60s"},
    {"validAfterTime": EIGHT},
    {"validInterval": {"startTime": EIGHT, "endTime": NINE}},
    {"validInterval": {"startTime": EIGHT}},
    {"validInterval": {"endTime": EIGHT}},
]


@pytest.mark.parametrize("policy", ONE)
def test_one_constraint_is_a_policy(policy: dict[str, Any]) -> None:
    assert catalog.check_queueing_policy(policy) == []


@pytest.mark.parametrize(
    ("policy", "path", "words"),
    [
        ({}, "", "says nothing; give exactly one"),
        ({"validUntilDuration": "60s", "validUntilTime": EIGHT}, "", "has validUntilDuration and validUntilTime"),
        ({"validAfterTime": EIGHT, "validUntilTime": NINE}, "", "a beginning and an end together are a validInterval"),
        ({"validInterval": {}}, "validInterval", "needs startTime, endTime or both"),
        ({"validInterval": {"startTime": NINE, "endTime": EIGHT}}, "validInterval.endTime", "is not after"),
        ({"validInterval": {"startTime": EIGHT, "endTime": EIGHT}}, "validInterval.endTime", "no time lies between"),
    ],
)
def test_what_is_not_one_constraint_is_refused(policy: dict[str, Any], path: str, words: str) -> None:
    ((where, message),) = catalog.check_queueing_policy(policy)

    assert (where, words in message) == (path, True)
