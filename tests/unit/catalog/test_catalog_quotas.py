"""Quotas: which is charged, what the limit is, and the most that is held while things change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import Account, Charge, Step, Use

HERE = Account("acme", "TPUV6EPerProjectPerZoneForTPUAPI", "us-east5-b")
CHARGES = st.lists(st.integers(1, 64).map(lambda chips: Charge(HERE, chips, f"{chips} of them")), max_size=3)
STEPS = st.lists(st.builds(Step, takes=CHARGES, at_once=st.booleans()), max_size=5)


def of(chips: int) -> list[Charge]:
    return [Charge(HERE, chips, "slices")]


def test_a_replacement_that_makes_the_new_one_first_holds_both() -> None:
    assert catalog.peak([Step(gives=of(8), takes=of(16), at_once=True)], of(8)) == {HERE: Use(8, 24, 16)}


def test_a_replacement_that_deletes_first_holds_the_larger_one() -> None:
    assert catalog.peak([Step(gives=of(8), takes=of(16))], of(8)) == {HERE: Use(8, 16, 16)}


def test_a_delete_after_a_create_is_a_peak() -> None:
    assert catalog.peak([Step(takes=of(16)), Step(gives=of(8))], of(8)) == {HERE: Use(8, 24, 16)}


def test_a_delete_before_a_create_is_none() -> None:
    assert catalog.peak([Step(gives=of(8)), Step(takes=of(16))], of(8)) == {HERE: Use(8, 16, 16)}


def test_what_is_held_and_not_changed_stays() -> None:
    assert catalog.peak([], of(8)) == {HERE: Use(8, 8, 8)}


@given(STEPS, CHARGES)
def test_the_peak_is_never_below_what_is_held_before_or_after(steps: list[Step], held: list[Charge]) -> None:
    assert all(use.peak >= max(use.before, use.after) for use in catalog.peak(steps, held).values())


@given(STEPS, CHARGES)
def test_what_is_taken_and_never_given_back_is_all_there_at_the_end(steps: list[Step], held: list[Charge]) -> None:
    total = sum(charge.chips for step in [Step(takes=held), *steps] for charge in step.takes)

    assert sum(use.after for use in catalog.peak(steps, held).values()) == total


def test_a_limit_that_is_not_given_is_0() -> None:
    assert catalog.limit_of(HERE, {"acme": {}}) == 0


@pytest.mark.parametrize(
    "limits",
    [
        {"acme": {HERE.quota: {"us-east5-b": 7, "*": 1}}, "*": {HERE.quota: {"*": 1}}},
        {"acme": {HERE.quota: {"*": 7}}, "*": {HERE.quota: {"us-east5-b": 1}}},
        {"*": {HERE.quota: {"*": 7}}},
    ],
)
def test_the_nearest_limit_counts(limits: catalog.QuotaLimits) -> None:
    assert catalog.limit_of(HERE, limits) == 7


@pytest.mark.parametrize("plane", ["tpu", "vertex"])
@pytest.mark.parametrize("generation", catalog.generations())
@pytest.mark.parametrize("preemptible", [False, True])
@pytest.mark.parametrize("multi_host", [False, True])
def test_every_shape_is_charged_to_one_quota(plane: str, generation: str, preemptible: bool, multi_host: bool) -> None:
    assert catalog.quota_of(plane, generation, preemptible=preemptible, multi_host=multi_host)


def test_a_generation_that_is_not_known_has_no_quota() -> None:
    assert catalog.quota_of("tpu", "v9x", preemptible=False, multi_host=False) is None


def test_every_quota_has_a_source_and_says_what_is_assumed() -> None:
    assert all(quota.source and quota.date for quota in catalog.quotas().values())
    v6e = [each for each in catalog.quotas().values() if (each.plane, each.generation) == ("vertex", "v6e")]
    assert all("not seen live" in each.source for each in v6e)
