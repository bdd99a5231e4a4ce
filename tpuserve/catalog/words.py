"""The few turns of phrase that every message shares."""

from collections.abc import Iterable


def listed(values: Iterable[object], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *head, tail = [str(value) for value in values] or ["none"]
    return f"{', '.join(head)} {last} {tail}" if head else tail


def nearest(value: str, allowed: Iterable[str], count: int = 3) -> list[str]:
    """The allowed values spelled most like the one given, nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415

    return get_close_matches(value, list(allowed), n=count, cutoff=0.6)


def did_you_mean(value: str, allowed: Iterable[str]) -> str:
    """`; did you mean X?`, or nothing where no allowed value is spelled alike."""
    match = nearest(value, allowed, count=1)
    return f"; did you mean {match[0]}?" if match else ""
