"""Machine types with TPU chips on which Vertex AI deploys models."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import listed

ACCELERATOR_FIELDS = ("acceleratorType", "acceleratorCount")
"""Fields of `MachineSpec` that name an accelerator beside a machine type."""


@dataclass(frozen=True, slots=True)
class MachineType:
    """One machine type, such as `ct6e-standard-1t`."""

    name: str
    generation: str
    chips: int
    topology: str
    source: str
    date: str


@cache
def machine_types() -> dict[str, MachineType]:
    """Every TPU machine type of Vertex AI, by name."""
    return {name: MachineType(name=name, **row) for name, row in table("machine_types").items()}


def machine_type(name: object) -> MachineType | None:
    """The machine type of that name; none for an unknown value or one without TPU chips."""
    return machine_types().get(name) if isinstance(name, str) else None


def chips(count: int) -> str:
    """`1 chip`, `4 chips`."""
    return f"{count} chip{'' if count == 1 else 's'}"


def check_machine_type(value: str | Unknown) -> str | None:
    """Why `value` is no TPU machine type of Vertex AI."""
    if isinstance(value, Unknown) or machine_type(value):
        return None
    allowed = listed((f"{known.name} ({chips(known.chips)})" for known in machine_types().values()), "or")
    return f"{value!r} is not a TPU machine type of Vertex AI; use {allowed}"


def check_accelerator_fields(machine: str | Unknown, present: Iterable[str]) -> str | None:
    """Why fields that name an accelerator cannot stand beside a TPU machine type.

    `present` holds the fields that are given, in the caller's spelling.
    """
    found, fields = machine_type(machine), list(present)
    if not found or not fields:
        return None
    return (
        f"{listed(fields)} cannot be given beside {found.name!r}: its {chips(found.chips)} "
        f"{'is' if found.chips == 1 else 'are'} part of the machine type; remove {listed(fields)}"
    )
