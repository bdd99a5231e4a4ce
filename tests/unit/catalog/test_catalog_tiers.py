"""Tiers and scheduling options, which Google lets say different things."""

from typing import Any

import pytest

from tpuserve import catalog


@pytest.mark.parametrize(
    ("request_", "scheduling"),
    [
        ({"spot": {}}, {"spot": True}),
        ({"spot": {}}, {"spot": True, "preemptible": True}),
        ({"guaranteed": {"reserved": True}}, {"reserved": True}),
        ({"guaranteed": {}}, {"spot": False, "reserved": False}),
        ({"bestEffort": {}}, {"preemptible": True}),
        ({}, {"spot": False}),
        ({}, {}),
    ],
)
def test_options_that_agree_with_the_tier(request_: dict[str, Any], scheduling: dict[str, bool]) -> None:
    assert catalog.check_scheduling(request_, scheduling) == []


@pytest.mark.parametrize(
    ("request_", "scheduling", "field", "words"),
    [
        ({"spot": {}}, {"spot": False}, "spot", "false contradicts spot"),
        ({"spot": {}}, {"reserved": True}, "reserved", "true contradicts spot"),
        ({"guaranteed": {}}, {"spot": True}, "spot", "true contradicts guaranteed"),
        ({"guaranteed": {}}, {"preemptible": True}, "preemptible", "true contradicts guaranteed"),
        ({"guaranteed": {}}, {"reserved": True}, "reserved", "guaranteed.reserved, which is false"),
        ({"guaranteed": {"reserved": True}}, {"reserved": False}, "reserved", "guaranteed.reserved, which is true"),
        ({"bestEffort": {}}, {"spot": True}, "spot", "true contradicts bestEffort"),
        ({"bestEffort": {}}, {"reserved": True}, "reserved", "true contradicts bestEffort"),
        ({}, {"spot": True}, "spot", "spot: {}"),
        ({}, {"reserved": True}, "reserved", "guaranteed: {reserved: true}"),
    ],
)
def test_options_that_contradict_the_tier(
    request_: dict[str, Any], scheduling: dict[str, bool], field: str, words: str
) -> None:
    ((where, message),) = catalog.check_scheduling(request_, scheduling)

    assert (where, words in message) == (field, True)


def test_each_tier_beside_the_first_is_a_fault() -> None:
    found = catalog.check_tiers({"spot": {}, "guaranteed": {}, "bestEffort": {}})

    assert [tier for tier, _ in found] == ["guaranteed", "bestEffort"]
