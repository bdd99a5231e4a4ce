"""What a lifecycle is given for one request of the engine: who asks, where Google is, how to wait and how to stop."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tpuserve.google import Google, Patience
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.ownership import Identity
from tpuserve.provider.values import Path

T = TypeVar("T")
Say = Callable[[str, bool], Awaitable[None]]


class Cancelled(Exception):  # noqa: N818 - not an error: the user stopped the run
    """The engine asked for a stop (Ctrl-C)."""


class TimedOut(Exception):  # noqa: N818
    """The time given to one resource (`customTimeouts`, or the default) is over."""


class ResourceError(Exception):
    """A failure that a user can do something about: a whole message, shown without a traceback."""


@dataclass(slots=True)
class Draft:
    """What is true so far of the object being made; the engine keeps it if the rest fails."""

    id: str = ""
    """Set from the moment at which the object may exist."""
    outputs: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Call:
    """One request of the engine."""

    urn: str
    config: ProviderConfig
    google: Google
    say: Say
    """Shows a line; the second argument says whether only until the next one."""
    cancelled: asyncio.Event
    timeout: float
    """Seconds for all of it."""
    secrets: frozenset[Path] = frozenset()
    """Where in the inputs a secret stands."""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    """Seconds since 1970, for times that an argument names."""
    draft: Draft = field(default_factory=Draft)
    started: float = 0.0
    shown: str = ""
    patience: Patience = field(default_factory=Patience)
    """Of each request to Google."""
    running: list[str] = field(default_factory=list)
    """Names of the operations that this request waits for."""

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def name(self) -> str:
        return self.urn.rsplit("::", 1)[-1]

    def identity(self, origin: str | None = None) -> Identity:
        """This stack, and what the object was first created for: `origin` from its state, else this URN."""
        return Identity(self.config.owner_id, origin or self.urn)

    async def status(self, line: str) -> None:
        """A line for as long as the wait goes on; the same line again shows nothing new."""
        if line != self.shown:
            self.shown = line
            await self.say(line, True)

    async def race(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for `work`, for a stop or for the end of the time, whichever comes first."""
        if self.cancelled.is_set():
            work.close()
            raise Cancelled
        task = asyncio.ensure_future(work)
        stop = asyncio.ensure_future(self.cancelled.wait())
        left = self.timeout - (self.clock() - self.started)
        try:
            await asyncio.wait({task, stop}, timeout=max(left, 0.0), return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Cancelled if stop.done() else TimedOut
        finally:
            task.cancel()
            stop.cancel()

    async def cloud(
        self,
        method: str,
        request: dict[str, Any],
        location: str = "",
        patience: Patience | None = None,
        *,
        rest: bool = False,
    ) -> dict[str, Any]:
        """One request to Google that a stop interrupts."""
        return await self.race(self.google.call(method, request, location, patience or self.patience, rest=rest))

    async def pause(self, seconds: float) -> None:
        """Sleep, unless stopped."""
        await self.race(asyncio.sleep(seconds))

    async def poll_pause(self, since: float) -> None:
        """Sleep 5 % of the time since `since`, between 1 s and 15 s, with 20 % jitter (the first second: 0.1 s)."""
        elapsed = self.clock() - since
        seconds = 0.1 if elapsed < 1 else min(max(0.05 * elapsed, 1.0), 15.0)
        await self.pause(seconds * random.uniform(0.8, 1.2))  # noqa: S311 - jitter, no secret

    def elapsed(self) -> str:
        """Time since the request began, for people: `3 min 20 s`."""
        seconds = int(self.clock() - self.started)
        return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
