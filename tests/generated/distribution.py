"""What a run of cases was made of: how many had what, and which arguments never came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.generated.cases import Case
from tests.generated.values import NEVER
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.fields import Shape

HARD = "several, model and split"
ENOUGH = 0.3
"""Share of cases that must have several variants and a change of model and split."""


@dataclass
class Distribution:
    """Counts over all cases of a run."""

    cases: int = 0
    traits: Counter[str] = field(default_factory=Counter)
    arguments: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case) -> None:
        self.cases += 1
        self.traits.update(case.traits)
        shape = LIFECYCLES[case.token].definition.shape
        self.arguments.update({name for args in (case.first, case.second) for name in given(shape, args)})

    def merge(self, other: Distribution) -> None:
        self.cases += other.cases
        self.traits += other.traits
        self.arguments += other.arguments

    @property
    def share(self) -> float:
        """Of the cases that are hard."""
        return self.traits[HARD] / self.cases if self.cases else 0.0

    def missing(self) -> list[str]:
        """Arguments that exist and never came."""
        shapes = (lifecycle.definition.shape for lifecycle in LIFECYCLES.values())
        return sorted({name for shape in shapes for name in known(shape)} - set(self.arguments) - set(NEVER))


def given(shape: Shape, value: Any) -> Iterator[str]:
    """`<TypedDict>.<argument>` of each that a value has, at any depth."""
    if shape.kind == "object" and isinstance(value, Mapping):
        assert shape.typed_dict is not None
        for wire, argument in shape.by_wire().items():
            if wire in value:
                yield f"{shape.typed_dict.__name__}.{wire}"
                yield from given(argument.shape, value[wire])
    elif shape.item and isinstance(value, (Mapping, list)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from given(shape.item, item)


def known(shape: Shape) -> Iterator[str]:
    """The same of each that exists; what is below one that a case never gives is not asked for."""
    for argument in shape.arguments:
        assert shape.typed_dict is not None
        name = f"{shape.typed_dict.__name__}.{argument.wire}"
        yield name
        if name not in NEVER or name == "DeploymentArgs.deployedModels":
            for below in (argument.shape, argument.shape.item):
                yield from known(below) if below and below.kind == "object" else ()
