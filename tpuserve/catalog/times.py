"""Moments as Google's APIs write them (RFC 3339)."""

import re
from datetime import datetime

from tpuserve.catalog.faults import Unknown

EARLIEST, LATEST = -62_135_596_800, 253_402_300_799  # seconds: google.protobuf.Timestamp has the years 1 to 9999
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)")


def moment(value: object) -> int | None:
    """Nanoseconds since 1970 of a time such as `2026-12-01T08:00:00Z`; none if it is no time."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if not match:
        return None
    try:
        whole = int(datetime.fromisoformat(match[1] + match[3].replace("Z", "+00:00")).timestamp())
    except (ValueError, OverflowError):
        return None
    return whole * 10**9 + int((match[2] or "").ljust(9, "0")) if EARLIEST <= whole <= LATEST else None


def check_time(value: str | Unknown) -> str | None:
    """Why `value` is no time as Google's APIs write one."""
    if isinstance(value, Unknown) or moment(value) is not None:
        return None
    return f"{value!r} is not a time; give RFC 3339 with a zone, such as 2026-12-01T08:00:00Z"
