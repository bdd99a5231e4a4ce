"""Reading values of a resource, some of which are not known yet."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE, unknown_checking_proxy
from tpuserve.policies.values import find, plain  # pyright: ignore[reportMissingImports]

from tpuserve.catalog import UNKNOWN


def found(properties: dict[str, Any], pattern: str) -> list[tuple[str, Any]]:
    return [(each.path, each.value) for each in find(unknown_checking_proxy(properties), pattern)]


def test_a_value_is_found_with_its_path() -> None:
    assert found({"a": {"x": {"m": 1}, "y": {"m": 2}}}, "a.*.m") == [("a.x.m", 1), ("a.y.m", 2)]


def test_an_index_is_part_of_the_path() -> None:
    assert found({"a": [{"m": 1}, {"m": 2}]}, "a.*.m") == [("a[0].m", 1), ("a[1].m", 2)]


@pytest.mark.parametrize("properties", [{}, {"a": {}}, {"a": {"x": {}}}, {"a": "text"}, {"a": {"x": {"m": None}}}])
def test_what_is_absent_is_not_found(properties: dict[str, Any]) -> None:
    assert found(properties, "a.*.m") == []


def test_an_unknown_value_is_found_as_unknown() -> None:
    assert found({"a": {"x": {"m": UNKNOWN_STRING_VALUE}}}, "a.*.m") == [("a.x.m", UNKNOWN)]


def test_one_unknown_hides_no_other_value() -> None:
    properties = {"a": {"x": UNKNOWN_OBJECT_VALUE, "y": {"m": 2}}}

    assert found(properties, "a.*.m") == [("a.x", UNKNOWN), ("a.y.m", 2)]


def test_a_map_that_is_wholly_unknown_is_found_as_unknown() -> None:
    assert found({"a": UNKNOWN_OBJECT_VALUE}, "a.*.m") == [("a", UNKNOWN)]


def test_a_whole_number_is_whole_as_the_wire_has_it_not() -> None:
    assert [repr(value) for _, value in found({"a": [2.0, 0.5, True]}, "a.*")] == ["2", "0.5", "True"]


def test_whole_numbers_of_plain_values_are_whole() -> None:
    assert repr(plain({"a": {"x": [16.0]}})) == "{'a': {'x': [16]}}"


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(), st.just(UNKNOWN_STRING_VALUE)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("amx"), inner, max_size=3)),
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("amx"), VALUES))
def test_reading_never_raises(properties: dict[str, Any]) -> None:
    assert all(path.startswith("a") for path, _ in found(properties, "a.*.m"))


def test_plain_values_have_no_proxies_left() -> None:
    properties = unknown_checking_proxy({"a": [{"x": UNKNOWN_STRING_VALUE, "y": None}, 2], "b": UNKNOWN_OBJECT_VALUE})

    assert plain(properties) == {"a": [{"x": UNKNOWN}, 2], "b": UNKNOWN}
