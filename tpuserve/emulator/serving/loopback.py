"""Plain HTTP to a process on 127.0.0.1, blocking, for worker threads.

One connection a request: on one that is kept, a server that writes head and body apart answers 40 ms later (Nagle's
algorithm against the delayed acknowledgement).
"""

import asyncio
import contextlib
import errno
import http.client
import random
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from typing import NamedTuple

PORTS = range(20_000, 24_000)
"""Of model servers: below those that Linux gives to outgoing connections (from 32768), which might come first."""
_PIECE = 64 * 1024


class Question(NamedTuple):
    """A POST to a port of this machine, and the seconds that its answer may take."""

    port: int
    route: str
    body: bytes
    kind: str
    seconds: float


class Answer(NamedTuple):
    """A status, what kind of content it is, and the content, or a piece of it."""

    status: int
    kind: str
    body: bytes


def get_status(port: int, route: str, timeout: float, headers: dict[str, str] | None = None) -> int:
    """The status of a GET, or 0 where nobody answers."""
    try:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)) as connection:
            connection.request("GET", route, None, {"Connection": "close"} | (headers or {}))
            answer = connection.getresponse()
            answer.read()
            return answer.status
    except (OSError, http.client.HTTPException):
        return 0


def post(question: Question) -> Answer:
    """The answer; OSError or HTTPException where the process does not answer."""
    with contextlib.closing(_connected(question)) as connection, _posted(connection, question) as answer:
        return Answer(answer.status, answer.getheader("Content-Type", ""), answer.read())


async def stream(pool: Executor, question: Question) -> AsyncIterator[Answer]:
    """The answer in the pieces that arrive. A reader that goes away closes the connection."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[Answer | None] = asyncio.Queue()
    sockets: list[socket.socket] = []

    def put(piece: Answer | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody reads any more
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

    reading = loop.run_in_executor(pool, _read, question, sockets, put)
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        await reading
    finally:
        _shut(sockets)


def free_port(among: Sequence[int] = PORTS) -> int:
    """A port that nobody listens on now. Raises OSError where there is none."""
    for port in random.sample(among, len(among)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError(errno.EADDRINUSE, "no port is free for a model server")


def _read(question: Question, sockets: list[socket.socket], put: Callable[[Answer | None], None]) -> None:
    try:
        with contextlib.closing(_connected(question)) as connection:
            connection.connect()
            sockets.append(connection.sock)
            with _posted(connection, question) as answer:
                kind = answer.getheader("Content-Type", "")
                while piece := answer.read1(_PIECE):
                    put(Answer(answer.status, kind, piece))
                put(Answer(answer.status, kind, b""))
    finally:
        put(None)


def _connected(question: Question) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", question.port, timeout=question.seconds)


def _posted(connection: http.client.HTTPConnection, question: Question) -> http.client.HTTPResponse:
    connection.request("POST", question.route, question.body, {"Connection": "close", "Content-Type": question.kind})
    return connection.getresponse()


def _shut(sockets: list[socket.socket]) -> None:
    """Wakes a thread that still reads: a close alone would not."""
    for opened in sockets:
        with contextlib.suppress(OSError):
            opened.shutdown(socket.SHUT_RDWR)
