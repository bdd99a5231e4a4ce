"""What a user may do after a crash. Each says which program is wanted in the end."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.crash.programs import NOTHING, Program
from tests.crash.scenarios import Scenario
from tests.crash.world import World

Continuation = Callable[[World, Scenario, Random], Program]


def _same(world: World, scenario: Scenario, _: Random) -> Program:
    world.stack.up(scenario.after)
    return scenario.after


def _changed(world: World, scenario: Scenario, _: Random) -> Program:
    world.stack.up(scenario.changed)
    return scenario.changed


def _previous(world: World, scenario: Scenario, _: Random) -> Program:
    world.stack.up(scenario.before)
    return scenario.before


def _destroy(world: World, _: Scenario, __: Random) -> Program:
    world.stack.destroy()
    return NOTHING


def _taint(world: World, scenario: Scenario, draw: Random) -> Program:
    for urn in _one(world, draw):
        world.stack.command("state", "taint", urn, "--yes")
    world.stack.up(scenario.after)
    return scenario.after


def _replace(world: World, scenario: Scenario, draw: Random) -> Program:
    forced = [word for urn in _one(world, draw) for word in ("--replace", urn)]
    world.stack.up(scenario.after, *forced)
    return scenario.after


def _refresh(world: World, scenario: Scenario, _: Random) -> Program:
    world.stack.refresh()
    world.stack.up(scenario.after)
    return scenario.after


def _one(world: World, draw: Random) -> list[str]:
    """One resource of the state; none where the state has none."""
    urns = world.urns()
    return [draw.choice(urns)] if urns else []


CONTINUATIONS: dict[str, Continuation] = {
    "same": _same,
    "changed": _changed,
    "previous": _previous,
    "destroy": _destroy,
    "taint": _taint,
    "replace": _replace,
    "refresh": _refresh,
}
# After these the program that was killed is wanted again: it must find all it made, with no help.
WITHOUT_ORPHANS = ("same", "taint", "replace", "refresh")
