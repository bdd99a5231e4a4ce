"""The plugin as the engine starts it: its executable, an address to answer to, a port on its first line."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2_grpc

ROOT = Path(__file__).parents[2]
EXECUTABLE = ROOT / "plugin" / "pulumi-resource-tpuserve"
PYTHON = sys.executable


@dataclass
class Plugin:
    """A running plugin process."""

    process: subprocess.Popen[str]
    port: int


@contextlib.contextmanager
def started(address: str = "", command: Sequence[str] = (str(EXECUTABLE),)) -> Iterator[Plugin]:
    """The plugin, serving; killed at the end of the block if it is still there."""
    arguments = [*command, address] if address else command
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Plugin(process, int(process.stdout.readline()))
        finally:
            process.kill()


@contextlib.contextmanager
def listening() -> Iterator[socket.socket]:
    """A port on which an engine is there, as far as the plugin can see."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def address_of(server: socket.socket) -> str:
    host, port = server.getsockname()
    return f"{host}:{port}"


@dataclass
class Screen(engine_pb2_grpc.EngineServicer):
    """The part of an engine that shows lines."""

    lines: list[tuple[str, bool]] = field(default_factory=list)
    """Text, and whether it is shown only until the next one."""
    shown: asyncio.Event = field(default_factory=asyncio.Event)

    async def Log(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.lines.append((request.message, request.ephemeral))
        self.shown.set()
        return empty_pb2.Empty()


@contextlib.asynccontextmanager
async def screen() -> AsyncIterator[tuple[Screen, str]]:
    """A screen, and the address at which a plugin reaches it."""
    server, servicer = grpc.aio.server(), Screen()
    engine_pb2_grpc.add_EngineServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield servicer, f"127.0.0.1:{port}"
    finally:
        await server.stop(0)
