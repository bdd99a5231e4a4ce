"""One plugin over real gRPC, asked as the engine asks: `Wire` has a method for each request of provider.proto."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc.aio
from google.protobuf import empty_pb2
from google.rpc import status_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from tpuserve.provider.engine import Engine
from tpuserve.provider.memory import Memory
from tpuserve.provider.server import Provider
from tpuserve.testing.properties import from_wire, to_wire

Values = Mapping[str, Any]


@dataclass
class State:
    """What the engine records of one resource."""

    id: str
    properties: dict[str, Any]
    inputs: dict[str, Any]
    failed: tuple[str, ...] = ()
    """Reasons of a create or update that failed half way: the next run calls Update even without a difference."""
    refresh_first: bool = False


@dataclass
class Checked:
    """The answer to Check."""

    inputs: dict[str, Any]
    failures: dict[str, str]
    """Property path -> reasons, one a line."""


class CheckFailedError(AssertionError):
    """Check found faults; `failures` is property path -> reasons, one a line."""

    def __init__(self, failures: dict[str, str]) -> None:
        super().__init__("\n".join(f"{path}: {reasons}" for path, reasons in failures.items()))
        self.failures = failures


@dataclass
class Invoked:
    """The answer to Invoke."""

    result: dict[str, Any]
    failures: dict[str, str]
    """Property path -> reasons."""


class WireError(Exception):
    """The plugin ended a request with an error and no state."""


class InitFailedError(Exception):
    """The plugin failed half way; `state` is what it wants recorded."""

    def __init__(self, state: State) -> None:
        super().__init__("\n".join(state.failed))
        self.state = state


@dataclass
class Wire:
    """A connection to a plugin."""

    stub: provider_pb2_grpc.ResourceProviderStub
    provider: Provider | None = None
    """The servicer, where it runs in this process."""
    settings: dict[str, Any] = field(default_factory=dict)

    async def call(self, method: str, request: Any) -> Any:
        """One request; its error as WireError or InitFailedError."""
        try:
            return await getattr(self.stub, method)(request)
        except grpc.aio.AioRpcError as error:
            _raise(error)

    async def configure(self, **settings: Any) -> None:
        """`tpuserve:<name>` of a stack; call it again to change some."""
        self.settings |= settings
        given = to_wire({name: value for name, value in self.settings.items() if value is not None})
        await self.call("Configure", provider_pb2.ConfigureRequest(args=given, acceptSecrets=True))

    async def check_config(self, **settings: Any) -> dict[str, str]:
        answer = await self.call("CheckConfig", provider_pb2.CheckRequest(news=to_wire(settings)))
        return _failures(answer)

    async def check(self, urn: str, news: Values, old: State | None = None, naming: Any = None) -> Checked:
        """`naming`: CheckRequest.AutonamingOptions, where the stack configures pulumi:autonaming."""
        request = provider_pb2.CheckRequest(
            urn=urn,
            olds=to_wire(old.inputs if old else {}),
            old_outputs=to_wire(old.properties if old else {}),
            news=to_wire(news),
            autonaming=naming,
        )
        answer = await self.call("Check", request)
        return Checked(from_wire(answer.inputs), _failures(answer))

    async def checked(self, urn: str, news: Values, old: State | None = None) -> dict[str, Any]:
        """The inputs as Check returns them; CheckFailedError where it finds a fault."""
        answer = await self.check(urn, news, old)
        if answer.failures:
            raise CheckFailedError(answer.failures)
        return answer.inputs

    async def diff(self, urn: str, state: State, news: Values) -> Any:
        request = provider_pb2.DiffRequest(
            id=state.id,
            urn=urn,
            olds=to_wire(state.properties),
            old_inputs=to_wire(state.inputs),
            news=to_wire(news),
        )
        return await self.call("Diff", request)

    async def create(self, urn: str, inputs: Values, *, preview: bool = False, seconds: float = 0) -> State:
        request = provider_pb2.CreateRequest(urn=urn, properties=to_wire(inputs), preview=preview, timeout=seconds)
        answer = await self.call("Create", request)
        return State(answer.id, from_wire(answer.properties), dict(inputs), (), answer.refresh_before_update)

    async def update(self, urn: str, state: State, news: Values, *, preview: bool = False, seconds: float = 0) -> State:
        request = provider_pb2.UpdateRequest(
            id=state.id,
            urn=urn,
            olds=to_wire(state.properties),
            old_inputs=to_wire(state.inputs),
            news=to_wire(news),
            preview=preview,
            timeout=seconds,
        )
        answer = await self.call("Update", request)
        return State(state.id, from_wire(answer.properties), dict(news), (), answer.refresh_before_update)

    async def read(self, urn: str, resource_id: str, state: State | None = None) -> State | None:
        """None where the plugin answers an empty id; without a state this is an import."""
        request = provider_pb2.ReadRequest(
            id=resource_id,
            urn=urn,
            properties=to_wire(state.properties if state else {}),
            inputs=to_wire(state.inputs if state else {}),
        )
        answer = await self.call("Read", request)
        if not answer.id:
            return None
        found = from_wire(answer.properties), from_wire(answer.inputs)
        return State(answer.id, *found, (), answer.refresh_before_update)

    async def delete(self, urn: str, state: State, seconds: float = 0) -> None:
        properties, inputs = to_wire(state.properties), to_wire(state.inputs)
        await self.call(
            "Delete",
            provider_pb2.DeleteRequest(id=state.id, urn=urn, properties=properties, old_inputs=inputs, timeout=seconds),
        )

    async def invoke(self, token: str, **arguments: Any) -> Invoked:
        """A function, with its arguments in the wire's spelling."""
        request = provider_pb2.InvokeRequest(tok=token, args=to_wire(arguments))
        answer = await self.call("Invoke", request)
        return Invoked(from_wire(getattr(answer, "return")), _failures(answer))

    async def cancel(self) -> None:
        await self.call("Cancel", empty_pb2.Empty())


def _failures(answer: Any) -> dict[str, str]:
    """Path -> message; a path below the top stands at the beginning of the message."""
    found: dict[str, str] = {}
    for failure in answer.failures:
        path, _, message = ("", "", failure.reason) if failure.property else failure.reason.partition(": ")
        path = failure.property or path
        found[path] = "\n".join(filter(None, [found.get(path), message]))
    return found


def _raise(error: grpc.aio.AioRpcError) -> NoReturn:
    """The engine reads a partial state from the status details, and else shows the message alone."""
    trailing: Any = error.trailing_metadata() or ()
    metadata = {str(key): value for key, value in trailing}
    packed = metadata.get("grpc-status-details-bin")
    if isinstance(packed, bytes):
        for detail in status_pb2.Status.FromString(packed).details:
            partial = provider_pb2.ErrorResourceInitFailed()
            if detail.Unpack(partial):
                found = from_wire(partial.properties), from_wire(partial.inputs)
                reasons = tuple(partial.reasons)
                raise InitFailedError(State(partial.id, *found, reasons, partial.refresh_before_update)) from None
    raise WireError(error.details() or "") from None


@contextlib.asynccontextmanager
async def plugin(memory: Memory | None = None) -> AsyncIterator[Wire]:
    """The servicer of this process behind a loopback port."""
    server = grpc.aio.server()
    provider = Provider(Engine(), memory or Memory())
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with connected(port) as wire:
            wire.provider = provider
            yield wire
    finally:
        await server.stop(0)
        await provider.google.close()


@contextlib.asynccontextmanager
async def connected(port: int) -> AsyncIterator[Wire]:
    """A plugin that listens on a loopback port, in whatever process."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield Wire(provider_pb2_grpc.ResourceProviderStub(channel))
