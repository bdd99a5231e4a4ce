"""Traffic splits: shares of an endpoint's requests by variant name."""

from collections.abc import Collection, Mapping

from tpuserve.catalog.faults import Unknown, all_known
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
