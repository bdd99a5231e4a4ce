"""Accelerator types of the Cloud TPU API: the shape of one slice."""

from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.generations import generation
from tpuserve.catalog.tables import table
from tpuserve.catalog.words import listed, nearest


@dataclass(frozen=True, slots=True)
class AcceleratorType:
    """One accelerator type, such as `v6e-8`."""

    name: str
    generation: str
    topology: str
    """Chips along each dimension, such as `2x4`."""
    machine_type: str
    hosts: int
    chips: int
    source: str
    date: str

    @property
    def family(self) -> str:
        """What comes before the number: `v6e`, `v5litepod`."""
        return self.name.rsplit("-", 1)[0]


@cache
def accelerator_types() -> dict[str, AcceleratorType]:
    """Every accelerator type in the catalog, by name."""
    return {name: AcceleratorType(name=name, **row) for name, row in table("accelerator_types").items()}


def accelerator_type(name: object) -> AcceleratorType | None:
    """The accelerator type of that name; none for an unknown value or an unknown name."""
    return accelerator_types().get(name) if isinstance(name, str) else None


def check_accelerator_type(value: str | Unknown) -> str | None:
    """Why `value` is no accelerator type that this project knows, with the nearest that is."""
    if isinstance(value, Unknown) or accelerator_type(value):
        return None
    near = _nearest_types(str(value))
    hint = f"; nearest: {listed(near, 'or')}" if near else ""
    return f"{value!r} is not an accelerator type{hint}; allowed: {listed(accelerator_types())}"


def _nearest_types(value: str) -> list[str]:
    family, _, size = value.rpartition("-")
    same = [known for known in accelerator_types().values() if known.family == family]
    if not same or not size.isdigit():
        return nearest(value, accelerator_types(), count=2)
    below = [known.name for known in same if known.chips < int(size)][-1:]
    above = [known.name for known in same if known.chips > int(size)][:1]
    return below + above


def title_of(kind: AcceleratorType) -> str:
    """The generation's name as Google writes it."""
    found = generation(kind.generation)
    return found.title if found else kind.generation
