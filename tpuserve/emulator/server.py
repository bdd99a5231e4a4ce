"""The wire: every call recorded, faulted, answered, over plain gRPC on 127.0.0.1."""

import asyncio
import inspect
import sys
import traceback
from typing import Any

import grpc
import grpc.aio

from tpuserve.emulator import permissions, strict
from tpuserve.emulator.api import Api, Method
from tpuserve.emulator.control_service import METHOD as CONTROL_METHOD
from tpuserve.emulator.control_service import ControlService
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code
from tpuserve.emulator.lag import LAGGING
from tpuserve.emulator.record import kept, kept_headers


class Handlers(grpc.GenericRpcHandler):
    """A handler for any path: a method of the API, the control API, or UNIMPLEMENTED with the method's name."""

    def __init__(self, core: Core, api: Api, control: ControlService) -> None:
        self._core = core
        self._methods = api.methods()
        self._control = control

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> "grpc.RpcMethodHandler[Any, Any]":
        path = handler_call_details.method
        if path == CONTROL_METHOD:
            return self._control.handler()
        if path not in self._methods:
            return grpc.unary_unary_rpc_method_handler(self._unknown(path))
        method = self._methods[path]

        async def handle(request: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
            return await self._handle(method, request, context)

        return grpc.unary_unary_rpc_method_handler(
            handle, request_deserializer=method.request.FromString, response_serializer=_serialized
        )

    def _unknown(self, path: str) -> Any:
        service, _, name = path.lstrip("/").rpartition("/")

        async def handle(request: bytes, context: "grpc.aio.ServicerContext[Any, Any]") -> bytes:
            call = self._core.record.arrived(service, name, mutating=False, message=None, time=self._core.clock.now())
            call.code = Code.UNIMPLEMENTED.name
            await context.abort(Code.UNIMPLEMENTED, f"{service}/{name} is not implemented by this emulator.")
            return b""

        return handle

    async def _handle(self, method: Method, request: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
        call = self._core.record.arrived(
            method.service,
            method.name,
            mutating=method.mutating,
            message=kept(request),
            time=self._core.clock.now(),
            metadata=kept_headers(context.invocation_metadata() or ()),
        )
        faults = self._core.faults
        met = faults.counted(call)
        try:
            permissions.refuse(self._core.settings.permissions, method.name, request)
            if not _is_prediction(request):
                strict.checked(request)
            await faults.stopped(met, "before")
            if (error := faults.call_error(call, "before")) is not None:
                raise error
            response = await self._answer(method, request, context)
            await faults.stopped(met, "after")
            if (error := faults.call_error(call, "after")) is not None:
                raise error
        except ApiError as error:
            call.code = error.code.name
            details = (("grpc-status-details-bin", error.status().SerializeToString()),)
            await context.abort(error.code, error.message, details)
        except asyncio.CancelledError:  # the caller is gone
            call.code = Code.CANCELLED.name
            raise
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            call.code = Code.INTERNAL.name
            await context.abort(Code.INTERNAL, f"The emulator failed: {error!r}. Please report this.")
        call.code = Code.OK.name
        return response

    async def _answer(self, method: Method, request: Any, context: "grpc.aio.ServicerContext[Any, Any]") -> Any:
        """What the method answers; a read that lags, what it answered before."""
        lags = method.name in LAGGING
        try:
            answer = method.answer(request, *([_metadata(context)] if method.metadata else ()))
            response = await answer if inspect.isawaitable(answer) else answer
        except ApiError as error:
            if not lags or error.code is not Code.NOT_FOUND:
                raise
            return self._core.lag.found(str(self._core.any_name(request.name)), error)
        return self._core.lag.shown(str(self._core.any_name(request.name)), response) if lags else response


def _metadata(context: "grpc.aio.ServicerContext[Any, Any]") -> dict[str, str]:
    return {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}


def _is_prediction(request: Any) -> bool:
    return request.DESCRIPTOR.name == "PredictRequest"


def _serialized(message: Any) -> bytes:
    return bytes(message.SerializeToString())


async def serving(core: Core, api: Api, control: ControlService, port: int) -> tuple[grpc.aio.Server, int]:
    """A started server and its port."""
    options = [
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
    ]
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((Handlers(core, api, control),))
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    return server, bound
