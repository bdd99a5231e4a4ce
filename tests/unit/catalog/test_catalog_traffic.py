"""Splits by the ids of deployed models, and what an endpoint with private services access can serve."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN

IDS = st.from_regex(r"[0-9]{1,10}", fullmatch=True)
NAMES = st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=1, max_size=3, unique=True)


@given(st.dictionaries(IDS, st.integers(0, 100), max_size=4))
def test_a_split_by_id_passes_exactly_if_it_is_empty_or_sums_to_100(split: dict[str, int]) -> None:
    fault = catalog.check_split_by_id(json.dumps(split))

    assert (fault is None) == (not split or sum(split.values()) == 100)


@given(st.dictionaries(IDS, st.integers(0, 100), max_size=4))
def test_where_access_is_private_only_the_empty_split_passes(split: dict[str, int]) -> None:
    assert (catalog.check_split_by_id(json.dumps(split), private=True) is None) == (not split)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(), inner, max_size=2)),
)


@given(st.one_of(st.text(), JSON.map(json.dumps)))
def test_any_text_is_a_split_or_refused(text: str) -> None:
    assert isinstance(catalog.check_split_by_id(text), str | None)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"1": NaN}', '{"1": 1e400}', "[]", "null", "100"])
def test_texts_that_are_no_split(text: str) -> None:
    assert catalog.check_split_by_id(text)


def test_a_split_that_is_not_known_is_no_fault() -> None:
    assert catalog.check_split_by_id(UNKNOWN) is None


@given(NAMES, st.one_of(st.none(), st.just(UNKNOWN), st.dictionaries(st.sampled_from("ab1"), st.just(UNKNOWN))))
def test_where_access_is_private_one_variant_is_served(variants: list[str], split: Any) -> None:
    found = [argument for argument, _ in catalog.check_private_traffic(variants, split, "e")]

    assert found == (["deployedModels"] if len(variants) > 1 else [])


@pytest.mark.parametrize("split", [{"a": 100}, {"a": 100, "7": 0}, {}])
def test_all_of_the_requests_are_no_split(split: dict[str, int]) -> None:
    assert catalog.check_private_traffic(["a"], split, "e") == []


@pytest.mark.parametrize("split", [{"a": 60, "7": 40}, {"7": 100}])
def test_a_share_of_somebody_elses_is_a_split(split: dict[str, int]) -> None:
    assert [argument for argument, _ in catalog.check_private_traffic(["a"], split, "e")] == ["trafficSplit"]


def test_variants_that_are_not_known_are_no_fault() -> None:
    assert catalog.check_private_traffic(UNKNOWN, {"a": 50}, "e") == []
