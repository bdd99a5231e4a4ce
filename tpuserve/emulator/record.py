"""The request record: every call in the order it arrived, as tests read it."""

from collections import deque
from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict


class Call(msgspec.Struct, kw_only=True):
    """One call. `code` is empty while it has no answer; the message becomes JSON only when somebody reads it."""

    index: int
    service: str
    method: str
    mutating: bool
    message: Any
    time: float
    code: str = ""

    def described(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "service": self.service,
            "method": self.method,
            "mutating": self.mutating,
            "request": self.request(),
            "code": self.code,
            "time": self.time,
        }

    def request(self) -> dict[str, Any]:
        return MessageToDict(self.message) if self.message is not None else {}


class Record:
    """The calls since the start or the last clear, the newest `limit` of them."""

    def __init__(self, limit: int) -> None:
        self._calls: deque[Call] = deque(maxlen=limit)
        self._count = 0

    def arrived(self, service: str, method: str, *, mutating: bool, message: Any, time: float) -> Call:
        call = Call(index=self._count, service=service, method=method, mutating=mutating, message=message, time=time)
        self._count += 1
        self._calls.append(call)
        return call

    def described(self, *, mutating_only: bool = False) -> list[dict[str, Any]]:
        return [call.described() for call in self._calls if call.mutating or not mutating_only]

    def clear(self) -> None:
        self._calls.clear()
        self._count = 0
