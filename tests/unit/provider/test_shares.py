"""Shares given away before a successor comes up, and outages (rule 5 of Deployment), for any endpoint."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tpuserve.provider.deployment.shares import by_variant, given_away, outages

KEYS = st.sampled_from(["1", "2", "3", "4"])
SERVING = st.dictionaries(KEYS, st.integers(1, 100), min_size=1, max_size=4)
SUCCESSORS = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 100), max_size=3)


@given(KEYS, SERVING, SUCCESSORS)
def test_what_is_given_away_sums_to_100_or_is_an_outage(
    key: str, serving: dict[str, int], successors: dict[str, int]
) -> None:
    left = given_away(key, serving, successors)

    assert (sum(left.values()) if left else 100) == 100


@given(KEYS, SERVING, SUCCESSORS)
def test_what_is_undeployed_keeps_no_share(key: str, serving: dict[str, int], successors: dict[str, int]) -> None:
    assert key not in given_away(key, serving, successors)


@given(KEYS, SERVING, SUCCESSORS)
def test_successors_take_over_only_where_nobody_else_serves(
    key: str, serving: dict[str, int], successors: dict[str, int]
) -> None:
    left = given_away(key, serving, successors)

    assert not (set(serving) - {key}) or set(left) <= set(serving)


@given(KEYS, SERVING, SUCCESSORS)
def test_nothing_is_left_only_where_nobody_can_take_over(
    key: str, serving: dict[str, int], successors: dict[str, int]
) -> None:
    able = (set(serving) - {key}) | {name for name, share in successors.items() if share}

    assert (given_away(key, serving, successors) == {}) == (not able)


TURNS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), KEYS), unique_by=(lambda t: t[0], lambda t: t[1]))


@given(st.sets(KEYS), st.sets(st.sampled_from(["x", "y"])), TURNS)
def test_outage_is_where_the_split_would_run_empty(
    serving: set[str], up: set[str], turns: list[tuple[str, str]]
) -> None:
    split, ready, emptied = dict.fromkeys(serving, 1), dict.fromkeys(up, 1), []
    for name, key in turns:
        if key in split:
            split = given_away(key, split, ready)
            emptied += [name] if not split else []
        ready[name] = 1

    assert outages(serving, up, turns) == emptied[:1]


def test_zeros_are_as_left_out() -> None:
    assert by_variant({"stable": 100, "canary": 0}, ["stable", "canary"]) == {"stable": 100}


def test_only_variant_gets_all_where_no_split_is_given() -> None:
    assert by_variant(None, ["stable"]) == {"stable": 100}


def test_several_variants_without_a_split_get_nothing() -> None:
    assert by_variant(None, ["stable", "canary"]) == {}
