"""Commands that stand for containers and startup scripts: started, watched, asked, drained, ended."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from tpuserve.emulator import launch as launcher
from tpuserve.emulator.loopback import free_port, get_status, post_json
from tpuserve.emulator.settings import Launch
from tpuserve.emulator.store import Store
from tpuserve.emulator.variables import expanded, extended

Result = TypeVar("Result")
LOG_LINES = 20
_POLL = 0.03
_DRAIN = 5.0
_TERMINATE = 3.0


class Routes(NamedTuple):
    """The paths a process answers on."""

    health: str = ""
    predict: str = ""


class Served:
    """What answers for one deployed model or node: a process with a port, or a builtin without."""

    def __init__(self, name: str, launch: Launch, routes: Routes) -> None:
        self.name, self.launch, self.routes = name, launch, routes
        self.log: Path | None = None
        self.log_start = 0  # where this run begins in a log that earlier ones share
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.killed = False
        self.in_flight = 0
        self.ready = asyncio.Event()

    @property
    def alive(self) -> bool:
        return not self.killed and (self.process is None or self.process.poll() is None)

    def last_lines(self) -> str:
        """The end of what the process wrote."""
        if self.log is None or not self.log.exists():
            return f"(builtin {self.launch.builtin}: no output)"
        lines = self.log.read_bytes()[self.log_start :].decode(errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES:]) or "(no output)"


class Processes:
    """All of them by name. Spawning happens on the loop's own thread: a process dies with the thread that began it."""

    def __init__(self, store: Store, logs: Path) -> None:
        self._store, self._logs = store, logs
        self._served: dict[str, Served] = {}
        # apart, so that servers that hang while they start hold no prediction up
        self._askers = ThreadPoolExecutor(max_workers=32, thread_name_prefix="emulator-predict")
        self._watchers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="emulator-health")

    def get(self, name: str) -> Served | None:
        return self._served.get(name)

    def all(self) -> list[Served]:
        return list(self._served.values())

    def start(
        self,
        name: str,
        launch: Launch,
        variables: dict[str, str],
        *,
        arguments: tuple[str, ...] = (),
        routes: Routes | None = None,
    ) -> Served:
        """Starts what serves under this name. `variables` and `arguments` are expanded here; the port is $(PORT)."""
        served = Served(name, launch, routes or Routes(launch.health_route))
        self._served[name] = served
        if launch.command:
            served.port = free_port()
            served.log = self._logs / f"{name.replace('/', '_')}.log"
            served.log.parent.mkdir(parents=True, exist_ok=True)
            served.log_start = served.log.stat().st_size if served.log.exists() else 0
            self._spawn(served, variables, arguments)
        return served

    async def healthy(self, served: Served, seconds: float) -> bool:
        """Waits until the health route answers 200; False when the process ends first or the time is over."""
        if served.launch.builtin:
            served.ready.set()
            return served.launch.builtin == "echo"
        deadline = time.monotonic() + seconds
        while served.alive and time.monotonic() < deadline:
            if await _in_thread(self._watchers, get_status, served.port, served.routes.health, 2.0) == 200:
                served.ready.set()
                return True
            await asyncio.sleep(_POLL)
        served.ready.set()
        return False

    async def post(self, served: Served, body: bytes, seconds: float) -> tuple[int, bytes]:
        """Sends a request to the process; it is not stopped as long as one is on its way."""
        served.in_flight += 1
        try:
            return await _in_thread(self._askers, post_json, served.port, served.routes.predict, body, seconds)
        finally:
            served.in_flight -= 1

    def kill(self, served: Served) -> None:
        """Ends it as a crash would."""
        served.killed = True
        if served.process is not None:
            _signal_group(served.process.pid, signal.SIGKILL)
            served.process.wait()

    async def stop(self, name: str) -> None:
        """Takes it away: waits for requests on their way, asks it to end, insists."""
        served = self._served.get(name)
        if served is None:
            return
        await self._drained(served)
        await _ended(served)
        self._served.pop(name, None)  # only now: one whose end is interrupted is still known to stop_all
        self._store.drop("processes", name)

    async def stop_all(self) -> None:
        await asyncio.gather(*(_ended(served) for served in self._served.values()))
        for name in self._served:
            self._store.drop("processes", name)
        self._served.clear()
        for pool in (self._askers, self._watchers):
            pool.shutdown(wait=False, cancel_futures=True)

    def end_leftovers(self) -> None:
        """Ends what an emulator that was killed left behind: the same pid, started at the same moment."""
        for name, known in self._store.items("processes"):
            if known["pid"] and started_at(known["pid"]) == known["started"]:
                _signal_group(known["pid"], signal.SIGKILL)
            self._store.drop("processes", name)

    def _spawn(self, served: Served, variables: dict[str, str], arguments: tuple[str, ...]) -> None:
        """A process that cannot even be started is one that has ended, with the reason in its log."""
        assert served.log is not None
        try:
            served.process = _spawned(served, served.log, variables, arguments)
        except OSError as error:
            served.killed = True
            with served.log.open("a") as output:
                output.write(f"{error}\n")
            return
        pid = served.process.pid
        self._store.put("processes", served.name, {"pid": pid, "started": started_at(pid), "port": served.port})
        self._store.save()

    async def _drained(self, served: Served) -> None:
        deadline = time.monotonic() + _DRAIN
        while served.in_flight and time.monotonic() < deadline:  # noqa: ASYNC110 - ended by a deadline too
            await asyncio.sleep(_POLL)


def _spawned(
    served: Served, log: Path, variables: dict[str, str], arguments: tuple[str, ...]
) -> "subprocess.Popen[bytes]":
    launch = served.launch
    port = {"PORT": str(served.port)}
    values = extended(port, (*variables.items(), *launch.env.items()))
    command = [expanded(part, values) for part in (*launch.command, *arguments)]
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), *command],
            env=os.environ | values,
            cwd=launch.cwd or None,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


async def _in_thread(pool: ThreadPoolExecutor, call: Callable[..., Result], *arguments: object) -> Result:
    return await asyncio.get_running_loop().run_in_executor(pool, call, *arguments)


async def _ended(served: Served) -> None:
    process = served.process
    if process is None:
        return
    _signal_group(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + _TERMINATE
    while process.poll() is None and time.monotonic() < deadline:  # noqa: ASYNC110 - a process is no event
        await asyncio.sleep(_POLL)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def started_at(pid: int) -> str:
    """When a process began, as the system tells it; empty if there is none. A pid alone may be another's by now."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            return stat.read_text().rpartition(")")[2].split()[19]
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()
