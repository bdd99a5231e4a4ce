"""When a queued resource may get its nodes. Pure: a message in, moments out."""

from typing import Any, NamedTuple

from tpuserve.emulator.errors import invalid


class Window(NamedTuple):
    """Seconds since 1970 between which nodes may be created."""

    earliest: float
    latest: float


def window(queued_resource: Any) -> Window:
    """The window of a request. Source: QueueingPolicy; relative times count from the request's creation."""
    policy, created = queued_resource.queueing_policy, seconds(queued_resource.create_time)
    match policy.WhichOneof("start_timing_constraints"):
        case "valid_until_duration":
            return Window(created, created + seconds(policy.valid_until_duration))
        case "valid_until_time":
            return Window(created, seconds(policy.valid_until_time))
        case "valid_after_duration":
            return Window(created + seconds(policy.valid_after_duration), float("inf"))
        case "valid_after_time":
            return Window(seconds(policy.valid_after_time), float("inf"))
        case "valid_interval":
            return _of_interval(policy.valid_interval, created)
        case _:
            return Window(created, float("inf"))


def _of_interval(interval: Any, created: float) -> Window:
    """google.type.Interval: a side that is not given is open."""
    start = seconds(interval.start_time) if interval.HasField("start_time") else created
    return Window(start, seconds(interval.end_time) if interval.HasField("end_time") else float("inf"))


def check_interval(policy: Any, field: str) -> None:
    """google.type.Interval: "The start must be less than or equal to the end"."""
    found = policy.valid_interval
    if found.HasField("start_time") and found.HasField("end_time"):
        start, end = found.start_time, found.end_time
        if start.ToNanoseconds() > end.ToNanoseconds():
            raise invalid(f"{field}.valid_interval", f"{start.ToJsonString()} to {end.ToJsonString()}", "in order")


def seconds(message: Any) -> float:
    """A Timestamp since 1970, or a Duration."""
    return message.ToNanoseconds() / 1e9
