"""The gRPC face: plain, on 127.0.0.1, any path."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from tpuserve.emulator.api import Method
from tpuserve.emulator.calls import Calls
from tpuserve.emulator.control_service import METHOD as CONTROL_METHOD
from tpuserve.emulator.control_service import ControlService
from tpuserve.emulator.errors import ApiError, SeveredError

Witness = Callable[[Method, Any, Any], None]
"""Shown each call that was answered, with its request and its response."""


class Handlers(grpc.GenericRpcHandler):
    """A handler for any path: a method of the API, the control API, or UNIMPLEMENTED with the method's name."""

    def __init__(self, calls: Calls, control: ControlService, witness: Witness | None) -> None:
        self._calls, self._control, self._witness = calls, control, witness

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any]":
        path = handler_call_details.method
        if path == CONTROL_METHOD:
            return self._control.handler()
        if path not in self._calls.methods:
            return grpc.unary_unary_rpc_method_handler(self._unknown(path))
        method = self._calls.methods[path]

        async def handle(request: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
            async with _aborting(context):
                self._whole(method, request)
                response = await _first_half(self._calls.answered(method, request, _metadata(context)))
            if self._witness is not None and not isinstance(response, Cut):
                self._witness(method, request, response)
            return response

        async def stream(request: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> AsyncIterator[Any]:
            async with _aborting(context):
                self._whole(method, request)
                async for response in self._calls.streamed(method, request, _metadata(context)):
                    yield response

        coders: dict[str, Any] = {
            "request_deserializer": _reading(method.request),
            "response_serializer": _serialized,
        }
        if method.streams:
            return grpc.unary_stream_rpc_method_handler(stream, **coders)
        return grpc.unary_unary_rpc_method_handler(handle, **coders)

    def _whole(self, method: Method, request: Any) -> None:
        if isinstance(request, Unread):
            raise self._calls.unread(method, request.why)

    def _unknown(self, path: str) -> Any:
        service, _, name = path.lstrip("/").rpartition("/")

        async def handle(request: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            error = self._calls.unknown(service, name)
            await context.abort(error.code, error.message)
            return b""

        return handle


class Unread(NamedTuple):
    """A request that is no message of its method."""

    why: str


def _reading(kind: Any) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return kind.FromString(data)
        except DecodeError as error:
            return Unread(str(error))

    return read


async def _first_half(answered: Awaitable[Any]) -> Any:
    """The answer, or where the line is cut in its middle what came before."""
    try:
        return await answered
    except SeveredError as cut:
        if cut.response is None:
            raise
        whole = _serialized(cut.response)
        return Cut(whole[: len(whole) // 2])


@contextlib.asynccontextmanager
async def _aborting(context: "grpc.aio.ServicerContext[Any, Any]") -> AsyncIterator[None]:
    """An error of the API as the status of the call."""
    try:
        yield
    except ApiError as error:
        details = (("grpc-status-details-bin", error.status().SerializeToString()),)
        await context.abort(error.code, error.message, details)


class Cut(NamedTuple):
    """The first part of a message, sent as if it were all."""

    part: bytes


def _metadata(context: "grpc.aio.ServicerContext[Any, Any]") -> dict[str, str]:
    return {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}


def _serialized(message: Any) -> bytes:
    return message.part if isinstance(message, Cut) else bytes(message.SerializeToString())


async def serving(
    calls: Calls,
    control: ControlService,
    port: int,
    tls: grpc.ServerCredentials | None,
    witness: Witness | None = None,
) -> tuple[grpc.aio.Server, int, int]:
    """A started server, its port, and the one with TLS; 0 where there is none."""
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
    ]
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((Handlers(calls, control, witness),))
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    secure = 0 if tls is None else server.add_secure_port("127.0.0.1:0", tls)
    await server.start()
    return server, bound, secure
