"""Waiting until something holds, looked at whenever what it depends on has changed."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable

from tpuserve.emulator.clock import Clock


class Changes:
    """Who waits, by what may change: a resource's name, or a word such as `capacity`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def tell(self, key: str) -> None:
        for event in self._waiting.get(key, ()):
            event.set()

    def tell_all(self) -> None:
        for key in list(self._waiting):
            self.tell(key)

    async def until(self, key: str, holds: Callable[[], bool], latest: float = float("inf")) -> None:
        """Returns when it holds, or at that moment by the clock."""
        event = asyncio.Event()
        self._waiting[key].add(event)
        try:
            while not holds() and self._clock.now() < latest:
                event.clear()
                await self._either(event, latest)
        finally:
            self._waiting[key].discard(event)
            if not self._waiting[key]:
                del self._waiting[key]

    async def _either(self, event: asyncio.Event, latest: float) -> None:
        if latest == float("inf"):
            await event.wait()
            return
        tasks = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(self._clock.until(latest))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
