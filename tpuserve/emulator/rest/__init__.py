"""REST in front of the same methods as gRPC: routes, parameters and schemas are Google's discovery documents'."""

import ssl
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tpuserve.emulator.calls import Calls
    from tpuserve.emulator.core import Core
    from tpuserve.emulator.rest.http import HttpServer
    from tpuserve.emulator.rest.verifier import Verifier

NEEDED = ("googleapiclient", "h11")  # what the extra `emulator` installs


class Servers(NamedTuple):
    """The HTTP servers that were started: none where REST is not installed, the second one with TLS."""

    all: "tuple[HttpServer, ...]" = ()

    @property
    def port(self) -> int:
        return self.all[0].port if self.all else 0

    @property
    def tls_port(self) -> int:
        return self.all[1].port if len(self.all) > 1 else 0

    async def stop(self) -> None:
        for server in self.all:
            await server.stop()


def witness(calls: "Calls", misfits: list[str]) -> "Verifier":
    """For gRPC what REST does anyway; needs what REST needs."""
    from tpuserve.emulator.rest.verifier import Verifier  # noqa: PLC0415 - it may not be installed

    return Verifier(calls.methods, misfits)


async def started(core: "Core", calls: "Calls", port: int, tls: ssl.SSLContext | None, misfits: list[str]) -> Servers:
    """Servers on 127.0.0.1; answers that fit no schema go to `misfits`."""
    if not all(find_spec(name) for name in NEEDED):
        return Servers()
    from tpuserve.emulator.quota.reads import QuotaReads  # noqa: PLC0415
    from tpuserve.emulator.rest.face import Face  # noqa: PLC0415 - these may not be installed
    from tpuserve.emulator.rest.http import serving  # noqa: PLC0415

    answered = Face(calls, core.beside, misfits, QuotaReads(core)).answered
    plain = await serving(answered, port)
    return Servers((plain,) if tls is None else (plain, await serving(answered, 0, tls)))
