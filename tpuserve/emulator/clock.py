"""Time as something that is handed in: the machine's, or one that moves only when a test says so."""

import asyncio
import heapq
import itertools
import math
import time
from typing import Protocol

from google.protobuf.timestamp_pb2 import Timestamp

LAST = 221_845_392_000.0
"""The year 9000: time that is moved by hand, or moves by itself, goes no further, and what waits for later waits for
ever, so that all that is made has moments that a Timestamp can say."""
_FURTHEST = 253_402_300_799  # google/protobuf/timestamp.proto: 9999-12-31T23:59:59Z


class Clock(Protocol):
    """What the emulator asks of time: seconds since 1970, and to be woken at a moment."""

    def now(self) -> float: ...

    async def until(self, moment: float) -> None: ...


class RealClock:
    """The machine's own time, or one that goes so many times as fast from the start on."""

    def __init__(self, speed: float = 1.0) -> None:
        self._speed, self._start = speed, time.time()

    def now(self) -> float:
        return self._start + (time.time() - self._start) * self._speed

    async def until(self, moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - self.now()) / self._speed)


class VirtualClock:
    """Time that stands still until `advance`; sleepers wake in the order of their moments."""

    def __init__(self, start: float | None = None) -> None:
        self._now = time.time() if start is None else start
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> float:
        return self._now

    async def until(self, moment: float) -> None:
        if moment <= self._now:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (moment, next(self._order), future))
        await future

    def next(self) -> float | None:
        """The moment of the next sleeper, None where nobody sleeps."""
        while self._sleepers and self._sleepers[0][2].done():
            heapq.heappop(self._sleepers)
        return self._sleepers[0][0] if self._sleepers else None

    async def advance(self, seconds: float) -> None:
        """Moves time on; whoever wakes runs, and may sleep again, before time moves further. ValueError beyond LAST."""
        if not 0 <= seconds <= LAST - self._now:
            raise ValueError(f"seconds: got {seconds}; must be 0 or more, and not lead beyond the year 9000")
        target = self._now + seconds
        await _settle()
        while self._sleepers and self._sleepers[0][0] <= target:
            moment, _, future = heapq.heappop(self._sleepers)
            self._now = max(self._now, moment)
            if not future.done():
                future.set_result(None)
            await _settle()
        self._now = target


class InstantClock(VirtualClock):
    """Time that goes on to the next moment that somebody waits for as soon as there is nothing else to do."""

    def __init__(self) -> None:
        super().__init__()
        self._going: asyncio.Task[None] | None = None

    async def until(self, moment: float) -> None:
        waiting = asyncio.ensure_future(super().until(moment))
        if self._going is None or self._going.done():
            self._going = asyncio.get_running_loop().create_task(self._go())
        try:
            await waiting
        finally:
            waiting.cancel()

    async def _go(self) -> None:
        await _settle()
        while (moment := self.next()) is not None and moment <= LAST:
            await self.advance(max(0.0, moment - self.now()))


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def timestamp(moment: float) -> Timestamp:
    """A moment as Google's message, to the microsecond; never later, or what has begun would be still to come. One
    that the message cannot say is the furthest that it can."""
    moment = min(moment, _FURTHEST)
    micros = math.floor(moment * 1_000_000)
    micros -= micros * 1000 / 1e9 > moment  # the product may have been rounded up
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)
