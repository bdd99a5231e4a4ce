"""Runtime versions of Cloud TPU VMs."""

from tpuserve.catalog.accelerators import accelerator_type
from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import listed


def runtimes_for(generation: str) -> tuple[str, ...]:
    """The runtime versions known for a generation; it may have others, since the full list was not read."""
    return tuple(name for name, row in table("runtimes").items() if row["generation"] == generation)


def check_runtime(accelerator: str | Unknown, runtime: str | Unknown) -> str | None:
    """Why a runtime version cannot boot an accelerator type: it is known to belong to another generation."""
    if isinstance(runtime, Unknown):
        return None
    if not runtime:
        return "'' is not a runtime version; a TPU VM needs one, such as v2-alpha-tpuv6e for v6e"
    kind, row = accelerator_type(accelerator), table("runtimes").get(runtime)
    if not kind or not row or row["generation"] == kind.generation:
        return None
    return (
        f"{runtime!r} is a runtime version for {row['generation']}, and {kind.name} is {kind.generation}; "
        f"use {listed(runtimes_for(kind.generation), 'or')}"
    )
