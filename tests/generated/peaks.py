"""One change of a stack: what the report foretells of its chips, and what the emulator's quotas counted meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.generated import in_process
from tests.generated.metered import Key, Metered
from tests.generated.peak_stacks import Args, Case, Declared
from tests.generated.world import World
from tests.report import streams
from tests.wire import programs
from tests.wire.programs import ENDPOINT
from tpuserve.provider.engine import Engine
from tpuserve.provider.server import Provider
from tpuserve.report import events
from tpuserve.report.report import report
from tpuserve.testing import CheckFailedError, Stack, State, urn_of
from tpuserve.testing.stack import SOME


@dataclass(frozen=True)
class Peaks:
    """What a change was foretold to come to, and came to."""

    foretold: Counter[Key]
    passing: int
    """Quotas of which more is held for a while than there is before and after."""


async def world() -> World:
    """A plugin beside an emulator that is metered."""
    wire = in_process.wire(Provider(Engine()))
    given = {"project": programs.PROJECT, "location": programs.LOCATION, "zone": programs.ZONE}
    await wire.configure(**given, ownerId=programs.OWNER)
    assert wire.provider is not None
    google = Metered()
    wire.provider.google = google
    return World(wire, google)


async def compared(made: World, case: Case) -> Peaks | None:
    """The peaks, once each is what was counted; None where Check refuses a program.

    Raises AssertionError where the report foretells another peak than there is in the worst order of steps, or a lower
    one than there is in any. The change is brought about once resource by resource, which tells how far each has to
    come for its worst moment, and once for each quota with all of them there at the same time.
    """
    google = made.google
    assert isinstance(google, Metered)
    try:
        stack = await _first(made, case)
        foretold = Counter({key: chips for key, chips in (await _foretold(stack, case)).items() if chips})
    except CheckFailedError:
        return None
    google.begin()
    before = google.used()
    await google.one_by_one(_steps(stack, case))
    courses, ends = google.courses, google.used()
    assert google.seen <= foretold, f"one by one {google.seen}, and foretold {foretold}"
    assert set(foretold) <= set(google.seen), f"foretold {foretold}, and {google.seen} are charged at all"
    for key in foretold:
        stack = await _first(made, case)
        google.begin({name: course.worst(key) for name, course in courses.items() if name})
        await google.at_once(_steps(stack, case))
        assert google.seen[key] == foretold[key], f"{key}: {google.seen[key]} seen, {foretold[key]} foretold"
        assert google.seen <= foretold, f"{key} at its worst {google.seen}, and foretold {foretold}"
    return Peaks(foretold, sum(chips > max(before[key], ends[key]) for key, chips in foretold.items()))


async def ended(made: World) -> None:
    """Nothing of the emulator runs any more."""
    assert isinstance(made.google, Metered)
    made.google.core.servers.abandon()
    await asyncio.sleep(0)


async def _first(made: World, case: Case) -> Stack:
    """The first program, brought about in a world of its own."""
    assert isinstance(made.google, Metered)
    made.google.core.servers.abandon()
    made.google.begin()
    await made.begin_anew()
    stack = Stack(made.wire)
    for letter in "gh":
        await stack.up(ENDPOINT, letter, {"displayName": letter, "endpointId": f"place-{letter}"})
    for each in case:
        if each.first is not None:
            await stack.up(each.token, each.name, each.first)
    stack.new_run()
    return stack


def _steps(stack: Stack, case: Case) -> dict[str, Any]:
    """What an update does for each resource."""
    return {each.name: _step(stack, each) for each in case if each.first or each.second}


async def _step(stack: Stack, each: Declared) -> None:
    urn = urn_of(each.token, each.name)
    if each.second is None:
        await stack.wire.delete(urn, stack.states[urn])
    else:
        await stack._up(each.token, each.name, each.second, urn)


async def _foretold(stack: Stack, case: Case) -> dict[Key, int]:
    """The peaks in the report on the preview, as the plugin answers the engine in one."""
    told = [event for each in case for event in await _events(stack, each)]
    made = report(events.read(streams.lines([*told, streams.END])))
    assert not made.not_counted, made.not_counted
    peaks: Counter[Key] = Counter()
    for row in made.capacity:
        if row.quota:
            peaks[row.quota, row.place] += row.peak.chips
    stack.new_run()
    return peaks


async def _events(stack: Stack, each: Declared) -> list[streams.Event]:
    urn = urn_of(each.token, each.name)
    old = stack.states.get(urn)
    if each.second is None:
        return [streams.step("delete", each.token, each.name, old.inputs)] if old else []
    inputs = await stack.wire.checked(urn, each.second, old)
    if old is None:
        return [streams.step("create", each.token, each.name, new=inputs)]
    return list(_changed(each, old, inputs, await stack.wire.diff(urn, old, inputs)))


def _changed(each: Declared, old: State, inputs: Args, diff: Any) -> Iterator[streams.Event]:
    kinds = diff.DESCRIPTOR.file.message_types_by_name["PropertyDiff"].enum_types_by_name["Kind"].values_by_number
    paths = {path: kinds[found.kind].name.lower().replace("_", "-") for path, found in diff.detailedDiff.items()}
    if diff.replaces:
        first = "delete" if diff.deleteBeforeReplace else "create"
        yield from streams.replaced(first, each.token, each.name, old.inputs, inputs, diff=paths)
    else:
        operation = "update" if diff.changes == SOME else "same"
        yield streams.step(operation, each.token, each.name, old.inputs, inputs, diff=paths)
