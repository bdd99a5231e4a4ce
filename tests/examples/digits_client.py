"""A client of the sample model server, and the server on a free port of the loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple

from examples.digits.http_server import DigitsServer, Routes
from examples.digits.service import Service


class Answer(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str]


def ask(port: int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
    """One request on a connection of its own; a body that is no bytes is sent as JSON."""
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, content, headers or {})
        response = connection.getresponse()
        return Answer(response.status, json.loads(response.read()), dict(response.getheaders()))
    finally:
        connection.close()


@contextmanager
def listening(service: Service) -> Iterator[int]:
    """The port on which this service is served."""
    with DigitsServer(("127.0.0.1", 0), service, Routes("/health", "/predict")) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
