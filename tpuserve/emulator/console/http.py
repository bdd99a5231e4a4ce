"""As much of HTTP/1.1 as one page needs: GET and forms, on 127.0.0.1, one request a connection."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

_HEAD_LIMIT = 32 * 1024
_BODY_LIMIT = 64 * 1024
_PATIENCE = 10.0  # seconds in which a request must be there
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Connection": "close",
}


class Request(NamedTuple):
    """One request: path, query and form decoded, names of headers in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    form: Mapping[str, str] = {}


class Response(NamedTuple):
    """A status, and a body that is there or comes piece by piece."""

    status: int = 200
    kind: str = "text/html; charset=utf-8"
    body: bytes = b""
    pieces: AsyncIterator[bytes] | None = None
    headers: Mapping[str, str] = {}


class BadRequestError(Exception):
    """What arrived is no request that this server takes."""


Handler = Callable[[Request], Awaitable[Response]]


async def serving(handler: Handler, port: int) -> tuple[asyncio.Server, int]:
    """A started server on 127.0.0.1 and its port. Requests that another site's page makes are refused."""
    allowed: set[str] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # cancelled at the end of the emulator: whoever still listens to changes need not be told as an error
        with contextlib.suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await _answered(handler, allowed, reader, writer)
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=_HEAD_LIMIT)
    bound = int(server.sockets[0].getsockname()[1])
    allowed.update((f"127.0.0.1:{bound}", f"localhost:{bound}"))
    return server, bound


async def _answered(
    handler: Handler, allowed: set[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        request = await asyncio.wait_for(_read(reader), _PATIENCE)
        response = await handler(request) if _is_own(request, allowed) else _plain(403, "Only this page may ask.\n")
    except BadRequestError as error:
        response = _plain(400, f"{error}\n")
    writer.write(_head(response))
    writer.write(response.body)
    await writer.drain()
    if response.pieces is not None:
        async with contextlib.aclosing(response.pieces) as pieces:  # pyright: ignore[reportArgumentType]
            async for piece in pieces:
                writer.write(piece)
                await writer.drain()


def _is_own(request: Request, allowed: set[str]) -> bool:
    """A name that merely resolves to this machine, or a form on another site's page, is not this page."""
    if request.headers.get("host", "") not in allowed:
        return False
    origin = request.headers.get("origin")
    return request.method == "GET" or origin is None or origin.removeprefix("http://") in allowed


async def _read(reader: asyncio.StreamReader) -> Request:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.LimitOverrunError:
        raise BadRequestError("the head of the request is too long") from None
    line, *rest = head.split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or words[0] not in {"GET", "POST"}:
        raise BadRequestError("GET and POST are served")
    headers = {name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in rest if one)}
    target = urlsplit(words[1])
    query = dict(parse_qsl(target.query))
    return Request(words[0], target.path, query, headers, await _form(reader, headers))


async def _form(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> dict[str, str]:
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > _BODY_LIMIT:
        raise BadRequestError("a form of at most 64 KiB is taken")
    return dict(parse_qsl((await reader.readexactly(int(length))).decode(errors="replace"), keep_blank_values=True))


def _plain(status: int, text: str) -> Response:
    return Response(status, "text/plain; charset=utf-8", text.encode())


def _head(response: Response) -> bytes:
    length = {} if response.pieces is not None else {"Content-Length": str(len(response.body))}
    headers = {"Content-Type": response.kind, **HEADERS, **length, **response.headers}
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode()
