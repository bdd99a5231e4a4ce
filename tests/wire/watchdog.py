"""How long an event loop does not come to what is due."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

BEAT = 0.005  # seconds between two looks
# proc(5), of each thread: time on a processor, time that it waited for one, in ns. Of all of them, for one that waits
# while it holds the interpreter's lock keeps the loop's from going on.
THREADS = Path("/proc/self/task")


@dataclass
class Watchdog:
    """`lags`: seconds by which each look came late, less what the process's threads waited for a processor."""

    lags: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The lag that this share of the looks does not pass."""
        return sorted(self.lags)[min(int(share * len(self.lags)), len(self.lags) - 1)]

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            began, before = time.perf_counter(), _waits()
            await asyncio.sleep(BEAT)
            late = time.perf_counter() - began - BEAT
            waited = sum(wait - before.get(thread, 0) for thread, wait in _waits().items()) / 1e9
            self.lags.append(max(late - waited, 0.0))


def _waits() -> dict[str, int]:
    """What each thread has waited until now."""
    found = {}
    for file in THREADS.glob("*/schedstat"):
        with contextlib.suppress(OSError):  # the thread has ended
            found[file.parent.name] = int(file.read_text().split()[1])
    return found


@contextlib.asynccontextmanager
async def watched() -> AsyncIterator[Watchdog]:
    """Watches the running loop for the length of the block."""
    watchdog = Watchdog()
    looking = asyncio.ensure_future(watchdog.run())
    try:
        yield watchdog
    finally:
        await asyncio.sleep(BEAT)  # the look that is due
        looking.cancel()
