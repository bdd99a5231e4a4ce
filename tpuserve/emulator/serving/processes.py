"""All processes by name: started, looked at, asked, drained, ended, and what they wrote."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from tpuserve.emulator.serving.loopback import Answer, Question, free_port, get_status, post, stream
from tpuserve.emulator.serving.process import POLL, Guard, Routes, Served, signal_group, started_at
from tpuserve.emulator.settings import Launch
from tpuserve.emulator.store import Store

Result = TypeVar("Result")
_DRAIN = 5.0


class Processes:
    """All of them by name. Spawning happens on the loop's own thread: a process dies with the thread that began it."""

    def __init__(self, store: Store, logs: Path) -> None:
        self._store, self._logs = store, logs
        self._served: dict[str, Served] = {}
        self._written: dict[str, Path] = {}
        self._guard = Guard()
        # apart, so that servers that hang while they start hold no prediction up
        self._askers = ThreadPoolExecutor(max_workers=32, thread_name_prefix="emulator-predict")
        self._watchers = ThreadPoolExecutor(max_workers=8, thread_name_prefix="emulator-health")

    def get(self, name: str) -> Served | None:
        return self._served.get(name)

    def all(self) -> list[Served]:
        return list(self._served.values())

    def logs(self) -> dict[str, Path]:
        """The log of each process since the start of the emulator, those that ended included."""
        return {name: path for name, path in self._written.items() if path.exists()}

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
            self._written[name] = served.log
            self._spawn(served, variables, arguments)
        return served

    async def healthy(self, served: Served, seconds: float) -> bool:
        """Waits until the health route answers 200; False when the process ends first or the time is over."""
        if served.launch.builtin:
            return served.launch.builtin == "echo"
        deadline = time.monotonic() + seconds
        while served.alive and time.monotonic() < deadline:
            if await self.status(served.port, served.routes.health, 2.0) == 200:
                return True
            await asyncio.sleep(POLL)
        return False

    async def status(self, port: int, route: str, seconds: float, headers: dict[str, str] | None = None) -> int:
        """What a GET is answered with; 0 where nobody answers."""
        return await _in_thread(self._watchers, get_status, port, route, seconds, headers)

    async def post(self, served: Served, body: bytes, kind: str, seconds: float) -> Answer:
        """Sends a request to the process; it is not stopped as long as one is on its way."""
        served.in_flight += 1
        try:
            question = Question(served.port, served.routes.predict, body, kind, seconds)
            return await _in_thread(self._askers, post, question)
        finally:
            served.in_flight -= 1

    async def stream(self, served: Served, body: bytes, kind: str, seconds: float) -> AsyncIterator[Answer]:
        """The same, its answer piece by piece as the process writes it."""
        served.in_flight += 1
        try:
            question = Question(served.port, served.routes.predict, body, kind, seconds)
            async for answer in stream(self._askers, question):
                yield answer
        finally:
            served.in_flight -= 1

    async def stop(self, name: str) -> None:
        """Takes it away: waits for requests on their way, asks it to end, insists."""
        served = self._served.get(name)
        if served is None:
            return
        await self._drained(served)
        await served.end()
        self.forget(served)

    def forget(self, served: Served) -> None:
        """One that has ended: only now, for one whose end is interrupted is still known to stop_all."""
        if self._served.get(served.name) is served:
            self._served.pop(served.name)
            self._store.drop("processes", served.name)
        if served.process is not None:
            self._guard.ended(served.process.pid)

    async def stop_all(self) -> None:
        await asyncio.gather(*(served.end() for served in self._served.values()))
        for served in self.all():
            self.forget(served)
        self._guard.close()
        for pool in (self._askers, self._watchers):
            pool.shutdown(wait=False, cancel_futures=True)

    def clear(self) -> None:
        """Ends all as a crash would, and forgets what they wrote."""
        for served in self.all():
            served.kill()
            self.forget(served)
        self._written.clear()

    def end_leftovers(self) -> None:
        """Ends what an emulator that was killed left behind: the same pid, started at the same moment."""
        for name, known in self._store.items("processes"):
            if known["pid"] and started_at(known["pid"]) == known["started"]:
                signal_group(known["pid"], signal.SIGKILL)
            self._store.drop("processes", name)

    def _spawn(self, served: Served, variables: dict[str, str], arguments: tuple[str, ...]) -> None:
        """A process that cannot even be started is one that has ended, with the reason in its log."""
        assert served.log is not None
        try:
            served.spawn(served.log, variables, arguments)
        except OSError as error:
            served.killed.set()
            with served.log.open("a") as output:
                output.write(f"{error}\n")
            return
        assert served.process is not None
        pid = served.process.pid
        self._guard.began(pid)
        self._store.put("processes", served.name, {"pid": pid, "started": started_at(pid), "port": served.port})
        self._store.save()

    async def _drained(self, served: Served) -> None:
        deadline = time.monotonic() + _DRAIN
        while served.in_flight and time.monotonic() < deadline:  # noqa: ASYNC110 - ended by a deadline too
            await asyncio.sleep(POLL)


async def _in_thread(pool: ThreadPoolExecutor, call: Callable[..., Result], *arguments: object) -> Result:
    return await asyncio.get_running_loop().run_in_executor(pool, call, *arguments)
