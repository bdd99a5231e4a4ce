"""Collections: several slices of one shape, requested together and kept available together."""

from typing import Literal, get_args

from tpuserve.catalog.accelerators import accelerator_type, title_of
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.generations import generation
from tpuserve.catalog.numbers import check_count, whole_number

WorkloadType = Literal["AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED"]
WORKLOAD_TYPES: tuple[str, ...] = get_args(WorkloadType)
COLLECTION: WorkloadType = "AVAILABILITY_OPTIMIZED"

Which = Literal["node_count", "accelerator_type", "workload_type"]


def normalize_workload_type(value: str) -> str:
    """The API's own spelling: `availability-optimized` and `AVAILABILITY-OPTIMIZED` are AVAILABILITY_OPTIMIZED.

    The documentation writes hyphens and the API takes underscores; what is neither comes back unchanged.
    """
    spelled = value.upper().replace("-", "_")
    return spelled if spelled in WORKLOAD_TYPES else value


def check_collection(
    node_count: int | Unknown, accelerator: str | Unknown, workload_type: str | Unknown | None
) -> list[tuple[Which, str]]:
    """What keeps these three from being one request for several nodes; each fault with the value it is about."""
    faults: list[tuple[Which, str]] = []
    if message := _check_node_count(node_count):
        faults.append(("node_count", message))
    if message := _check_workload_type(workload_type):
        faults.append(("workload_type", message))
    elif isinstance(workload_type, str) and (message := _check_generation(accelerator, workload_type)):
        faults.append(("accelerator_type", message))
    return faults


def _check_node_count(value: int | Unknown) -> str | None:
    if isinstance(value, Unknown):
        return None
    count = whole_number(value)
    if count is None:
        return f"{value!r} is not a number of slices; give a whole number of at least 2"
    if count < 2:
        return (
            f"{count} is too few: several slices in one request are at least 2; give 2 or more "
            "(a single slice is a QueuedResource with a nodeId)"
        )
    return check_count(count)


def _check_workload_type(value: str | Unknown | None) -> str | None:
    if value is None or isinstance(value, Unknown) or normalize_workload_type(value) in WORKLOAD_TYPES:
        return None
    return f"{value!r} is not a workload type; use {' or '.join(WORKLOAD_TYPES)}"


def _check_generation(accelerator: str | Unknown, workload_type: str) -> str | None:
    kind = accelerator_type(accelerator)
    found = generation(kind.generation) if kind else None
    if normalize_workload_type(workload_type) != COLLECTION or not kind or not found or found.collections:
        return None
    return (
        f"{kind.name!r} is {title_of(kind)}, and collections (workload type {COLLECTION}) exist for Trillium (v6e) "
        "only; use a v6e type, or leave the workload type out"
    )
