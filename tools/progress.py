"""Lines for steps that take long: what is done, about how long it takes, how long it has taken so far."""

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

LIVE_SECONDS = 0.2
HEARTBEAT_SECONDS = 30.0


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 05 s`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def say(text: str, stream: TextIO | None = None) -> None:
    """One line, at once, beside whatever a command prints on standard output."""
    out = stream or sys.stderr
    out.write(f"{text}\n")
    out.flush()


def columns(stream: TextIO) -> int:
    """The width of the terminal behind a stream; of standard output's, or 80, where it tells none."""
    with contextlib.suppress(OSError, ValueError):
        if width := os.get_terminal_size(stream.fileno()).columns:
            return width
    return shutil.get_terminal_size().columns


def cut(label: str, ending: str, width: int) -> str:
    """`label` and `ending` in less than `width` characters: a line that wraps cannot be written over."""
    room = max(width - 1, 0)
    return f"{label[: max(room - len(ending), 0)]}{ending}"[:room]


@contextlib.contextmanager
def step(what: str, about: str = "", stream: TextIO | None = None) -> Iterator[None]:
    """Show one long step: a live line on a terminal; else a line at the start, one now and then, one at the end.

    `about` says how long the step is known to take, with the condition: `once, about 6 minutes on 2 cores`.
    """
    ticker = _Ticker(what, about, stream or sys.stderr)
    ticker.start()
    try:
        yield
    except BaseException:
        ticker.finish("failed after")
        raise
    ticker.finish("done in")


class _Ticker:
    def __init__(self, what: str, about: str, stream: TextIO) -> None:
        self._what, self._stream = what, stream
        self._label = f"{what} ({about})" if about else what
        self._live = stream.isatty()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._since = time.monotonic()

    def start(self) -> None:
        if not self._live:
            say(f"{self._label} ...", self._stream)
        self._thread.start()

    def finish(self, how: str) -> None:
        self._ended.set()
        self._thread.join()
        line = f"{self._what}: {how} {self._elapsed()}"
        say(f"\r\x1b[K{line}" if self._live else line, self._stream)

    def _elapsed(self) -> str:
        return duration(time.monotonic() - self._since)

    def _tick(self) -> None:
        while not self._ended.wait(LIVE_SECONDS if self._live else HEARTBEAT_SECONDS):
            if self._live:
                self._stream.write(f"\r\x1b[K{cut(self._label, f' ... {self._elapsed()}', columns(self._stream))}")
                self._stream.flush()
            else:
                say(f"{self._what}: still going after {self._elapsed()}", self._stream)
