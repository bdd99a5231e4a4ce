"""The provider protocol without a socket: each request and answer as its bytes, an abort as the error a client gets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NoReturn

import grpc
import grpc.aio

from tpuserve.provider.server import Provider
from tpuserve.testing import Wire

Trailing = Sequence[tuple[str, str | bytes]]


class Context:
    """What a servicer is given of a call: the way to end it in an error."""

    def __init__(self) -> None:
        self.ended: grpc.aio.AioRpcError | None = None

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Trailing = ()) -> NoReturn:
        trailing = grpc.aio.Metadata(*trailing_metadata)
        self.ended = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, details, "")
        raise grpc.aio.AbortError


class Stub:
    """A client of a servicer in this process."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def __getattr__(self, method: str) -> Callable[[Any], Awaitable[Any]]:
        async def call(request: Any) -> Any:
            context = Context()
            try:
                answer = await getattr(self._provider, method)(_sent(request), context)
            except grpc.aio.AbortError:
                assert context.ended
                raise context.ended from None
            return _sent(answer)

        return call


def wire(provider: Provider) -> Wire:
    """A connection to it."""
    stub: Any = Stub(provider)
    return Wire(stub, provider)


def _sent(message: Any) -> Any:
    return type(message).FromString(message.SerializeToString())
