"""What may stand between a client and the emulator: a TLS front, a token server, a proxy; and answers that get lost."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio

from tpuserve.emulator.control import METHOD as CONTROL

FORWARDED = ("x-goog-user-project", "authorization")


@dataclass
class Front(grpc.GenericRpcHandler):
    """Passes every call on to the emulator, as bytes; `seen` has each call's method and headers."""

    channel: grpc.aio.Channel
    address: str = ""
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    stalled: set[str] = field(default_factory=set)
    """Methods that are never answered."""
    truncated: set[str] = field(default_factory=set)
    """Methods of whose answers half is lost."""

    def service(self, handler_call_details: Any) -> Any:
        path = handler_call_details.method
        name = path.rpartition("/")[2]

        async def answer(request: bytes, context: Any) -> bytes:
            headers = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
            if path != CONTROL:
                self.seen.append((name, headers))
            if name in self.stalled:
                await asyncio.Event().wait()
            kept = tuple((key, headers[key]) for key in FORWARDED if key in headers)
            rpc: Any = self.channel.unary_unary(path, _same, _same)
            try:
                whole = await rpc(request, metadata=kept)
            except grpc.aio.AioRpcError as error:
                trailing: Any = error.trailing_metadata() or ()
                await context.abort(error.code(), error.details(), tuple(trailing))
                raise
            return whole[: len(whole) // 2] if name in self.truncated else whole

        return grpc.unary_unary_rpc_method_handler(answer)


def _same(message: bytes) -> bytes:
    return message


@contextlib.asynccontextmanager
async def front(emulator: str, server: tuple[Path, Path] | None = None) -> AsyncIterator[Front]:
    """A front of the emulator, with TLS where a server's key and certificate are given."""
    async with grpc.aio.insecure_channel(emulator) as channel:
        handler, listening = Front(channel), grpc.aio.server()
        listening.add_generic_rpc_handlers((handler,))
        if server is None:
            port = listening.add_insecure_port("127.0.0.1:0")
        else:
            pair = server[0].read_bytes(), server[1].read_bytes()
            port = listening.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([pair]))
        handler.address = f"127.0.0.1:{port}"
        await listening.start()
        try:
            yield handler
        finally:
            await listening.stop(0)


@dataclass
class TokenServer:
    """The Service Account Credentials API, as far as impersonation asks it."""

    url: str
    asked: list[tuple[str, str, dict[str, Any]]]
    """Path, authorization and body of each request."""


@contextlib.contextmanager
def token_server(token: str, server: tuple[Path, Path], status: int = 200) -> Iterator[TokenServer]:
    """Gives out one token over TLS; with another `status` it refuses."""
    asked: list[tuple[str, str, dict[str, Any]]] = []
    answer = {"accessToken": token, "expireTime": "2999-01-01T00:00:00Z"}
    refusal = {"error": {"code": status, "message": "Permission 'iam.serviceAccounts.getAccessToken' denied"}}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers["Authorization"], body))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer if status == 200 else refusal).encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing on the screen."""

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server[1], server[0])
    listening.socket = context.wrap_socket(listening.socket, server_side=True)
    threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield TokenServer(f"https://localhost:{listening.server_address[1]}", asked)
    finally:
        listening.shutdown()
        listening.server_close()


@contextlib.asynccontextmanager
async def proxy(address: str) -> AsyncIterator[tuple[str, list[str]]]:
    """An HTTP proxy that leads every CONNECT to `address`: its URL, and what was asked for."""
    asked: list[str] = []
    host, _, port = address.rpartition(":")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.split("\r\n", maxsplit=1)[0])
        there = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_pump(reader, there[1]), _pump(there[0], writer))

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", asked


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()
