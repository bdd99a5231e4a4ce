"""A provider that does nothing: every request of the protocol answered at once, nothing checked, nothing asked."""

import asyncio
import signal
import sys
from typing import Any

import grpc.aio
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


class Noop(provider_pb2_grpc.ResourceProviderServicer):
    """On the same servicer base as `tpuserve.provider.server.Provider`; the name of a resource is its id."""

    async def Handshake(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    async def GetPluginInfo(self, request: Any, context: Any) -> Any:  # noqa: N802
        return plugin_pb2.PluginInfo(version="0.1.0")

    async def CheckConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    async def DiffConfig(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    async def Configure(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.CheckResponse(inputs=request.news)

    async def Diff(self, request: Any, context: Any) -> Any:  # noqa: N802
        kinds = provider_pb2.DiffResponse
        return kinds(changes=kinds.DIFF_NONE if request.old_inputs == request.news else kinds.DIFF_SOME)

    async def Create(self, request: Any, context: Any) -> Any:  # noqa: N802
        name = request.urn.rpartition("::")[2]
        return provider_pb2.CreateResponse(id=name, properties=_outputs(request.properties, name))

    async def Update(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.UpdateResponse(properties=_outputs(request.news, request.id))

    async def Read(self, request: Any, context: Any) -> Any:  # noqa: N802
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    async def Delete(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()

    async def Cancel(self, request: Any, context: Any) -> Any:  # noqa: N802
        return empty_pb2.Empty()


def _outputs(given: struct_pb2.Struct, name: str) -> struct_pb2.Struct:
    """The arguments, and what other resources of the graph take from this one."""
    outputs = struct_pb2.Struct()
    outputs.CopyFrom(given)
    outputs.update({"name": name, "versionName": f"{name}@1"})
    return outputs


async def serve(provider: Noop) -> None:
    """As the engine expects it: the port on the first line; SIGINT is its way to end a plugin."""
    server = grpc.aio.server()
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(serve(Noop()))
