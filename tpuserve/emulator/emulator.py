"""One emulator: in a thread of this process for tests, or as a process of its own."""

import asyncio
import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from tpuserve.emulator.api import Api
from tpuserve.emulator.calls import Calls
from tpuserve.emulator.console import http
from tpuserve.emulator.console.console import Console
from tpuserve.emulator.control import Control
from tpuserve.emulator.control_service import ControlService
from tpuserve.emulator.core import Core
from tpuserve.emulator.faces import Addresses, Listening
from tpuserve.emulator.faces import started as start_faces
from tpuserve.emulator.settings import Settings

_START = 30.0


class Emulator:
    """`with Emulator(Settings()).running() as emulator:` serves at `emulator.address`, steered by `emulator.control`.

    `state`: the file that everything is written to; without it nothing outlives the emulator. Logs of processes lie
    beside it, in `<state>.logs`. `addresses` has REST too, where that is installed (`tpuserve[emulator]`), and TLS
    where `tls` names a folder: a client trusts its `ca.pem`. `misfits` are answers over REST that do not fit Google's
    schemas, and where `verified` is true requests and answers over gRPC as well: there should be none.
    `console_port`: of the page whose URL is then `console`; 0 for any free one, None for no page.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        state: Path | None = None,
        port: int = 0,
        rest_port: int = 0,
        tls: Path | None = None,
        console_port: int | None = None,
        verified: bool = False,
    ) -> None:
        self.settings = settings or Settings()
        self.state, self.tls, self._console_port = state, tls, console_port
        self._listening = Listening(port, rest_port, tls, verified)
        self.address = self.console = ""
        self.addresses = Addresses()
        self.misfits: list[str] = []
        self.control: Control
        self._failure: BaseException | None = None

    @contextlib.contextmanager
    def running(self) -> "Iterator[Emulator]":
        """Serves in a thread with its own event loop until the block ends."""
        started, stop = threading.Event(), Stop()
        thread = threading.Thread(target=self._run, args=(started, stop), name="tpuserve-emulator", daemon=True)
        thread.start()
        started.wait(_START)
        if self._failure is not None or not self.address:
            why = f": {self._failure}" if self._failure is not None else f" within {_START:g} s"
            raise RuntimeError(f"the emulator did not start{why}") from self._failure
        try:
            with Control(self.address) as self.control:
                yield self
        finally:
            stop()
            thread.join()

    def _run(self, started: threading.Event, stop: "Stop") -> None:
        def ready(address: str) -> None:
            self.address = address
            started.set()

        try:
            asyncio.run(self.serve(ready, stop))
        except BaseException as error:  # carried to the thread that waits
            self._failure = error
            started.set()

    async def serve(self, ready: Callable[[str], None], stop: "Stop") -> None:
        """Serves until `stop` is called; calls `ready` with the address as soon as calls are answered."""
        with contextlib.ExitStack() as stack:
            core = Core(self.settings, self.state, self._logs(stack))
            api = Api(core)
            stop.bind(asyncio.get_running_loop())
            core.processes.end_leftovers()
            starting = api.resume()
            core.operations.resume()
            calls, control = Calls(core, api), ControlService(core, api, stop)
            faces = await start_faces(core, calls, control, self._listening, self.misfits)
            try:
                self.addresses = faces.addresses
                await asyncio.gather(*starting)
                await self._show(stack, control, calls)
                ready(faces.addresses.grpc)
                await stop.called.wait()
            finally:
                await faces.stop()
                await core.operations.stop()
                core.servers.abandon()
                await core.processes.stop_all()
                core.store.save()

    async def _show(self, stack: contextlib.ExitStack, control: ControlService, calls: Calls) -> None:
        """Serves the console where it is asked for."""
        if self._console_port is None:
            return
        methods = {method.name for method in calls.methods.values()}
        shown = Console(control.answered, {"gRPC": self.addresses.grpc, "REST": self.addresses.rest}, methods)
        server, port = await http.serving(shown.answer, self._console_port)
        stack.callback(server.close)
        self.console = f"http://127.0.0.1:{port}/"

    def _logs(self, stack: contextlib.ExitStack) -> Path:
        if self.state is not None:
            return self.state.with_name(f"{self.state.name}.logs")
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tpuserve-emulator-")))


class Stop:
    """Asks an emulator to end, from any thread."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def __call__(self) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended already
                self._loop.call_soon_threadsafe(self.called.set)
