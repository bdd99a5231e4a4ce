"""Model servers: for each deployed model as many replicas as it has, or as this machine bears."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from tpuserve.emulator.clock import Clock
from tpuserve.emulator.serving.autoscaling import Rate
from tpuserve.emulator.serving.process import POLL
from tpuserve.emulator.serving.processes import Processes
from tpuserve.emulator.serving.replica import Container, Replica
from tpuserve.emulator.settings import Settings


class ModelServer:
    """The replicas of one deployed model. `told` is how many the API speaks of, of which some have a process."""

    def __init__(self, name: str, container: Container, make: Callable[[str], Replica]) -> None:
        self.name, self.container = name, container
        self.replicas: list[Replica] = []
        self.told = 0
        self.rate = Rate()
        self.scaler: asyncio.Task[None] | None = None
        self._make = make
        self._leaving: set[asyncio.Task[None]] = set()
        self._turn = 0

    @property
    def available(self) -> int:
        """Replicas that take requests; those without a process are taken to be well."""
        return max(0, self.told - sum(not replica.ready for replica in self.replicas))

    def scale(self, told: int, processes: int) -> None:
        """Starts what is missing, and takes away what is too much when its requests are answered."""
        self.told = told
        for index in range(len(self.replicas), processes):
            self.replicas.append(self._make(f"{self.name}/replicas/{index}"))
        for replica in self.replicas[processes:]:
            task = asyncio.get_running_loop().create_task(replica.stop())
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
        del self.replicas[processes:]

    def chosen(self) -> Replica | None:
        """The replica for the next request: ready, and with the fewest on their way; in turn where that is equal."""
        self._turn += 1
        ready = [replica for replica in self.replicas if replica.ready]
        ready = ready[self._turn % len(ready) :] + ready[: self._turn % len(ready)] if ready else []
        return min(ready, key=lambda replica: replica.served.in_flight, default=None)

    async def reachable(self) -> Replica | None:
        """The same, waited for while one starts for the first time."""
        while (found := self.chosen()) is None and any(map(_starts, self.replicas)):  # noqa: ASYNC110 - any one of them
            await asyncio.sleep(POLL)
        return found

    async def ready(self, needed: int, seconds: float) -> Replica | None:
        """None once that many replicas are ready; else one that keeps it from being so, or did when time was over."""
        deadline, needed = time.monotonic() + seconds, min(needed, len(self.replicas))
        await asyncio.sleep(0)  # a builtin is ready at its first turn
        while sum(replica.ready for replica in self.replicas) < needed:
            ended = [replica for replica in self.replicas if replica.ended_before]
            if len(self.replicas) - len(ended) < needed:
                return ended[0]
            if time.monotonic() >= deadline or self._never():
                return next(replica for replica in self.replicas if not replica.ready)
            await asyncio.sleep(POLL)
        return None

    def _never(self) -> bool:
        return self.container.launch.builtin == "unhealthy"

    async def stop(self) -> None:
        if self.scaler is not None:
            self.scaler.cancel()
        await asyncio.gather(*(replica.stop() for replica in self.replicas), *self._leaving)
        self.replicas.clear()

    def abandon(self) -> None:
        """No longer watched; the processes are somebody else's to end."""
        for task in (self.scaler, *self._leaving):
            if task is not None:
                task.cancel()
        for replica in self.replicas:
            replica.abandon()

    def described(self) -> list[dict[str, Any]]:
        """What runs, for the control API."""
        return [_described(replica) for replica in self.replicas]


class ModelServers:
    """All of them, by the name of what they serve."""

    def __init__(self, processes: Processes, clock: Clock, settings: Settings) -> None:
        self._processes, self._clock, self._settings = processes, clock, settings
        self._found: dict[str, ModelServer] = {}
        self.on_change: Callable[[ModelServer], None] = lambda _: None
        """Called when a replica's state is another one."""

    def get(self, name: str) -> ModelServer | None:
        return self._found.get(name)

    def start(self, name: str, container: Container) -> ModelServer:
        """A server without replicas, until it is scaled."""

        def make(replica: str) -> Replica:
            return Replica(
                replica, container, self._processes, self._clock, self._settings, lambda: self.on_change(server)
            )

        server = self._found[name] = ModelServer(name, container, make)
        return server

    def scale(self, server: ModelServer, told: int) -> None:
        """As many replicas as are told of, and as many processes as `replica_processes` lets it have."""
        server.scale(told, min(told, self._settings.replica_processes))

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Work of a server that ends with it."""
        return asyncio.get_running_loop().create_task(work)

    async def stop(self, name: str) -> None:
        server = self._found.get(name)
        if server is not None:
            await server.stop()
            self._found.pop(name, None)

    def abandon(self) -> None:
        """All at once, at a reset or the end."""
        for server in self._found.values():
            server.abandon()
        self._found.clear()


def _starts(replica: Replica) -> bool:
    return replica.state == "STARTING" and not replica.ended_before and replica.container.launch.builtin != "unhealthy"


def _described(replica: Replica) -> dict[str, Any]:
    served = replica.served
    shown: dict[str, Any] = {"name": replica.name, "state": replica.state, "restarts": replica.restarts}
    if replica.reason:
        shown["ended"] = replica.reason
    if served.process is not None and served.alive:
        shown |= {"pid": served.process.pid, "port": served.port}
    return shown
