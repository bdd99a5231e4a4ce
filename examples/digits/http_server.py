"""The service on a socket: one thread a connection, JSON in and out."""

from __future__ import annotations

import json
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .log import log
from .service import Reply, Service, State

MAX_BODY_BYTES = 1_048_576  # 1,024 pictures take about a third of this
IDLE_SECONDS = 60.0


class Routes(NamedTuple):
    """Paths of the two routes."""

    health: str
    predict: str


class DigitsServer(ThreadingHTTPServer):
    """Listens as soon as it is made; `server_address[1]` is the port."""

    daemon_threads = True  # an idle connection must not keep a drained server alive
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: Service, routes: Routes) -> None:
        """Listen on `address`; port 0 takes a free one."""
        super().__init__(address, partial(Handler, service, routes))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is one line of the log, not a traceback."""
        log.info("connection of %s: %s", client_address, sys.exception())


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "digits"
    sys_version = ""
    timeout = IDLE_SECONDS
    wbufsize = -1  # status, headers and body leave in one packet
    disable_nagle_algorithm = True
    error_content_type = "application/json"
    error_message_format = '{"error": "%(message)s"}'

    def __init__(self, service: Service, routes: Routes, *args: Any) -> None:
        """Handle the requests of one connection, as the base class does."""
        self._service, self._routes = service, routes
        super().__init__(*args)

    def do_GET(self) -> None:
        """Health."""
        self._answer(self._service.health if self._path == self._routes.health else None, "GET")

    def do_POST(self) -> None:
        """Predictions."""
        body, refusal = self._read_body()
        if refusal is not None:
            self.close_connection = True
            self._send(refusal)
            return
        with self._service.underway():
            self._answer(partial(self._service.predict, body) if self._path == self._routes.predict else None, "POST")
            self.wfile.flush()  # an answer counts as given once it has left

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests that went well are not logged."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """What the base class has to say goes to this example's log."""
        log.info(format, *args)

    @property
    def _path(self) -> str:
        return urlsplit(self.path).path

    def _answer(self, action: Any, method: str) -> None:
        if action is None:
            self._send(self._no_route(method))
            return
        try:
            self._send(action())
        except OSError:
            raise
        except Exception:
            log.exception("%s %s failed", method, self._path)
            self._send(Reply(500, {"error": "the model failed; its log has the reason"}))

    def _no_route(self, method: str) -> Reply:
        if self._path in self._routes:
            return Reply(405, {"error": f"{method} {self._path}: {'POST' if method == 'GET' else 'GET'} is needed"})
        return Reply(404, {"error": f"{self._path}: no such path; {', '.join(self._routes)} are served"})

    def _read_body(self) -> tuple[bytes, Reply | None]:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            return b"", Reply(411, {"error": "Content-Length is needed"})
        if int(length) > MAX_BODY_BYTES:
            self._discard(int(length))
            return b"", Reply(413, {"error": f"a body of {length} bytes; at most {MAX_BODY_BYTES} are allowed"})
        return self.rfile.read(int(length)), None

    def _discard(self, length: int) -> None:
        """Read a body that is too large, within reason: who is still sending does not see an answer."""
        left = min(length, 4 * MAX_BODY_BYTES)
        while left > 0 and (chunk := self.rfile.read(min(left, 65536))):
            left -= len(chunk)

    def _send(self, reply: Reply) -> None:
        content = json.dumps(reply.body, allow_nan=False).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection or self._service.state is State.DRAINING:
            self.send_header("Connection", "close")
        if reply.status == 405:
            self.send_header("Allow", "GET" if self._path == self._routes.health else "POST")
        self.end_headers()
        self.wfile.write(content)
