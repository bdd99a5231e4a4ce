"""Accelerator types of the Cloud TPU API: the shape of one slice."""

from dataclasses import dataclass
from functools import cache

from tpuserve.catalog.faults import Unknown
from tpuserve.catalog.generations import generation, generations
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
    family, _, size = str(value).rpartition("-")
    same = [kind for kind in accelerator_types().values() if kind.family == family]
    sized = bool(same) and size.isdecimal()
    near = _neighbours(same, int(size)) if sized else nearest(str(value), accelerator_types(), count=2)
    hint = f"; nearest: {listed(near, 'or')}" if near else ""
    allowed = listed((kind.name for kind in same) if same else accelerator_types())
    return f"{value!r} is not an accelerator type{hint}; allowed: {allowed}"


def accelerator_of_config(config_type: object, topology: object) -> AcceleratorType | None:
    """The accelerator type that `AcceleratorConfig` names by type and topology, such as `V6E` and `2x4`."""
    return next((kind for kind in _of_config_type(config_type) if kind.topology == topology), None)


def check_topology(config_type: str | Unknown, topology: str | Unknown) -> str | None:
    """Why no slice of that `AcceleratorConfig.Type` has that topology."""
    kinds = _of_config_type(config_type)
    if isinstance(topology, Unknown) or not kinds or any(kind.topology == topology for kind in kinds):
        return None
    turned = "x".join(reversed(str(topology).split("x")))
    hint = f"; did you mean {turned}?" if any(kind.topology == turned for kind in kinds) else ""
    allowed = listed(f"{kind.topology} ({kind.name})" for kind in kinds)
    return f"{topology!r} is not a topology of {title_of(kinds[0])}{hint}; allowed: {allowed}"


def _of_config_type(config_type: object) -> list[AcceleratorType]:
    names = {found.name for found in generations().values() if found.accelerator == config_type}
    return [kind for kind in accelerator_types().values() if kind.generation in names]


def _neighbours(kinds: list[AcceleratorType], chips: int) -> list[str]:
    """The next smaller and the next larger type of a family."""
    below = [kind.name for kind in kinds if kind.chips < chips][-1:]
    above = [kind.name for kind in kinds if kind.chips > chips][:1]
    return below + above


def title_of(kind: AcceleratorType) -> str:
    """The generation's name as Google writes it."""
    found = generation(kind.generation)
    return found.title if found else kind.generation
