"""A client that predicts all the while, as an application would, and counts every failure and every wrong answer."""

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import grpc
from google.cloud.aiplatform_v1.types import PredictRequest, PredictResponse
from google.protobuf.struct_pb2 import Value

METHOD = "/google.cloud.aiplatform.v1.PredictionService/Predict"
HEADER = "x-vertex-ai-endpoint-id"
PERIOD = 1 / 50
"""Seconds from one request to the next."""
ENOUGH = 100
"""Answers that each change must see, at the least."""
LONGEST = 30.0
"""Seconds until a request counts as lost."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: the model version that gave it, and when."""

    version: str
    time: float


@dataclass(slots=True)
class Change:
    """What one block saw."""

    answers: list[Answer] = field(default_factory=list)

    @property
    def versions(self) -> list[str]:
        """The versions that answered, in order, each run of the same one once."""
        return [version for version, _ in groupby(answer.version for answer in self.answers)]


class Predictor:
    """A client in a thread of its own. `endpoints`: the first one that answers counts, as for a client that follows
    a move. `versions` are the model versions that may answer."""

    def __init__(self, address: str, *endpoints: str, versions: set[str]) -> None:
        self._channel = grpc.insecure_channel(address)
        self._call = self._channel.unary_unary(METHOD, bytes, PredictResponse.deserialize)
        instance = Value(string_value="digit")
        message = PredictRequest.pb()
        bodies = [message(endpoint=name, instances=[instance]).SerializeToString() for name in endpoints]
        # what a request to an endpoint's own host name carries
        ids = [((HEADER, name.rpartition("/")[2]),) for name in endpoints]
        self._requests = list(zip(bodies, ids, strict=True))
        self._versions = versions
        self._stopped, self._more = threading.Event(), threading.Condition()
        self.answers: list[Answer] = []
        self.failures: list[str] = []
        self._thread = threading.Thread(target=self._run, name="predictor", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def expecting(self, *versions: str, then: str = "") -> Iterator[Change]:
        """A change: while it lasts these versions may answer, afterwards `then` alone (if given).

        Ends only when at least 100 requests were answered in it; fails if any was not, or by another version.
        """
        self._versions = {*versions, then} - {""}
        change, before = Change(), len(self.answers)
        yield change
        self._until(before + ENOUGH)
        if then:
            self._versions = {then}
            self._until(len(self.answers) + 1)
        change.answers = self.answers[before:]
        self.check()

    @property
    def longest_gap(self) -> float:
        """Seconds between two answers, at most."""
        return max((after.time - before.time for before, after in pairwise(self.answers)), default=0.0)

    def check(self) -> None:
        """No request has failed so far."""
        assert not self.failures, f"{len(self.failures)} failed predictions: {self.failures[:3]}"

    def stop(self) -> None:
        """The last request, and the verdict over all of them."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._thread.join()
            self._channel.close()
        self.check()

    def _until(self, count: int) -> None:
        with self._more:
            enough = self._more.wait_for(lambda: len(self.answers) >= count or bool(self.failures), LONGEST)
        assert enough, f"{len(self.answers)} answers after {LONGEST} s, not {count}"

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopped.wait(max(due - time.monotonic(), 0)):
            due = max(due + PERIOD, time.monotonic())
            allowed = self._versions
            found = self._ask()
            if isinstance(found, Answer) and found.version not in allowed | self._versions:
                found = f"version {found.version} answered, and {sorted(allowed)} may"
            with self._more:
                self.answers += [found] if isinstance(found, Answer) else []
                self.failures += [found] if isinstance(found, str) else []
                self._more.notify_all()

    def _ask(self) -> Answer | str:
        failure = ""
        for request, metadata in self._requests:
            try:
                answer = self._call(request, timeout=LONGEST, metadata=metadata)
            except grpc.RpcError as error:
                failure = str(error)
            else:
                return Answer(answer.model_version_id, time.monotonic())
        return failure
