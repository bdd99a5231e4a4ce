"""How cases are drawn: a few, always the same, for every run of the tests; many, from a seed, for the long ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
FEW = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=_SLOW,
)


def many(count: int, start: int) -> Callable[[Any], Any]:
    """So many cases; what fails is not shrunk."""
    chosen = settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=_SLOW
    )
    return lambda test: seed(start)(chosen(test))
