"""One call, whichever face it came through: recorded, permitted, checked, faulted, answered."""

import asyncio
import contextlib
import inspect
import sys
import traceback
from collections.abc import AsyncIterator, Mapping
from typing import Any

from tpuserve.emulator import permissions, strict
from tpuserve.emulator.api import Api, Method
from tpuserve.emulator.beside import Asked
from tpuserve.emulator.callers import callers, granted
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code, SeveredError
from tpuserve.emulator.lag import LAGGING
from tpuserve.emulator.record import PREDICTIONS, Call, kept, kept_headers


class Calls:
    """The methods of one emulator, called by gRPC and by REST alike."""

    def __init__(self, core: Core, api: Api) -> None:
        self._core = core
        self.methods: Mapping[str, Method] = api.methods()

    async def answered(
        self, method: Method, request: Any, metadata: Mapping[str, str], beside: Asked | None = None
    ) -> Any:
        """The method's response; ApiError where it is none, CancelledError where the caller is gone.

        `beside` is what came with the request and its message cannot say.
        """
        response = None
        try:
            async with self._taken(method, request, metadata, beside):
                response = await self._answer(method, request, metadata, beside)
        except SeveredError as cut:
            cut.response = response if cut.midway else None
            raise
        return response

    async def streamed(self, method: Method, request: Any, metadata: Mapping[str, str]) -> AsyncIterator[Any]:
        """The responses of a method that streams them."""
        async with self._taken(method, request, metadata):
            responses: Any = method.answer(request, metadata)
            async for response in responses:
                yield response

    @contextlib.asynccontextmanager
    async def _taken(
        self, method: Method, request: Any, metadata: Mapping[str, str], beside: Asked | None = None
    ) -> AsyncIterator[None]:
        """What happens to every call around its answer: recorded, and the error it may end in told."""
        call = self._core.record.arrived(
            method.service,
            method.name,
            mutating=method.mutating,
            message=kept(request),
            time=self._core.clock.now(),
            metadata=kept_headers(metadata.items()),
            beside=beside,
        )
        try:
            async with self._met(call, method, request, metadata):
                yield
        except ApiError as error:
            call.code = error.code.name
            raise
        except asyncio.CancelledError:
            call.code = Code.CANCELLED.name
            raise
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            call.code = Code.INTERNAL.name
            raise ApiError(Code.INTERNAL, f"The emulator failed: {error!r}. Please report this.") from error
        call.code = Code.OK.name

    def unknown(self, service: str, name: str) -> ApiError:
        """The answer to a method that is not served, recorded like any other."""
        return self._turned_away(
            service, name, Code.UNIMPLEMENTED, f"{service}/{name} is not implemented by this emulator."
        )

    def unread(self, method: Method, why: str) -> ApiError:
        """The answer to bytes that are no message: github.com/grpc/grpc, doc/statuscodes.md, "Error parsing request
        proto"."""
        return self._turned_away(method.service, method.name, Code.INTERNAL, f"Error parsing request proto: {why}.")

    def _turned_away(self, service: str, name: str, code: Code, message: str) -> ApiError:
        call = self._core.record.arrived(service, name, mutating=False, message=None, time=self._core.clock.now())
        call.code = code.name
        return ApiError(code, message)

    @contextlib.asynccontextmanager
    async def _met(self, call: Call, method: Method, request: Any, metadata: Mapping[str, str]) -> AsyncIterator[None]:
        """Permitted and checked, with the faults that this call meets before its answer and after it."""
        faults = self._core.faults
        met = faults.counted(call)
        permissions.refuse(granted(self._core.settings.permissions, callers(metadata)), method.name, request)
        if not _is_prediction(request):
            strict.checked(request)
        await faults.stopped(met, "before")
        await faults.strike(call, "before")
        yield
        await faults.stopped(met, "after")
        await faults.strike(call, "after")

    async def _answer(self, method: Method, request: Any, metadata: Mapping[str, str], beside: Asked | None) -> Any:
        """What the method answers; a read that lags, what it answered before."""
        lags = method.name in LAGGING
        more = ([metadata] if method.metadata else []) + ([beside] if method.beside else [])
        try:
            answer = method.answer(request, *more)
            response = await answer if inspect.isawaitable(answer) else answer
            if beside is not None and not method.beside:
                self._core.beside.took(beside, response)
        except ApiError as error:
            if not lags or error.code is not Code.NOT_FOUND:
                raise
            return self._core.lag.found(str(self._core.any_name(request.name)), error)
        return self._core.lag.shown(str(self._core.any_name(request.name)), response) if lags else response


def _is_prediction(request: Any) -> bool:
    return request.DESCRIPTOR.name in PREDICTIONS
