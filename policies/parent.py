"""The pack ends with the engine that started it: a killed engine would leave it running for ever."""

import os
import threading
import time

WATCH = 1.0  # seconds between two looks


def end_with_parent() -> None:
    """Watch the parent from a thread, since the pack's server never returns; end this process when it is gone."""
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)
