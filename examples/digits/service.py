"""What the server answers, without a socket: states, health and predictions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple, Protocol

from . import instances


class LogitsSource(Protocol):
    """What the service needs of a model: `Predictor` is one."""

    def logits(self, pictures: list[list[float]]) -> Any:
        """An array of shape (n, 10) for n pictures, with `tolist`."""
        ...


class State(Enum):
    """Only a service that is READY is healthy and predicts."""

    STARTING = "the model is being loaded and compiled"
    READY = "ready"
    DRAINING = "the server is shutting down"


class Reply(NamedTuple):
    """An HTTP status and the members of the JSON object sent with it."""

    status: int
    body: dict[str, Any]


class Service:
    """One model behind two routes; counts the requests under way, so that a shutdown can wait for them."""

    def __init__(self, served_by: str) -> None:
        """Begin as STARTING; `served_by` is returned with every prediction."""
        self.served_by = served_by
        self._model: LogitsSource | None = None
        self._state = State.STARTING
        self._running = 0
        self._idle = threading.Condition()

    @property
    def state(self) -> State:
        """The state now."""
        return self._state

    def ready(self, model: LogitsSource) -> None:
        """The model is warm; a service that drains already stays so."""
        with self._idle:
            self._model = model
            if self._state is State.STARTING:
                self._state = State.READY

    def drain(self, timeout: float) -> bool:
        """Refuse new predictions, wait up to `timeout` seconds for requests under way; whether all ended."""
        with self._idle:
            self._state = State.DRAINING
            return self._idle.wait_for(lambda: not self._running, timeout)

    @contextmanager
    def underway(self) -> Iterator[None]:
        """Count what happens inside as a request under way: `drain` waits for it."""
        with self._idle:
            self._running += 1
        try:
            yield
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def health(self) -> Reply:
        """200 when predictions are answered at once, else 503."""
        state = self._state
        if state is not State.READY:
            return Reply(503, {"error": state.value})
        return Reply(200, {"status": state.value, "served_by": self.served_by})

    def predict(self, body: bytes) -> Reply:
        """200 with a prediction an instance, in order; 400 with all faults of the request; 503 unless READY."""
        model = self._model
        if self._state is not State.READY or model is None:
            return Reply(503, {"error": self._state.value})
        try:
            return Reply(200, {"predictions": self._predictions(model, instances.parse(body))})
        except instances.MalformedRequestError as error:
            return Reply(400, {"error": str(error)})

    def _predictions(self, model: LogitsSource, pictures: list[list[float]]) -> list[dict[str, Any]]:
        # Vertex AI passes on `predictions` alone, so who served is said in each of them.
        return [
            {"digit": row.index(max(row)), "logits": row, "served_by": self.served_by}
            for row in model.logits(pictures).tolist()
        ]
