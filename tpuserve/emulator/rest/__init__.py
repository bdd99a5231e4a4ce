"""REST in front of the same methods as gRPC: routes, parameters and schemas are Google's discovery documents'."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuserve.emulator.calls import Calls
    from tpuserve.emulator.core import Core
    from tpuserve.emulator.rest.http import HttpServer

NEEDED = ("googleapiclient", "h11")  # what the extra `emulator` installs


async def start(core: "Core", calls: "Calls", port: int, misfits: list[str]) -> "HttpServer | None":
    """A server on 127.0.0.1, or None where what it needs is not installed; answers without a schema go to `misfits`."""
    if not all(find_spec(name) for name in NEEDED):
        return None
    from tpuserve.emulator.rest.beside import Beside  # noqa: PLC0415 - these may not be installed
    from tpuserve.emulator.rest.face import Face  # noqa: PLC0415
    from tpuserve.emulator.rest.http import serving  # noqa: PLC0415

    return await serving(Face(calls, Beside(core), misfits).answered, port)
