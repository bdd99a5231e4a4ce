"""The recorder: a scenario's update runs through once, undisturbed, and its changing calls are its boundaries."""

from __future__ import annotations

from tests.crash.boundaries import Boundary, recorded
from tests.crash.scenarios import SCENARIOS
from tests.crash.world import Worlds


def recorded_boundaries(worlds: Worlds, scenario: str) -> list[Boundary]:
    """In the order of the run."""
    found = SCENARIOS[scenario]
    with worlds.new(*found.starts) as world:
        world.cloud.control.clear_calls()
        world.stack.up(found.after)
        return recorded(world.cloud.control.calls(mutating_only=True))
