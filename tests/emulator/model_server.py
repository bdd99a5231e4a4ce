"""A model server of the least kind, started by tests in place of a container: `python model_server.py TAG`."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SICK: list[bool] = []
GO = threading.Event()


class Handler(BaseHTTPRequestHandler):
    """Answers each instance with the tag; some words as instances make it do something else, see ORDERS."""

    def do_GET(self) -> None:
        known = self.path == os.environ.get("AIP_HEALTH_ROUTE", "/health")
        self._send(503 if SICK else 200 if known else 404, {})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Type", "").startswith("text/"):
            self._echo(content)
            return
        body = json.loads(content)
        order = next((item for item in body["instances"] if isinstance(item, str) and item in ORDERS), None)
        if order is not None:
            ORDERS[order](self)
            return
        answered = {"tag": sys.argv[1], "parameters": body.get("parameters")}
        self._send(200, {"predictions": [answered | {"instance": item} for item in body["instances"]]})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """The test reads what the server writes itself."""

    def answer(self, prediction: object) -> None:
        self._send(200, {"predictions": [prediction]})

    def _echo(self, content: bytes) -> None:
        """Raw content comes back, of `held ...` the first byte and the rest when somebody says `go`."""
        self.send_response(400 if content == b"refuse" else 200)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.end_headers()
        self.wfile.write(content[:1])
        self.wfile.flush()
        if content.startswith(b"held"):
            GO.wait(20)
        self.wfile.write(content[1:])

    def _send(self, status: int, body: dict[str, object]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def fall_sick(self) -> None:
        SICK.append(True)
        self.answer("sick")

    def go(self) -> None:
        GO.set()
        self.answer("gone")

    def say(self, said: bytes) -> None:
        """These bytes for an HTTP response."""
        self.wfile.write(said)
        self.close_connection = True

    def start_child(self) -> None:
        code = "import time; time.sleep(600)"
        self.answer(subprocess.Popen([sys.executable, "-c", code]).pid)


def said(predictions: bytes) -> bytes:
    """An HTTP response that says so many predictions, whatever they are."""
    body = b'{"predictions": ' + predictions + b"}"
    return b"HTTP/1.1 200 OK\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body


ORDERS: dict[str, Any] = {
    "fail": lambda handler: handler._send(503, {"error": "overloaded"}),
    "wrong": lambda handler: handler._send(200, {"answers": []}),
    "environment": lambda handler: handler.answer(dict(os.environ)),
    "pid": lambda handler: handler.answer(os.getpid()),
    "exit": lambda _: os._exit(3),
    "sick": Handler.fall_sick,
    "go": Handler.go,
    "child": Handler.start_child,
    "no number": lambda handler: handler.answer(float("nan")),
    "deep": lambda handler: handler.say(said(b"[" * 300 + b"]" * 300)),
    "deeper than json": lambda handler: handler.say(said(b"[" * 100_000 + b"]" * 100_000)),
    "no utf-8": lambda handler: handler.say(said(b'["\xff"]')),
    "half": lambda handler: handler.say(said(b"[]")[:-1]),
    "nothing": lambda handler: handler.say(b""),
    "no http": lambda handler: handler.say(b"\x00\x01\r\n\r\n"),
}

if __name__ == "__main__":
    port = int(os.environ["AIP_HTTP_PORT"])
    print("serving", sys.argv[1], "on", port, flush=True)  # noqa: T201 - a test reads it in the log
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
