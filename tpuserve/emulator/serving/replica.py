"""One replica of a model server: started, probed, restarted after a crash, as a container of Kubernetes is."""

import asyncio
from collections.abc import Callable
from typing import Literal, NamedTuple

from tpuserve.emulator.clock import Clock
from tpuserve.emulator.serving.probe import Probe, Probes, Tally, looked
from tpuserve.emulator.serving.process import POLL, Routes, Served
from tpuserve.emulator.serving.processes import Processes
from tpuserve.emulator.settings import Launch, Settings

State = Literal["STARTING", "READY", "UNREADY", "BACK_OFF"]
TICK = 0.1
# kubernetes.io, "Pod Lifecycle": restarts wait 10 s, 20 s, 40 s, ... up to 300 s; after 10 minutes of running, anew
_LONGEST_BACK_OFF = 300.0
_STEADY = 600.0


class Container(NamedTuple):
    """What each replica of a deployed model runs."""

    launch: Launch
    routes: Routes
    probes: Probes
    variables: dict[str, str]
    arguments: tuple[str, ...] = ()


class Replica:
    """One replica under one name. `changed` is called whenever its state is another one."""

    def __init__(  # noqa: PLR0917 - what it is made of
        self,
        name: str,
        container: Container,
        processes: Processes,
        clock: Clock,
        settings: Settings,
        changed: Callable[[], None],
    ) -> None:
        self.name, self.container = name, container
        self._processes, self._clock, self._settings, self._changed = processes, clock, settings, changed
        self.state: State = "STARTING"
        self.restarts = 0
        self.reason = ""
        """Why it ended the last time."""
        self.served = self._start()
        self._task = asyncio.get_running_loop().create_task(self._live())

    @property
    def ready(self) -> bool:
        return self.state == "READY" and self.served.alive

    @property
    def ended_before(self) -> bool:
        """Whether it has ever ended by itself."""
        return bool(self.reason)

    async def stop(self) -> None:
        """Takes it away for good."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._processes.stop(self.name)

    def abandon(self) -> None:
        """No longer watched; its process is somebody else's to end."""
        self._task.cancel()

    def _start(self) -> Served:
        found = self.container
        self._started = self._clock.now()
        return self._processes.start(
            self.name, found.launch, found.variables, arguments=found.arguments, routes=found.routes
        )

    async def _live(self) -> None:
        """Runs until it is stopped: started, watched until it ends, started again after its back-off."""
        delays = 0
        while True:
            self.reason = await self._run()
            self._enter("BACK_OFF")
            await self.served.end()
            self._processes.forget(self.served)
            delays = 0 if self._clock.now() - self._started >= _STEADY else delays
            await self._clock.until(self._clock.now() + back_off(self._settings.restart_delay, delays))
            await asyncio.sleep(TICK)  # not by the clock: an instant one would let a server that crashes spin
            delays, self.restarts = delays + 1, self.restarts + 1
            self.served = self._start()
            self._enter("STARTING")

    async def _run(self) -> str:
        """One life; returns why it ended."""
        if self.served.launch.builtin:
            return await self._run_builtin()
        probes = self.container.probes
        if probes.startup is not None and not await self._succeeds(probes.startup, probes.startup.patience):
            return "its startup probe failed" if self.served.alive else self.served.how_it_ended()
        if not await self._succeeds(probes.health, None):
            return self.served.how_it_ended()
        self._enter("READY")
        return await self._watch(probes)

    async def _run_builtin(self) -> str:
        if self.served.launch.builtin == "echo":
            self._enter("READY")
        await self.served.killed.wait()
        return self.served.how_it_ended()

    async def _succeeds(self, probe: Probe, patience: float | None) -> bool:
        """Whether a probe succeeds before the process ends or the patience is over.

        Looked at oftener than the period says: a deployment is to take no longer than its server does.
        """
        began = self._clock.now()
        await self._clock.until(began + probe.delay)
        row = Tally(probe, began)
        while self.served.alive and (patience is None or self._clock.now() < began + patience):
            if await looked(probe, self.served, self._processes):
                if row.told(True, self._clock.now()):
                    return True
            else:
                row.successes = 0
            await asyncio.sleep(POLL)
        return False

    async def _watch(self, probes: Probes) -> str:
        """Looks at health and liveness, each when it is due, until the process ends or is no longer alive."""
        now = self._clock.now()
        health, liveness = Tally(probes.health, now), Tally(probes.liveness, now)
        health.due = now + probes.health.period
        while self.served.alive:
            await asyncio.sleep(TICK)
            if self._clock.now() >= health.due:
                self._judge(await self._looked(health))
            if self._clock.now() >= liveness.due and await self._looked(liveness) is False:
                return "its liveness probe failed"
        return self.served.how_it_ended()

    async def _looked(self, row: Tally) -> bool | None:
        return row.told(await looked(row.probe, self.served, self._processes), self._clock.now())

    def _judge(self, healthy: bool | None) -> None:
        if healthy is not None:
            self._enter("READY" if healthy else "UNREADY")

    def _enter(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self._changed()


def back_off(first: float, restarts: int) -> float:
    """The seconds before the next restart, after so many in a row."""
    return min(first * 2.0 ** min(restarts, 32), max(first, _LONGEST_BACK_OFF))
