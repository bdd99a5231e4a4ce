"""Blocking work beside the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_a_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises. Unlike `asyncio.to_thread` nobody waits for it where the process has to end."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except Exception as error:
            _tell(loop, done, lambda failed=error: done.set_exception(failed))
        else:
            _tell(loop, done, lambda: done.set_result(result))

    threading.Thread(target=run, daemon=True).start()
    return await done


def _tell(loop: asyncio.AbstractEventLoop, done: asyncio.Future[T], settle: Callable[[], None]) -> None:
    """Settles it on its loop, unless somebody has stopped waiting or the loop has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: None if done.done() else settle())
