"""One reading for all who ask for the same thing at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], Coroutine[Any, Any, Any]]


@dataclass(slots=True)
class Together:
    """Who asks while the same is being read shares the next reading: what is found is never older than the question.

    A reading goes on when one of those who asked is stopped, for the others wait for it.
    """

    _running: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)
    _next: dict[Hashable, asyncio.Task[Any]] = field(default_factory=dict)

    async def read(self, key: Hashable, work: Work) -> Any:
        """What `work` finds; `key` says what is the same."""
        task = self._next.get(key)
        if task is None:
            before = self._running.get(key)
            task = asyncio.ensure_future(self._work(key, work, before))
            task.add_done_callback(_retrieved)
            (self._next if before else self._running)[key] = task
        return await asyncio.shield(task)

    async def _work(self, key: Hashable, work: Work, before: asyncio.Task | None) -> Any:
        if before:
            await asyncio.wait([before])
            self._running[key] = self._next.pop(key)
        try:
            return await work()
        finally:
            del self._running[key]

    async def close(self) -> None:
        """End what is being read."""
        tasks = [*self._running.values(), *self._next.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _retrieved(task: asyncio.Task[Any]) -> None:
    """A failure that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
