"""The plugin's process: `pulumi-resource-tpuserve [flags] ENGINE_ADDRESS`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence

import grpc.aio
from pulumi.runtime.proto import provider_pb2_grpc

from tpuserve.provider.engine import Engine
from tpuserve.provider.memory import Memory, shared
from tpuserve.provider.server import Provider

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the protocol on a free loopback port until the engine is gone."""
    given = [word for word in (sys.argv[1:] if arguments is None else arguments) if not word.startswith("-")]
    asyncio.run(serve(given[-1] if given else ""))
    return 0


async def serve(engine_address: str) -> None:
    """Print the port, as the engine expects it, and serve."""
    engine = Engine(engine_address)
    memory = shared(engine_address) if engine_address else Memory()
    server = grpc.aio.server(options=OPTIONS)
    provider = Provider(engine, memory)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    # The engine's way to end a plugin, which it kills after 5 s; Ctrl-C does not reach it, it has a group of its own.
    loop.add_signal_handler(signal.SIGINT, stop.set)
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    watch = asyncio.ensure_future(engine.gone())
    await asyncio.wait({watch, asyncio.ensure_future(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
    await server.stop(0)
