"""A message, or an error, as JSON over HTTP."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.errors import ApiError, Code, SeveredError

# google/rpc/code.proto, `HTTP Mapping`; 501 is UNIMPLEMENTED there
STATUSES = {
    Code.OK: 200, Code.CANCELLED: 499, Code.UNKNOWN: 500, Code.INVALID_ARGUMENT: 400, Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404, Code.ALREADY_EXISTS: 409, Code.PERMISSION_DENIED: 403, Code.UNAUTHENTICATED: 401,
    Code.RESOURCE_EXHAUSTED: 429, Code.FAILED_PRECONDITION: 400, Code.ABORTED: 409, Code.OUT_OF_RANGE: 400,
    Code.UNIMPLEMENTED: 501, Code.INTERNAL: 500, Code.UNAVAILABLE: 503, Code.DATA_LOSS: 500,
}  # fmt: skip
_JSON = "application/json; charset=UTF-8"


class Answer(NamedTuple):
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    more: AsyncIterator[bytes] | None = None  # what follows the body, in chunks as they come
    cut: bool = False
    """The line is cut in the middle of the body, before all of it where there is none."""


def of_value(value: Any, *, pretty: bool = True) -> Answer:
    return _json(200, {}, value, pretty=pretty)


def of_error(error: ApiError, *, pretty: bool = True) -> Answer:
    """google.rpc.Status in the form that cloud.google.com/apis/design/errors gives for HTTP."""
    status = STATUSES[error.code]
    told: dict[str, Any] = {"code": status, "message": error.message, "status": error.code.name}
    details = [MessageToDict(detail) for detail in error.status().details]
    if details:
        told["details"] = details
    # assumed: what RetryInfo says is in the header as well, which clients over HTTP look at
    headers = {"Retry-After": f"{error.retry_after:g}"} if error.retry_after else {}
    return _json(status, headers, {"error": told}, pretty=pretty)


def of_severed(error: SeveredError) -> Answer:
    whole = of_value(value_of(error.response, numbers=False)) if error.response is not None else Answer(0, {}, b"")
    return whole._replace(cut=True)


def value_of(message: Any, *, numbers: bool) -> Any:
    """A message's JSON; `numbers`: enums as numbers, as `$alt=json;enum-encoding=int` asks for."""
    return MessageToDict(message, use_integers_for_enums=numbers)


def raw(message: Any, more: AsyncIterator[Any] | None = None) -> Answer:
    """google.api.HttpBody: the body as it is, of a stream the first of them with the rest behind it."""
    rest = None if more is None else (part.data async for part in more)
    return Answer(200, {"Content-Type": message.content_type or "application/octet-stream"}, message.data, rest)


def _json(status: int, headers: Mapping[str, str], value: Any, *, pretty: bool) -> Answer:
    text = json.dumps(value, ensure_ascii=False, indent=2 if pretty else None)
    return Answer(status, {"Content-Type": _JSON, **headers}, f"{text}\n".encode())
