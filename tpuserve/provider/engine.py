"""The engine that started the plugin: lines for the screen, and a watch on its life."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass, field

import grpc.aio
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc

WATCH = 1.0  # seconds between two looks at the engine
GONE = 2  # looks in a row that found nobody


@dataclass(slots=True)
class Engine:
    """The engine at `address`; without one (a test that speaks the protocol itself) lines go nowhere."""

    address: str = ""
    _channel: grpc.aio.Channel | None = None
    _stub: engine_pb2_grpc.EngineStub | None = None
    _parent: int = field(default_factory=os.getppid)

    async def attach(self, address: str) -> None:
        """Another engine takes the plugin over (a debugger started it)."""
        await self.close()
        self.address = address
        self._parent = 0

    async def warn(self, message: str) -> None:
        """Show a warning of the whole run."""
        await self.log(message, warning=True)

    async def log(self, message: str, urn: str = "", *, ephemeral: bool = False, warning: bool = False) -> None:
        """Show a line at a resource; `ephemeral` only until the next one."""
        if not self.address:
            return
        if self._stub is None:
            self._channel = grpc.aio.insecure_channel(self.address)
            self._stub = engine_pb2_grpc.EngineStub(self._channel)
        severity = engine_pb2.WARNING if warning else engine_pb2.INFO
        request = engine_pb2.LogRequest(severity=severity, message=message, urn=urn, ephemeral=ephemeral)
        with contextlib.suppress(grpc.aio.AioRpcError):  # a line lost is no reason to fail
            await self._stub.Log(request, timeout=5)  # pyright: ignore[reportGeneralTypeIssues] - the stub types know no aio

    async def gone(self) -> None:
        """Return when the engine is dead: a plugin that lives on may finish a create that nobody records."""
        missed = 0
        while missed < GONE:
            await asyncio.sleep(WATCH)
            missed = 0 if await self._is_there() else missed + 1

    async def _is_there(self) -> bool:
        if self._parent and os.getppid() != self._parent:
            return False
        if not self.address:
            return True
        host, _, port = self.address.rpartition(":")
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(host, int(port)), WATCH)
        except (OSError, TimeoutError):
            return False
        writer.close()
        return True

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close(None)
        self._channel = self._stub = None
