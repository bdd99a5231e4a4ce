"""By which model a request's nodes are provisioned, and how long they run: what tpu.v2alpha1's document alone knows.

Pure: the fields beside a queued resource in, an error or a time out. Sources: the schemas QueuedResource and
RunDuration of that document; docs.cloud.google.com/tpu/docs/request-using-flex-start.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from tpuserve.emulator.errors import invalid
from tpuserve.emulator.tpu.queueing import seconds

DOCUMENT = "tpu.v2alpha1"
FLEX_START = "FLEX_START"
LONGEST = 7 * 86400  # seconds; the page: "for a duration of up to 7 days"
_TIERS = ("spot", "guaranteed", "best_effort")
_MODEL, _MOST = "queued_resource.provisioning_model", "queued_resource.run_duration.max_run_duration"


def refuse(queued_resource: Any, beside: Mapping[str, Any]) -> None:
    """INVALID_ARGUMENT for a model that contradicts the rest of the request, or for a run that is too long.

    assumed: of the models FLEX_START alone excludes a tier and a reservation; gcloud sends STANDARD with `spot`, so
    that much is taken.
    """
    longest = _longest(beside)
    if longest is not None and longest <= 0:  # assumed
        raise invalid(_MOST, f"{longest:g}s", "more than 0")
    if model_of(beside) != FLEX_START:
        return
    others = [tier for tier in _TIERS if queued_resource.HasField(tier)]
    others += ["reservation_name"] if queued_resource.reservation_name else []
    if others:
        raise invalid(_MODEL, f"FLEX_START with {', '.join(others)}", "without a tier and without a reservation")
    if longest is not None and longest > LONGEST:
        raise invalid(_MOST, f"{longest:g}s", f"at most {LONGEST}s, which is 7 days")


def model_of(beside: Mapping[str, Any]) -> str:
    """The provisioning model; empty where none was given."""
    return str(beside.get("provisioningModel", ""))


def ends(beside: Mapping[str, Any], active: float) -> float | None:
    """When nodes that are there since `active` are taken away, in seconds since 1970; None: not by itself.

    assumed: the run counts from ACTIVE; the earlier one of a duration and a time; without either, flex-start ends
    after the longest run.
    """
    longest, time = _longest(beside), (beside.get("runDuration") or {}).get("terminationTime")
    found = [] if longest is None else [active + longest]
    if time is not None:
        moment = Timestamp()
        moment.FromJsonString(time)
        found.append(seconds(moment))
    if not found and model_of(beside) == FLEX_START:
        found.append(active + LONGEST)
    return min(found, default=None)


def _longest(beside: Mapping[str, Any]) -> float | None:
    given = (beside.get("runDuration") or {}).get("maxRunDuration")
    if given is None:
        return None
    duration = Duration()
    duration.FromJsonString(given)
    return seconds(duration)
