"""What a call or an operation answers instead of a result: a code of google.rpc and one sentence."""

from collections.abc import Iterable, Mapping
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

Code = grpc.StatusCode


class ApiError(Exception):
    """An answer that is no result.

    `reason` (such as SERVICE_DISABLED), `domain` and `metadata` are ErrorInfo's; `retry_after` is RetryInfo's, in
    seconds; `appears` is for a failed deployment that is left in its endpoint all the same.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        retry_after: float = 0,
        domain: str = "googleapis.com",
        metadata: Mapping[str, str] | None = None,
        appears: bool = False,
    ) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message
        self.reason = reason
        self.retry_after = retry_after
        self.domain = domain
        self.metadata = metadata or {}
        self.appears = appears

    def status(self) -> status_pb2.Status:
        """The error in full, as it travels in a state, an operation, or the trailer of a call."""
        status = status_pb2.Status(code=number(self.code), message=self.message)
        if self.reason:
            told = error_details_pb2.ErrorInfo(reason=self.reason, domain=self.domain, metadata=self.metadata)
            status.details.add().Pack(told)
        if self.retry_after:
            info = error_details_pb2.RetryInfo()
            info.retry_delay.FromNanoseconds(int(self.retry_after * 1e9))
            status.details.add().Pack(info)
        return status


class SeveredError(ApiError):
    """The line is cut before there is an answer, or in the middle of one.

    A face that has a connection to cut does so; here are the code and words that gRPC's clients make of it.
    """

    def __init__(self, *, midway: bool) -> None:
        super().__init__(Code.UNAVAILABLE, "recvmsg:Connection reset by peer")
        self.midway = midway
        self.response: Any = None
        """What is cut short; None where nothing is sent at all."""


def number(code: grpc.StatusCode) -> int:
    """The number of a code in google.rpc.Code, as operations carry it."""
    return int(code.value[0])


def code_named(name: str) -> grpc.StatusCode:
    """The code of that name; ValueError lists the names there are."""
    try:
        return Code[name]
    except KeyError:
        raise ValueError(f"{name!r} is not a status code; codes are {', '.join(code.name for code in Code)}") from None


def code_numbered(value: int) -> grpc.StatusCode:
    """The code of that number in google.rpc.Code; UNKNOWN where there is none."""
    return next((code for code in Code if number(code) == value), Code.UNKNOWN)


def invalid(field: str, found: object, allowed: str) -> ApiError:
    """INVALID_ARGUMENT for one field: what was found, and what is allowed."""
    return ApiError(Code.INVALID_ARGUMENT, f"{field}: got {found!r}; must be {allowed}.")


def one_of(field: str, found: object, allowed: Iterable[str]) -> ApiError:
    return invalid(field, found, f"one of {', '.join(sorted(allowed))}")


def not_found(name: str) -> ApiError:
    return ApiError(Code.NOT_FOUND, f"Resource {name!r} was not found.")


def already_exists(name: str) -> ApiError:
    return ApiError(Code.ALREADY_EXISTS, f"Resource {name!r} already exists.")


def precondition(message: str) -> ApiError:
    return ApiError(Code.FAILED_PRECONDITION, message)
