"""What the page's server answers: the page, its changes as they happen, and commands of the control API."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import quote, unquote

from tpuserve.emulator.console import page
from tpuserve.emulator.console.http import Request, Response

Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
_LOOK = 0.5  # seconds between two looks whether the page has changed
_FILES = {"/style.css": "text/css; charset=utf-8", "/script.js": "text/javascript; charset=utf-8"}
Fields = Mapping[str, Any]
Asked = tuple[str, dict[str, Any]]


def _as_it_is(command: str) -> Callable[[Fields], Asked]:
    return lambda fields: (command, dict(fields))


def _planned(what: str) -> Callable[[Fields], Asked]:
    """A form's fault as the control API takes it."""
    return lambda fields: ("plan", {"faults": [{"what": what, **fields}]})


# the commands that the page has forms for, each with what the control API is asked
COMMANDS: Mapping[str, Callable[[Fields], Asked]] = {
    "fail": _planned("call"),
    "fail_operation": _planned("operation"),
    **{
        name: _as_it_is(name)
        for name in ("hold", "release", "clear_faults", "kill", "preempt", "maintain", "advance", "reset")
    },
}
_NUMBERS: Mapping[str, Callable[[str], Any]] = {"times": int, "seconds": float}


class Console:
    """The console of one emulator. `ask` carries a command of the control API out and answers result or error.

    `addresses`: where each face is served, empty where it is not.
    """

    def __init__(self, ask: Ask, addresses: Mapping[str, str], methods: Iterable[str]) -> None:
        self._ask, self._addresses, self._methods = ask, addresses, tuple(methods)

    async def answer(self, request: Request) -> Response:
        if request.method == "POST":
            return await self._command(request)
        if request.path in _FILES:
            return Response(kind=_FILES[request.path], body=_file(request.path[1:]))
        if request.path == "/events":
            return Response(kind="text/event-stream", pieces=self._changes())
        if request.path == "/logs":
            return await self._logs(request.query.get("name", ""))
        if request.path != "/":
            return Response(404, "text/plain; charset=utf-8", b"There is one page: /\n")
        return await self._page(unquote(request.query.get("error", "")))

    async def _page(self, error: str = "", status: int = 200) -> Response:
        return Response(status, body=page.page(await self._status(), self._addresses, self._methods, error).encode())

    async def _status(self) -> dict[str, Any]:
        return (await self._ask("status", {}))["result"]

    async def _command(self, request: Request) -> Response:
        """Carried out, then the page again; a fault is shown on the page."""
        command = request.path.removeprefix("/control/")
        if command not in COMMANDS:
            return Response(404, "text/plain; charset=utf-8", b"The page has no such command.\n")
        try:
            given = {key: _NUMBERS.get(key, str)(value) for key, value in request.form.items()}
        except ValueError as error:
            return _back(f"{command}: {error}")
        answer = await self._ask(*COMMANDS[command](given))
        return _back(answer.get("error", ""))

    async def _logs(self, name: str) -> Response:
        answer = await self._ask("logs", {"name": name})
        if "error" in answer:
            return await self._page(answer["error"], 404)
        return Response(body=page.log_page(name, answer["result"]).encode())

    async def _changes(self) -> AsyncIterator[bytes]:
        """Server-sent events: the sections that have changed, as JSON from their ids to their HTML."""
        shown: dict[str, str] = {}
        while True:
            now: Mapping[str, str] = page.sections(await self._status())
            changed = {key: html for key, html in now.items() if shown.get(key) != html}
            shown = dict(now)
            yield f"data: {json.dumps(changed)}\n\n".encode() if changed else b": \n\n"
            await asyncio.sleep(_LOOK)


def _file(name: str) -> bytes:
    return files("tpuserve.emulator.console").joinpath(name).read_bytes()


def _back(error: str) -> Response:
    return Response(303, headers={"Location": f"/?error={quote(error)}" if error else "/"})
