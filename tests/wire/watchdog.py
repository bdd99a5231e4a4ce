"""How long an event loop does not come to what is due."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

BEAT = 0.005  # seconds between two looks
SCHEDULING = Path("/proc/thread-self/schedstat")  # proc(5): time on a processor, time that it waited for one, in ns


@dataclass
class Watchdog:
    """`lags`: seconds by which each look came late, less what the thread waited for a processor."""

    lags: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The lag that this share of the looks does not pass."""
        return sorted(self.lags)[min(int(share * len(self.lags)), len(self.lags) - 1)]

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            began, waited = time.perf_counter(), _waited()
            await asyncio.sleep(BEAT)
            late = time.perf_counter() - began - BEAT
            self.lags.append(max(late - (_waited() - waited), 0.0))


def _waited() -> float:
    try:
        return int(SCHEDULING.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


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
