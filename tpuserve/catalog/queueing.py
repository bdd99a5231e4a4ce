"""Queueing policies: when a request for slices may be fulfilled. One timing constraint a request."""

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Unknown
from tpuserve.catalog.times import moment
from tpuserve.catalog.words import listed

# QueueingPolicy, oneof start_timing_constraints (google.cloud.tpu.v2alpha1)
CONSTRAINTS = ("validUntilDuration", "validUntilTime", "validAfterDuration", "validAfterTime", "validInterval")


def check_queueing_policy(policy: Mapping[str, Any] | Unknown | None) -> list[tuple[str, str]]:
    """What keeps a policy from being one constraint; each fault with its path below the policy."""
    if not isinstance(policy, Mapping):
        return []
    values = {name: policy.get(name) for name in CONSTRAINTS}
    given = [name for name, value in values.items() if value is not None and value is not UNKNOWN]
    if len(given) > 1:
        return [("", f"has {listed(given)}; give exactly one of {listed(CONSTRAINTS)}{_both_ends(given)}")]
    if not given and UNKNOWN not in values.values():
        return [("", f"says nothing; give exactly one of {listed(CONSTRAINTS)}, or leave the policy out")]
    return _check_interval(values["validInterval"])


def check_not_over(policy: Mapping[str, Any] | None, now: float) -> tuple[str, str] | None:
    """Why a request cannot be fulfilled any more: its window ended before `now` (seconds since 1970)."""
    given = policy or {}
    ends = {
        "validUntilTime": given.get("validUntilTime"),
        "validInterval.endTime": (given.get("validInterval") or {}).get("endTime"),
    }
    for path, end in ends.items():
        last = moment(end)
        if last is not None and last <= now * 10**9:
            return path, f"{end} has passed: the request would fail at once, and hold quota; give a later time"
    return None


def _both_ends(given: list[str]) -> str:
    begins, ends = (any(name.startswith(word) for name in given) for word in ("validAfter", "validUntil"))
    return "; a beginning and an end together are a validInterval" if begins and ends else ""


def _check_interval(interval: Any) -> list[tuple[str, str]]:
    """google.type.Interval: the start lies before the end, for else the interval is empty."""
    if not isinstance(interval, Mapping):
        return []
    start, end = interval.get("startTime"), interval.get("endTime")
    if start is None and end is None:
        return [("validInterval", "needs startTime, endTime or both")]
    first, last = moment(start), moment(end)
    if first is None or last is None or first < last:
        return []
    return [("validInterval.endTime", f"{end!r} is not after startTime {start!r}: no time lies between them")]
