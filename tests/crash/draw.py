"""Seeds: each draws a case from the recorded boundaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tests.crash.boundaries import Boundary
from tests.crash.case import VICTIMS, Case
from tests.crash.continuations import CONTINUATIONS
from tests.crash.scenarios import SCENARIOS

Boundaries = Callable[[str], Sequence[Boundary]]


def drawn(seed: int, boundaries: Boundaries) -> Case:
    """The case of a seed: all of it is drawn."""
    draw = Random(seed)
    scenario = draw.choice(sorted(SCENARIOS))
    boundary = draw.choice(boundaries(scenario))
    return Case(scenario, boundary, draw.choice(VICTIMS), draw.choice(sorted(CONTINUATIONS)), seed)


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
