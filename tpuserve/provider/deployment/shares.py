"""Shares of an endpoint's requests: by variant name in the inputs, by deployed model id at Google (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tpuserve.provider.deployment.deployed_model import Live


def split(shares: Mapping[str, int] | None, ids: Mapping[str, str], live: Iterable[Live]) -> dict[str, int]:
    """Shares by deployed model id; 100 to the only variant where none are given; others' ids as they are given."""
    if shares is None:
        return dict.fromkeys(ids.values(), 100) if len(ids) == 1 else {}
    by_id = {ids.get(key, key): share for key, share in shares.items() if share}
    there = {item.id for item in live} | set(ids.values())
    return {key: share for key, share in by_id.items() if key in there}


def by_variant(shares: Mapping[str, int] | None, variants: Iterable[str]) -> dict[str, int]:
    """What a split of the inputs means: zeros are as left out, and the only variant gets all where none is given."""
    if shares is None:
        names = list(variants)
        return dict.fromkeys(names, 100) if len(names) == 1 else {}
    return {key: share for key, share in shares.items() if share != 0}


def taken_from(shares: Mapping[str, int] | None, foreign: Iterable[Live]) -> list[Live]:
    """Deployed models of others that serve now and that the inputs do not name: nothing is taken unsaid."""
    return [item for item in foreign if item.share and item.id not in (shares or {})]


def without(doomed: Iterable[str], current: Mapping[str, int]) -> dict[str, int]:
    """The split when `doomed` are gone: the others' shares scaled to 100, or nothing at all."""
    gone = set(doomed)
    rest = {key: share for key, share in current.items() if key not in gone and share}
    total = sum(rest.values())
    if not total:
        return {}
    exact = {key: share * 100 / total for key, share in rest.items()}
    whole = {key: int(value) for key, value in exact.items()}
    by_remainder = sorted(exact, key=lambda key: (whole[key] - exact[key], key))
    for key in by_remainder[: 100 - sum(whole.values())]:
        whole[key] += 1
    return whole


def given_away(key: str, current: Mapping[str, int], successors: Mapping[str, int]) -> dict[str, int]:
    """The split when `key` is undeployed before its successor comes up.

    The others that serve take its share; where nobody else does, the successors that are up, by their wanted shares.
    Empty where there are none: an outage.
    """
    return without([key], current) or without([key], successors)


def outages(serving: Iterable[str], up: Iterable[str], turns: Sequence[tuple[str, str]]) -> list[str]:
    """The first of `turns` (variant, key of what it runs on), undeployed in this order, whose end leaves nobody.

    `serving` are the keys with a share now, `up` the wanted variants that could take over before.
    """
    left, ready = set(serving), set(up)
    for name, key in turns:
        if left == {key} and not ready:
            return [name]
        if key in left:
            left.discard(key)
            left |= ready if not left else set()
        ready.add(name)
    return []
