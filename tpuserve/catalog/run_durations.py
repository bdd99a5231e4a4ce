"""How long a request's slices run before they are taken away: RunDuration of the discovery document tpu.v2alpha1."""

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import Fault, Unknown
from tpuserve.catalog.numbers import seconds
from tpuserve.catalog.tiers import FLEX_START
from tpuserve.catalog.times import moment

# docs.cloud.google.com/tpu/docs/request-using-flex-start: "for a duration of up to 7 days"
LONGEST_FLEX_START = 7 * 86400


def check_run_duration(model: str | Unknown | None, run: Mapping[str, Any] | Unknown | None) -> Fault | None:
    """What is wrong with how long slices of that provisioning model are to run; the path is below the request."""
    if not isinstance(run, Mapping):
        return None
    longest = run.get("maxRunDuration")
    if longest is None and run.get("terminationTime") is None:
        return Fault("runDuration", "says nothing; give maxRunDuration or terminationTime, or leave it out")
    asked = seconds(longest)
    if asked == 0:
        return Fault("runDuration.maxRunDuration", f"{longest!r} is no time at all; give more than 0s")
    if asked is not None and model == FLEX_START and asked > LONGEST_FLEX_START:
        most = f"{LONGEST_FLEX_START}s, which is 7 days"
        return Fault("runDuration.maxRunDuration", f"{longest!r} is too long for flex-start; allowed: at most {most}")
    return None


def check_run_not_over(run: Mapping[str, Any] | None, now: float) -> tuple[str, str] | None:
    """Why slices would be taken away at once: the run ended before `now` (seconds since 1970)."""
    end = (run or {}).get("terminationTime")
    last = moment(end)
    if last is None or last > now * 10**9:
        return None
    return "terminationTime", f"{end} has passed: the slices would be taken away at once; give a later time"
