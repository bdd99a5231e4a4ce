"""What an emulator is reached by: gRPC, REST where it is installed, and each over TLS where that is asked for."""

from pathlib import Path
from typing import NamedTuple

import grpc.aio

from tpuserve.emulator import rest
from tpuserve.emulator.calls import Calls
from tpuserve.emulator.control_service import ControlService
from tpuserve.emulator.core import Core
from tpuserve.emulator.server import serving


class Listening(NamedTuple):
    """Where an emulator listens, and by what a client trusts it."""

    port: int = 0  # of gRPC; 0 takes a free one
    rest_port: int = 0
    tls: Path | None = None  # the folder of the certificates; None: no TLS
    verified: bool = False  # whether what goes over gRPC is held against Google's schemas as well


class Addresses(NamedTuple):
    """HOST:PORT of each face, empty for one that is not served."""

    grpc: str = ""
    rest: str = ""
    grpc_tls: str = ""
    rest_tls: str = ""


class Faces:
    """All servers of one emulator, each on a port of its own."""

    def __init__(self, server: "grpc.aio.Server", http: rest.Servers, addresses: Addresses) -> None:
        self._server, self._http = server, http
        self.addresses = addresses

    async def stop(self) -> None:
        await self._http.stop()
        await self._server.stop(0.1)


async def started(core: Core, calls: Calls, control: ControlService, where: Listening, misfits: list[str]) -> Faces:
    """Answers from the moment this returns; `misfits` takes what fits no schema of Google's."""
    secure = None
    if where.tls is not None:
        from tpuserve.emulator.tls import made  # noqa: PLC0415 - cryptography takes long to load

        secure = made(where.tls)
    witness = rest.witness(calls, misfits) if where.verified else None
    grpc_tls = None if secure is None else secure.grpc()
    server, port, tls_port = await serving(calls, control, where.port, grpc_tls, witness)
    try:
        http = await rest.started(core, calls, where.rest_port, None if secure is None else secure.http(), misfits)
    except BaseException:  # a server that nobody stops outlives its loop
        await server.stop(0)
        raise
    return Faces(server, http, Addresses(*(_address(port) for port in (port, http.port, tls_port, http.tls_port))))


def _address(port: int) -> str:
    return f"127.0.0.1:{port}" if port else ""
