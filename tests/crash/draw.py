"""Seeds: each draws a case from the recorded boundaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from tests.crash.boundaries import Boundary
from tests.crash.case import VICTIMS, Case
from tests.crash.continuations import CONTINUATIONS
from tests.crash.scenarios import SCENARIOS

T = TypeVar("T")
Boundaries = Callable[[str], Sequence[Boundary]]


def drawn(seed: int, boundaries: Boundaries) -> Case:
    """The case of a seed: its boundary is drawn; what has few values goes round, so that ten seeds meet them all."""
    draw = Random(seed)
    scenario = _turn(sorted(SCENARIOS), seed)
    boundary = draw.choice(sorted(boundaries(scenario)))
    return Case(scenario, boundary, _turn(VICTIMS, seed), _turn(sorted(CONTINUATIONS), seed), seed)


def _turn(values: Sequence[T], seed: int) -> T:
    return values[seed % len(values)]


def every(boundaries: Boundaries, seed: int = 0) -> list[Case]:
    """Each boundary of each scenario with each continuation once; victim and forced resource are drawn."""
    draw = Random(seed)
    return [
        Case(scenario, boundary, draw.choice(VICTIMS), continuation, draw.randrange(1000))
        for scenario in SCENARIOS
        for boundary in sorted(boundaries(scenario))
        for continuation in CONTINUATIONS
    ]


def shuffled(cases: Sequence[Case], seed: int = 0) -> list[Case]:
    """In an order that comes past every scenario early."""
    return Random(seed).sample(cases, len(cases))
