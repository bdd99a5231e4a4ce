"""The contract over HTTP: health before and after the model is warm, predictions, refusals, many clients at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import numpy as np
import pytest
from digits_client import ask, listening

from examples.digits.http_server import MAX_BODY_BYTES
from examples.digits.service import Service

BLANK = [0] * 64


class Gate:
    """A model that answers once it is let go."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def logits(self, pictures: list[list[float]]) -> np.ndarray:
        self.entered.set()
        assert self.opened.wait(30)
        return np.zeros((len(pictures), 10))


class Broken:
    """A model that fails."""

    def logits(self, pictures: list[list[float]]) -> np.ndarray:
        raise RuntimeError("out of memory at 0x7f")


@pytest.mark.parametrize("request_of", [("GET", "/health"), ("POST", "/predict", {"instances": [BLANK]})])
def test_before_the_model_is_warm_nothing_is_answered_with_200(request_of):
    with listening(Service("1")) as port:
        answer = ask(port, *request_of)

    assert (answer.status, answer.body) == (503, {"error": "the model is being loaded and compiled"})


def test_a_warm_model_is_healthy(warm):
    answer = ask(warm, "GET", "/health")

    assert (answer.status, answer.body) == (200, {"status": "ready", "served_by": "version-1"})


def test_a_query_does_not_change_the_route(warm):
    assert ask(warm, "GET", "/health?full=1").status == 200


def test_a_prediction_has_digit_logits_and_who_served(warm, digits):
    answer = ask(warm, "POST", "/predict", {"instances": [digits[0].pixels]})

    (prediction,) = answer.body["predictions"]
    assert prediction.keys() == {"digit", "logits", "served_by"}
    assert prediction["digit"] == int(np.argmax(prediction["logits"]))
    assert prediction["served_by"] == "version-1"


def test_served_logits_are_the_offline_ones(warm, digits, reference):
    answer = ask(warm, "POST", "/predict", {"instances": [digit.pixels for digit in digits]})

    served = np.array([prediction["logits"] for prediction in answer.body["predictions"]])
    assert np.max(np.abs(served - np.array(reference.logits))) <= 1e-5


def test_as_many_held_out_digits_are_right_as_offline(warm, digits, reference):
    answer = ask(warm, "POST", "/predict", {"instances": [digit.pixels for digit in digits]})

    read = [prediction["digit"] for prediction in answer.body["predictions"]]
    assert sum(a == digit.label for a, digit in zip(read, digits, strict=True)) == reference.correct


def test_parallel_requests_give_the_same_logits(warm, digits, reference):
    def served(place: int) -> list[float]:
        answer = ask(warm, "POST", "/predict", {"instances": [digits[place].pixels]})
        return answer.body["predictions"][0]["logits"]

    with ThreadPoolExecutor(8) as pool:
        logits = list(pool.map(served, range(100)))

    assert np.max(np.abs(np.array(logits) - np.array(reference.logits))) <= 1e-5


def test_a_malformed_request_is_answered_with_400_and_all_faults(warm):
    answer = ask(warm, "POST", "/predict", {"instances": [[1], "x"]})

    assert answer.status == 400
    assert answer.body == {
        "error": "instances[0]: 1 values, 64 are needed; instances[1]: a string, a list of 64 numbers is needed"
    }


def test_a_body_that_is_too_large_is_answered_with_413(warm):
    answer = ask(warm, "POST", "/predict", b" " * (MAX_BODY_BYTES + 1))

    assert answer.status == 413
    assert answer.body == {"error": "a body of 1048577 bytes; at most 1048576 are allowed"}


def test_a_body_of_unknown_length_is_answered_with_411(warm):
    answer = ask(warm, "POST", "/predict", b"0\r\n\r\n", {"Transfer-Encoding": "chunked"})

    assert (answer.status, answer.body) == (411, {"error": "Content-Length is needed"})


@pytest.mark.parametrize(
    ("method", "path", "status", "error"),
    [
        ("GET", "/", 404, "/: no such path; /health, /predict are served"),
        ("POST", "/health/", 404, "/health/: no such path; /health, /predict are served"),
        ("GET", "/predict", 405, "GET /predict: POST is needed"),
        ("POST", "/health", 405, "POST /health: GET is needed"),
        ("PUT", "/predict", 501, "Unsupported method ('PUT')"),
    ],
)
def test_a_request_that_is_not_served_says_what_is(warm, method, path, status, error):
    answer = ask(warm, method, path, b"{}" if method != "GET" else None)

    assert (answer.status, answer.body) == (status, {"error": error})


def test_a_failure_of_the_model_is_500_without_its_inner_message():
    service = Service("1")
    service.ready(Broken())

    with listening(service) as port:
        answer = ask(port, "POST", "/predict", {"instances": [BLANK]})

    assert (answer.status, answer.body) == (500, {"error": "the model failed; its log has the reason"})


def test_many_requests_can_be_sent_over_one_connection(warm):
    connection = HTTPConnection("127.0.0.1", warm, timeout=30)
    try:
        sockets = set()
        for _ in range(5):
            connection.request("GET", "/health")
            connection.getresponse().read()
            sockets.add(connection.sock)
    finally:
        connection.close()

    assert len(sockets) == 1


def test_a_drained_service_finishes_what_runs():
    service, gate = Service("1"), Gate()
    service.ready(gate)
    with listening(service) as port, ThreadPoolExecutor(2) as pool:
        running = pool.submit(ask, port, "POST", "/predict", {"instances": [BLANK]})
        assert gate.entered.wait(30)
        drained = pool.submit(service.drain, 30.0)
        gate.opened.set()

        assert drained.result() is True
        assert running.result().status == 200


def test_a_drain_that_takes_too_long_says_so():
    service, gate = Service("1"), Gate()
    service.ready(gate)
    with listening(service) as port, ThreadPoolExecutor(1) as pool:
        running = pool.submit(ask, port, "POST", "/predict", {"instances": [BLANK]})
        assert gate.entered.wait(30)

        assert service.drain(0.0) is False

        gate.opened.set()
        running.result()


@pytest.mark.parametrize("request_of", [("GET", "/health"), ("POST", "/predict", {"instances": [BLANK]})])
def test_a_drained_service_is_not_healthy_and_predicts_no_more(request_of):
    service = Service("1")
    service.ready(Gate())
    service.drain(0.0)

    with listening(service) as port:
        answer = ask(port, *request_of)

    assert (answer.status, answer.body) == (503, {"error": "the server is shutting down"})


def test_a_model_that_gets_warm_during_a_shutdown_changes_nothing():
    service = Service("1")
    service.drain(0.0)

    service.ready(Gate())

    assert service.health().status == 503
