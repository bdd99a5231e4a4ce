"""What leaves the plugin as words: how a request that failed is told, and no secret in any of it."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import grpc.aio
from google.protobuf import any_pb2, struct_pb2
from google.rpc import status_pb2
from pulumi.runtime.proto import provider_pb2

from tpuserve.catalog.faults import Fault
from tpuserve.google import CloudError
from tpuserve.hiding import hide
from tpuserve.provider import errors
from tpuserve.provider.call import Call, Cancelled, ResourceError, TimedOut
from tpuserve.provider.values import Properties, decode

Context = grpc.aio.ServicerContext
Request = Callable[[Any, Any, Context], Awaitable[Any]]
T = TypeVar("T")
# Outputs that are Google's words for people, which may quote a container's.
WORDS = ("message", "cause", "healthDescription")


@dataclass(slots=True)
class Reporter:
    """Knows every secret that this process was told, also by another resource: Google's words may hold any of them.

    A deployment that fails tells the last lines of a server whose environment is in its model's inputs alone.
    """

    hidden: set[str] = field(default_factory=set)

    def read(self, struct: struct_pb2.Struct) -> Properties:
        """The properties of a request; their secrets are known from now on."""
        found = decode(struct)
        self.hidden |= found.hidden()
        return found

    def learn(self, texts: Iterable[str]) -> None:
        self.hidden.update(texts)

    def shown(self, text: str) -> str:
        """`text` as it may leave the plugin."""
        return hide(text, self.hidden)

    def cleaned(self, outputs: Any, key: str = "") -> Any:
        """Outputs as they may be in the state: names and ids as they are, words for people as they may be shown."""
        if isinstance(outputs, Mapping):
            return {name: self.cleaned(value, name) for name, value in outputs.items()}
        if isinstance(outputs, list):
            return [self.cleaned(value) for value in outputs]
        return self.shown(outputs) if key in WORDS and isinstance(outputs, str) else outputs

    def message(self, error: Exception, call: Call | None = None) -> str:
        """One sentence or two; a traceback on the plugin's own stderr where the fault is ours."""
        return self.shown(_told(error, call) or self._bug(error))

    def _bug(self, error: Exception) -> str:
        sys.stderr.write(self.shown("".join(traceback.format_exception(error))))
        return f"a bug in tpuserve, please report it with the lines above: {type(error).__name__}: {error}"

    def failure(self, fault: Fault, inputs: Mapping[str, Any]) -> Any:
        """The engine shows a property with its value, and finds it at the top only: the path of a deeper one, or of a
        secret, goes into the text."""
        value = inputs.get(fault.path)
        if isinstance(value, (str, int, float)) and value not in self.hidden:
            return provider_pb2.CheckFailure(property=fault.path, reason=self.shown(fault.message))
        return provider_pb2.CheckFailure(reason=self.shown(str(fault)))

    def joined(self, faults: list[Fault]) -> list[Any]:
        """All faults of an Invoke as one failure: Pulumi's Python SDK shows its user the first one only."""
        if len(faults) == 1:
            return [provider_pb2.CheckFailure(property=faults[0].path, reason=self.shown(faults[0].message))]
        return [provider_pb2.CheckFailure(reason=self.shown("; ".join(map(str, faults))))] if faults else []


def _told(error: Exception, call: Call | None) -> str:
    """What a user can do something about; nothing where the fault is ours."""
    asked, elapsed, begun = (call.name, call.elapsed(), call.running) if call else ("the request", "its time", [])
    goes_on = f": {', '.join(begun)}" if begun else ""
    match error:
        case CloudError():
            return errors.explain(asked, error)
        case Cancelled():
            kept = "what was begun is kept in the state, and the next `pulumi up` goes on"
            return f"stopped{_at(error)}; {kept}{goes_on}"
        case TimedOut():
            over = f"not done after {elapsed}{_at(error)}, the time it was given (customTimeouts)"
            return f"{over}; what was begun goes on, and the next run waits for it{goes_on}"
        case ResourceError():
            return str(error)
        case _:
            return ""


def _at(stop: Exception) -> str:
    return f" at {stop}" if str(stop) else ""


def reports_bugs(servicer: type[T]) -> type[T]:
    """Every request of the protocol ends in an answer or in a sentence, whatever goes wrong in it.

    The servicer has its Reporter as `reporter`.
    """
    for name, method in list(vars(servicer).items()):
        if name[0].isupper() and inspect.iscoroutinefunction(method):
            setattr(servicer, name, _reporting(method))
    return servicer


def _reporting(method: Request) -> Request:
    @functools.wraps(method)
    async def answer(self: Any, request: Any, context: Context) -> Any:
        try:
            return await method(self, request, context)
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            await context.abort(grpc.StatusCode.UNKNOWN, self.reporter.message(error))

    return answer


async def abort_with(context: Context, message: str, detail: Any) -> NoReturn:
    """End a request in an error with a partial state."""
    packed = any_pb2.Any()
    packed.Pack(detail)
    code = grpc.StatusCode.UNKNOWN
    status = status_pb2.Status(code=code.value[0], message=message, details=[packed])
    await context.abort(code, message, (("grpc-status-details-bin", status.SerializeToString()),))
