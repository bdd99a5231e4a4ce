"""Numbers as they arrive: from Python, from YAML or from the engine, which knows floating point only."""

import re

from tpuserve.catalog.faults import Unknown

LONGEST = 315_576_000_000  # seconds: google.protobuf.Duration spans about 10,000 years
INT32 = 2**31 - 1
_DURATION = re.compile(r"(\d{1,12})(\.\d{1,9})?s")


def whole_number(value: object) -> int | None:
    """The value as an integer; none for a string, a truth value or a fraction."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None


def seconds(value: object) -> float | None:
    """Seconds in a duration such as `3600s`; none if it is no duration."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(match[0][:-1]) if match else None


def check_duration(value: str | Unknown, at_most: float | None = None) -> str | None:
    """Why `value` is no duration as Google's APIs write one; `at_most` is in seconds."""
    if isinstance(value, Unknown):
        return None
    length = seconds(value)
    if length is None:
        return f"{value!r} is not a duration; give seconds followed by s, such as 3600s"
    most = LONGEST if at_most is None else at_most
    return f"{value!r} is too long; allowed: at most {most:.0f}s" if length > most else None


def check_port(value: int | Unknown) -> str | None:
    """Why `value` is no port number."""
    if isinstance(value, Unknown):
        return None
    port = whole_number(value)
    return None if port is not None and 1 <= port <= 65535 else f"{value!r} is not a port; give 1 to 65535"


def check_count(value: int | Unknown) -> str | None:
    """Why `value` is no number of things: 1 to what a field of 32 bits holds."""
    if isinstance(value, Unknown):
        return None
    count = whole_number(value)
    return None if count is not None and 1 <= count <= INT32 else f"{value!r} is not a count; give 1 to {INT32}"
