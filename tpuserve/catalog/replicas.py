"""Replica counts of a deployed model."""

from collections.abc import Mapping, Sequence
from typing import Literal

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.numbers import INT32, whole_number

Which = Literal["min", "max", "required"]
Count = int | Unknown | None


def check_replicas(minimum: Count, maximum: Count = None, required: Count = None) -> list[tuple[Which, str]]:
    """What is wrong with the replica counts of one deployed model; None stands for one that is left out.

    At least 1 (the v1 API has no scale to zero), max not below min (left out: as min), required not above max.
    """
    given: dict[Which, Count] = {"min": minimum, "max": maximum, "required": required}
    faults: list[tuple[Which, str]] = [(which, text) for which, value in given.items() if (text := _check_count(value))]
    if faults:
        return faults
    return _check_max(minimum, maximum) + _check_required(minimum, maximum, required)


def _check_count(value: Count) -> str | None:
    if value is None or isinstance(value, Unknown):
        return None
    count = whole_number(value)
    if count is None or count < 1:
        return f"{value!r} is not a replica count; give a whole number from 1"
    return None if count <= INT32 else f"{value!r} is too many; give at most {INT32}"


def _check_max(minimum: Count, maximum: Count) -> list[tuple[Which, str]]:
    if not isinstance(minimum, int | float) or not isinstance(maximum, int | float) or maximum >= minimum:
        return []
    message = f"{maximum:.0f} is below the minimum of {minimum:.0f}; give at least {minimum:.0f}, or lower the minimum"
    return [("max", message)]


def _check_required(minimum: Count, maximum: Count, required: Count) -> list[tuple[Which, str]]:
    limit = minimum if maximum is None else maximum
    if not isinstance(limit, int | float) or not isinstance(required, int | float) or required <= limit:
        return []
    message = f"{required:.0f} can never be available: at most {limit:.0f} run; give at most {limit:.0f}"
    return [("required", message)]


def check_metrics(metrics: Sequence[object]) -> list[str]:
    """What is wrong with the metrics that replicas follow: one twice, or a target that is no percentage.

    Sources: DedicatedResources.autoscaling_metric_specs ("At most one entry is allowed per metric");
    AutoscalingMetricSpec.target ("1% - 100%").
    """
    known = [metric for metric in metrics if isinstance(metric, Mapping)]
    names = [name for metric in known if isinstance(name := metric.get("metricName"), str)]
    twice = [name for name in sorted(set(names)) if names.count(name) > 1]
    targets = [target for metric in known if isinstance(target := metric.get("target"), int | float)]
    faults = [f"{name!r} stands there twice; give each metric once" for name in twice]
    return faults + [
        f"{value!r} is not a target; give 1 to 100 (percent)" for value in targets if not 1 <= value <= 100
    ]
