"""A real browser for tests: Debian's chromium, headless, steered over a pipe by its DevTools protocol."""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((path for name in _NAMES if (path := shutil.which(name))), "")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no user namespaces
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--metrics-recording-only",
    # what a browser asks its maker for by itself has no address to go to
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)


class Page:
    """One tab. `said` holds what the page complained of: console errors, exceptions, files that did not load."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._numbers, self._buffer, self._session = itertools.count(1), b"", ""
        self._events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    @property
    def said(self) -> list[str]:
        self.ask("Runtime.evaluate", expression="0")
        return [json.dumps(event["params"]) for event in self._events if _is_complaint(event)]

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer; what else arrives is kept."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            self._events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, url: str, width: int, scheme: str = "light") -> None:
        """A page in a window of that width, for a reader who likes it light or dark; returns when it has loaded."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.forget()
        self.ask("Page.navigate", url=url)
        self.until_event("Page.loadEventFired")

    def forget(self) -> None:
        """The events so far are not waited for, nor complained of."""
        self._events.clear()

    def until_event(self, method: str) -> None:
        while not any(event.get("method") == method for event in self._events):
            self._events.append(self._next())

    def run(self, script: str) -> Any:
        """The value of an expression; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        """The whole page, as a PNG."""
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(b64decode(shot["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._answers, 1 << 20)
            assert piece, "the browser ended"
            self._buffer += piece
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


@contextlib.contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A browser with a fresh profile, until the block ends."""
    commands_read, commands = os.pipe()
    answers, answers_write = os.pipe()

    # the protocol's descriptors are fixed: 3 is read, 4 is written
    shell = ["bash", "-c", f'exec "$@" 3<&{commands_read} 4>&{answers_write}', "bash"]
    process = subprocess.Popen(
        [*shell, CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(commands_read, answers_write),
    )
    os.close(commands_read)
    os.close(answers_write)
    try:
        yield Page(commands, answers)
    finally:
        os.write(commands, b'{"id": 0, "method": "Browser.close"}\0')
        process.wait(timeout=30)
        os.close(commands)
        os.close(answers)


def _is_complaint(event: dict[str, Any]) -> bool:
    method, params = event.get("method"), event.get("params", {})
    return (
        method == "Runtime.exceptionThrown"
        or (method == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning", "assert"})
        or (method == "Log.entryAdded" and params["entry"]["level"] in {"error", "warning"})
    )
