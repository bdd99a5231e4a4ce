"""Traffic splits: shares of an endpoint's requests by variant name."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from tpuserve.catalog.faults import Unknown, all_known
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.numbers import whole_number
from tpuserve.catalog.words import did_you_mean, listed

Split = Mapping[str, int | Unknown]


def check_traffic_split(
    split: Split | Unknown | None, variants: Collection[str] | Unknown, foreign_ok: bool = True
) -> str | None:
    """Why requests cannot be shared so; None as `split` stands for one that is left out.

    A key of digits is the id of a deployed model of someone else, if `foreign_ok`. Unknown shares and unknown
    variants are left unchecked.
    """
    if isinstance(split, Unknown):
        return None
    if split is None:
        return _check_left_out(variants)
    faults = [*_check_keys(split, variants, foreign_ok), *_check_shares(split)]
    return "; ".join(faults) if faults else None


def check_split_by_id(text: str | Unknown, private: bool = False) -> str | None:
    """Why `text` is no split as the bridged provider takes it: JSON, from ids of deployed models to shares; or `{}`.

    `private` tells that the endpoint is reached by private services access.
    """
    if isinstance(text, Unknown):
        return None
    split = _read_json(text)
    if not isinstance(split, Mapping):
        return f"{text!r} is not a split; give JSON from the ids of deployed models to shares that sum to 100, or {{}}"
    keys = [message for key in split if (message := check_resource_id("deployedModelId", key))]
    if split and private:
        return "an endpoint with network is reached by private services access and has no traffic split: leave it out"
    faults = [*keys, *(_check_shares(split) if split else ())]
    return "; ".join(faults) if faults else None


def check_private_traffic(
    variants: Collection[str] | Unknown, split: Split | Unknown | None, endpoint: str
) -> list[tuple[str, str]]:
    """What an endpoint that is reached by private services access cannot serve; each fault with its argument.

    `endpoint` names it in the message. Source: PrivateEndpoint of the Vertex AI SDK: no traffic split, one deployed
    model at most.
    """
    what = f"{endpoint} is reached by private services access"
    if isinstance(variants, Unknown):
        return []
    if len(variants) > 1:
        return [("deployedModels", f"{what}, where one variant serves: remove others than one")]
    if split is None or isinstance(split, Unknown) or not all_known(*split.values()):
        return []
    given = {key: share for key, share in split.items() if share != 0}
    if given in ({}, dict.fromkeys(variants, 100)):
        return []
    return [("trafficSplit", f"{what}, which has no traffic split: leave it out")]


def _read_json(text: object) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def _check_left_out(variants: Collection[str] | Unknown) -> str | None:
    if isinstance(variants, Unknown) or len(variants) < 2:
        return None
    return f"left out, and there are several variants ({listed(variants)}); give each its share, 100 in all"


def _check_keys(split: Split, variants: Collection[str] | Unknown, foreign_ok: bool) -> list[str]:
    if isinstance(variants, Unknown):
        return []
    strangers = [key for key in split if key not in variants and not (foreign_ok and key.isdecimal())]
    return [f"{key!r} is not a variant; variants: {listed(variants)}{did_you_mean(key, variants)}" for key in strangers]


def _check_shares(split: Split) -> list[str]:
    faults = [
        f"{share!r} for {key!r} is not a share; give a whole number from 0 to 100"
        for key, share in split.items()
        if not isinstance(share, Unknown) and not _is_share(share)
    ]
    return faults or _check_sum(split)


def _is_share(share: object) -> bool:
    number = whole_number(share)
    return number is not None and 0 <= number <= 100


def _check_sum(split: Split) -> list[str]:
    if not all_known(*split.values()):
        return []
    total = sum(int(share) for share in split.values() if not isinstance(share, Unknown))
    shares = " + ".join(f"{key} {share:.0f}" for key, share in split.items() if not isinstance(share, Unknown))
    return [] if total == 100 else [f"{shares or 'empty'} sums to {total}; shares must sum to 100"]
