"""An emulator whose own quota counter is read after every call, and that can hold calls back."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from tests.generated.direct import Direct
from tpuserve.emulator.quota.quotas import Quotas
from tpuserve.google import Patience

Key = tuple[str, str]
"""A quota and the place in which it is counted."""
READING = ("Get", "List", "Wait")
RESOURCE: ContextVar[str] = ContextVar("RESOURCE", default="")
"""For which resource the calls of this task are made."""


@dataclass
class Course:
    """What one resource's steps came to, run alone."""

    calls: int = 0
    """Those that change something."""
    levels: list[Counter[Key]] = field(default_factory=list)
    """Chips after none of them, one of them ..., beyond what there was before; the highest of each."""

    def worst(self, key: Key) -> int:
        """After how many calls the most of it is held, for the first time."""
        amounts = [level[key] for level in self.levels]
        return amounts.index(max(amounts))


class Metered(Direct):
    """`seen` is the most that the counter said at any time since `begin`."""

    def __init__(self) -> None:
        self.courses: dict[str, Course] = {}
        self.seen: Counter[Key] = Counter()
        self._base: Counter[Key] | None = None
        self._most: Mapping[str, int] = {}
        self._held: set[str] = set()
        self._running: set[str] = set()
        self._go = asyncio.Event()
        super().__init__()

    def used(self) -> Counter[Key]:
        """What the emulator's quotas count now."""
        found: Counter[Key] = Counter()
        for (_, quota, place), chips in Quotas(self.core).used().items():
            found[quota, place] += chips
        return found

    def begin(self, most: Mapping[str, int] | None = None) -> None:
        """Of each resource let so many calls through that change something, until all have come that far."""
        self.courses, self.seen, self._most = {}, self.used(), most or {}
        self._held, self._running, self._go = set(), set(), asyncio.Event()

    async def one_by_one(self, steps: Mapping[str, Awaitable[Any]]) -> None:
        """Take the steps of one resource after those of another."""
        for name, step in steps.items():
            self.courses[name] = Course(levels=[Counter()])
            base = self.used()
            await self._of(name, step, base)

    async def at_once(self, steps: Mapping[str, Awaitable[Any]]) -> None:
        """Take all steps beside each other."""
        self._running = set(steps)
        await asyncio.gather(*(self._of(name, step, None) for name, step in steps.items()))

    async def _of(self, name: str, step: Awaitable[Any], base: Counter[Key] | None) -> None:
        async def run() -> None:
            RESOURCE.set(name)
            self._base = base
            await step

        try:
            await asyncio.create_task(run())
        finally:
            self._running.discard(name)
            self._look()

    async def call(
        self,
        name: str,
        request: Mapping[str, Any],
        location: str = "",
        patience: Patience | None = None,
        *,
        rest: bool = False,
    ) -> dict[str, Any]:
        """As Google's, once it may go on."""
        course = self.courses.setdefault(RESOURCE.get(), Course(levels=[Counter()]))
        if not name.startswith(READING):
            await self._turn(RESOURCE.get(), course)
            course.calls += 1
            course.levels.append(Counter())
        try:
            return await super().call(name, request, location, patience, rest=rest)
        finally:
            self._note(course)

    async def _turn(self, resource: str, course: Course) -> None:
        if resource in self._most and course.calls >= self._most[resource]:
            self._held.add(resource)
            self._look()
            await self._go.wait()

    def _look(self) -> None:
        if self._held >= self._running:
            self._go.set()

    def _note(self, course: Course) -> None:
        used = self.used()
        self.seen |= used
        if self._base is not None:
            more = Counter(used)
            more.subtract(self._base)
            course.levels[-1] |= more
