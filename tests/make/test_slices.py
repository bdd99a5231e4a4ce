"""Questions to slices, over HTTP on the loopback range."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools.local.predictions import ask_slice

PICTURES = [[float(number)] * 64 for number in range(25)]


class Model(BaseHTTPRequestHandler):
    """Answers each picture with its first pixel; `broken` is sent instead where it is set."""

    address = ""
    broken: tuple[int, bytes] | None = None

    def do_POST(self) -> None:
        instances = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["instances"]
        predictions = [{"digit": int(each[0]), "logits": each[:10]} for each in instances]
        status, body = self.broken or (200, json.dumps({"predictions": predictions}).encode())
        self.send_response(status if self.path == "/predict" else 404)
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing is logged."""


@pytest.fixture
def model() -> Iterator[type[Model]]:
    class Fresh(Model):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Fresh) as server:
        Fresh.address = f"127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Fresh
        server.shutdown()
        thread.join()


def test_every_picture_is_answered_in_its_order(model: type[Model]) -> None:
    assert ask_slice("digits-0", model.address, PICTURES).digits == tuple(range(25))


def test_refusal_of_the_server_is_told(model: type[Model]) -> None:
    model.broken = (400, b'{"error": "instances[0]: 63 numbers"}')

    assert ask_slice("digits-0", model.address, PICTURES).fault == 'HTTP 400: {"error": "instances[0]: 63 numbers"}'


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"predictions": [{}]}', b'{"predictions": [1]}'])
def test_answer_in_another_shape_is_a_fault(model: type[Model], body: bytes) -> None:
    model.broken = (200, body)

    assert ask_slice("digits-0", model.address, PICTURES).fault


def test_dead_slice_is_a_fault(model: type[Model]) -> None:
    assert "refused" in ask_slice("digits-0", "127.0.0.1:1", PICTURES).fault


def test_slice_without_address_is_a_fault() -> None:
    assert ask_slice("digits-0", "", PICTURES).fault == "has no address"


def test_proxy_of_the_shell_is_not_asked(model: type[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy")

    assert ask_slice("digits-0", model.address, PICTURES).fault == ""
