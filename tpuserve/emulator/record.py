"""The request record: every call in the order it arrived, as tests read it."""

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.beside import Asked, merged

HIDDEN = "[redacted]"
PREDICTIONS = ("PredictRequest", "RawPredictRequest", "StreamRawPredictRequest")
SECRET_HEADERS = ("authorization", "proxy-authorization", "x-goog-api-key")


class Call(msgspec.Struct, kw_only=True):
    """One call. `code` is empty while it has no answer; the message becomes JSON only when somebody reads it."""

    index: int
    service: str
    method: str
    mutating: bool
    message: Any
    time: float
    metadata: dict[str, str] = {}
    code: str = ""
    beside: Asked | None = None  # what the message cannot say

    def described(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "service": self.service,
            "method": self.method,
            "mutating": self.mutating,
            "request": self.request(),
            "metadata": self.metadata,
            "code": self.code,
            "time": self.time,
        }

    def request(self) -> dict[str, Any]:
        found = MessageToDict(self.message) if self.message is not None else {}
        return merged(found, {self.beside.field: self.beside.values}) if self.beside else found


class Record:
    """The calls since the start or the last clear, the newest `limit` of them."""

    def __init__(self, limit: int) -> None:
        self._calls: deque[Call] = deque(maxlen=limit)
        self._count = 0

    def arrived(self, service: str, method: str, **rest: Any) -> Call:
        """Takes a call; `rest` are the other fields of Call."""
        call = Call(index=self._count, service=service, method=method, **rest)
        self._count += 1
        self._calls.append(call)
        return call

    def described(self, *, mutating_only: bool = False) -> list[dict[str, Any]]:
        return [call.described() for call in self._calls if call.mutating or not mutating_only]

    def newest(self, count: int) -> list[dict[str, Any]]:
        """The last calls, the newest first."""
        return [call.described() for call in islice(reversed(self._calls), count)]

    def clear(self) -> None:
        self._calls.clear()
        self._count = 0


def kept_headers(metadata: Iterable[tuple[str, str | bytes]]) -> dict[str, str]:
    """What the record keeps of a call's metadata: text alone, and no token."""
    text = {key: value for key, value in metadata if isinstance(value, str)}
    return {key: HIDDEN if key in SECRET_HEADERS else value for key, value in text.items()}


def kept(request: Any) -> Any:
    """What the record keeps of a request: of a prediction its endpoint, for thousands of them are asked for; of a
    container's environment the names, for its values may be secrets."""
    kind = request.DESCRIPTOR.name
    if kind in PREDICTIONS:
        return type(request)(endpoint=request.endpoint)
    if kind != "UploadModelRequest" or not request.model.container_spec.env:
        return request
    copy = type(request)()
    copy.CopyFrom(request)
    for variable in copy.model.container_spec.env:
        variable.value = HIDDEN
    return copy
