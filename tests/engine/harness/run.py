"""One run of the engine's command line: its output as it comes, its end, its events, and ways to end it early."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.engine.harness import processes

RUNS = itertools.count()
COLOUR = re.compile("<{%.*?%}>")
LONGEST = 120.0
"""Seconds that any run may take."""


class EngineFailedError(AssertionError):
    """A run that should have succeeded did not, or the other way round; the message is all of its output."""


@dataclass(frozen=True)
class Run:
    """A run that has ended."""

    code: int
    output: str
    event_log: Path

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """The engine's own events."""
        text = self.event_log.read_text(encoding="utf-8") if self.event_log.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What the engine set out to do, in order: operation and name of the resource; what stays as it is left out."""
        metas = [event["resourcePreEvent"]["metadata"] for event in self.events if "resourcePreEvent" in event]
        return [(meta["op"], _name(meta["urn"])) for meta in metas if meta["op"] not in ("same", "refresh")]

    def diff(self, name: str) -> dict[str, str]:
        """The detailed diff of one resource: path -> kind."""
        metas = [event["resourcePreEvent"]["metadata"] for event in self.events if "resourcePreEvent" in event]
        details = [meta.get("detailedDiff") or {} for meta in metas if _name(meta["urn"]) == name]
        return {path: found["diffKind"] for detail in details for path, found in detail.items()}

    @property
    def errors(self) -> list[str]:
        """Messages of severity error, whole, without colours."""
        found = [event["diagnosticEvent"] for event in self.events if "diagnosticEvent" in event]
        return [COLOUR.sub("", item["message"]).strip() for item in found if item["severity"] == "error"]


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


class Running:
    """A run that goes on. `pid` is the engine's."""

    def __init__(
        self, arguments: Sequence[str], folder: Path, environ: Mapping[str, str], end: Callable[[], None] | None
    ) -> None:
        self.event_log = folder / f"events-{next(RUNS)}.json"  # of this run alone: it is read after others too
        self.event_log.unlink(missing_ok=True)
        self._end, self._lines = end, threading.Condition()
        self._output: list[str] = []
        self._process = subprocess.Popen(
            [*arguments, "--event-log", str(self.event_log)],
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # its group is what Ctrl-C in a terminal reaches
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def output(self) -> str:
        """What it has said so far."""
        return "".join(self._output)

    def plugins(self) -> list[int]:
        """The provider processes that it has started."""
        return processes.plugins(self.pid)

    def until(self, text: str, seconds: float = LONGEST) -> None:
        """Waits for words in its output; an error with all of it if it ends without them."""
        with self._lines:
            self._lines.wait_for(lambda: text in self.output or not self._reader.is_alive(), seconds)
        if text not in self.output:
            raise EngineFailedError(f"{text!r} is not in:\n{self.output}")

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.send(signal.SIGINT)

    def send(self, number: int) -> None:
        """A signal to the engine and everything in its group."""
        os.killpg(self.pid, number)

    def kill(self) -> Run:
        """SIGKILL to the engine alone; its plugins are left to find out."""
        self._process.kill()
        return self.wait()

    def kill_all(self) -> Run:
        """SIGKILL to the engine and its plugins, as a machine that goes down."""
        left = [self.pid, *processes.descendants(self.pid)]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run = self.wait()
        assert processes.gone(left, 5)
        return run

    def ended(self, seconds: float) -> Run:
        """Its end, if that comes within so many seconds; else TimeoutError."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        return self.wait()

    def wait(self, seconds: float = LONGEST) -> Run:
        """Its end."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise EngineFailedError(f"not done after {seconds} s:\n{self.output}") from None
        finally:
            if self._end:
                self._end()
        self._reader.join()
        return Run(code, self.output, self.event_log)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                with self._lines:
                    self._output.append(line)
                    self._lines.notify_all()
        with self._lines:
            self._lines.notify_all()
