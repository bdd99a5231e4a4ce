"""HTTP/1.1 on 127.0.0.1, plain or with TLS: bytes to requests and back, by h11. One request a connection at a time."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import h11

from tpuserve.emulator.errors import ApiError
from tpuserve.emulator.rest.answers import Answer

# (method, target, headers in lower case, body) -> answer
Answered = Callable[[str, str, Mapping[str, str], bytes], Awaitable[Answer]]
_LARGEST = 64 * 2**20  # bytes of a body


class Connection(asyncio.Protocol):
    """One client's connection. Its request is cancelled when the client goes away."""

    def __init__(self, answered: Answered, open_ones: "set[Connection]") -> None:
        self._answered, self._open = answered, open_ones
        self._http = h11.Connection(h11.SERVER)
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        self._http.receive_data(data)
        self._proceed()

    def eof_received(self) -> None:
        self._http.receive_data(b"")
        self._proceed()

    def close(self) -> None:
        self._transport.close()

    def _proceed(self) -> None:
        try:
            while self._task is None and self._take(self._http.next_event()):
                pass
        except h11.RemoteProtocolError as error:
            self._refuse(error.error_status_hint, str(error))

    def _take(self, event: object) -> bool:
        """Whether there may be more to take."""
        if isinstance(event, h11.Request):
            self._request, self._body = event, bytearray()
            if self._http.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
        elif isinstance(event, h11.Data):
            self._body += event.data
            if len(self._body) > _LARGEST:
                self._refuse(413, f"a body has at most {_LARGEST} bytes")
                return False
        elif isinstance(event, h11.EndOfMessage):
            self._task = asyncio.get_running_loop().create_task(self._answer())
            return False
        elif isinstance(event, h11.ConnectionClosed):
            self._transport.close()
            return False
        return event is not h11.NEED_DATA and event is not h11.PAUSED

    async def _answer(self) -> None:
        request = self._request
        assert request is not None
        headers = {name.decode(): value.decode("latin-1") for name, value in request.headers}
        answer = await self._answered(
            request.method.decode(), request.target.decode("latin-1"), headers, bytes(self._body)
        )
        if answer.cut:
            self._cut(answer)
            return
        await self._respond(answer)
        self._task = None
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            self._proceed()
        else:
            self._transport.close()

    async def _respond(self, answer: Answer) -> None:
        """The answer; one that fails after its head was sent is cut off, which a client sees as no end of it."""
        length = ("Transfer-Encoding", "chunked") if answer.more else ("Content-Length", str(len(answer.body)))
        self._send(h11.Response(status_code=answer.status, headers=[*answer.headers.items(), length]))
        self._send(h11.Data(data=answer.body))
        try:
            async for part in answer.more or _nothing():
                self._send(h11.Data(data=part))
        except ApiError:
            self._transport.close()
            return
        self._send(h11.EndOfMessage())

    def _cut(self, answer: Answer) -> None:
        if not answer.body:
            self._transport.abort()
            return
        headers = [*answer.headers.items(), ("Content-Length", str(len(answer.body)))]
        self._send(h11.Response(status_code=answer.status, headers=headers))
        self._send(h11.Data(data=answer.body[: len(answer.body) // 2]))
        self._transport.close()

    def _refuse(self, status: int, why: str) -> None:
        """What is no HTTP is answered once, and the connection ends."""
        if self._http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = f"{why}\n".encode()
            head = [("Content-Type", "text/plain"), ("Connection", "close"), ("Content-Length", str(len(body)))]
            self._send(h11.Response(status_code=status, headers=head))
            self._send(h11.Data(data=body))
            self._send(h11.EndOfMessage())
        self._transport.close()

    def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)  # pyright: ignore[reportArgumentType, reportCallIssue]
        if data:
            self._transport.write(data)


async def _nothing() -> AsyncIterator[bytes]:
    for part in ():
        yield part


class HttpServer:
    """A server that is started, and ends with all its connections."""

    def __init__(self, server: asyncio.Server, open_ones: set[Connection]) -> None:
        self._server, self._open = server, open_ones
        self.port = int(server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        self._server.close()
        for connection in list(self._open):
            connection.close()
        await self._server.wait_closed()


async def serving(answered: Answered, port: int, tls: ssl.SSLContext | None = None) -> HttpServer:
    """A started server; port 0 takes a free one."""
    open_ones: set[Connection] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(answered, open_ones), "127.0.0.1", port, ssl=tls)
    return HttpServer(server, open_ones)
