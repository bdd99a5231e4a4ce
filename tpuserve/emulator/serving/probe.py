"""Probes of a container: what is looked at, how often, and what so many answers in a row amount to."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import grpc
import grpc.aio

from tpuserve.emulator.serving.process import Served
from tpuserve.emulator.serving.processes import Processes

_SERVING = 1  # grpc.health.v1.HealthCheckResponse.ServingStatus
_HEALTH = "/grpc.health.v1.Health/Check"
Action = Literal["http_get", "tcp_socket", "grpc", "exec"]


class Probe(NamedTuple):
    """One probe; times in seconds, the defaults those of google.cloud.aiplatform.v1.Probe."""

    action: Action
    path: str = ""
    headers: Mapping[str, str] = {}
    service: str = ""
    period: float = 10
    timeout: float = 1
    failures: int = 3
    successes: int = 1
    delay: float = 0

    @property
    def patience(self) -> float:
        """How long after the start it may take until this probe has failed for good."""
        return self.delay + self.period * self.failures


class Probes(NamedTuple):
    """The probes of a container. Source: ModelContainerSpec.startup_probe (Kubernetes startup probe), .health_probe
    (readiness) and .liveness_probe."""

    startup: Probe | None
    health: Probe
    liveness: Probe


class Tally:
    """Answers in a row, as Kubernetes counts them: a threshold is reached by an unbroken row alone."""

    def __init__(self, probe: Probe, began: float) -> None:
        self.probe, self.due = probe, began + probe.delay
        self.successes = self.failures = 0

    def told(self, healthy: bool, now: float) -> bool | None:
        """What the row amounts to after one more answer: succeeded, failed, or neither yet."""
        self.due = now + self.probe.period
        self.successes, self.failures = (self.successes + 1, 0) if healthy else (0, self.failures + 1)
        if self.successes >= self.probe.successes:
            return True
        return False if self.failures >= self.probe.failures else None


def probe_of(given: Any, default: Probe) -> Probe:
    """A probe as the specification gives it (google.cloud.aiplatform.v1.Probe); `default` where it gives none.

    assumed: whatever the port and the scheme, the one port of the process is asked over plain HTTP.
    """
    kind = given.WhichOneof("probe_type")
    if kind is None:
        return default
    action = getattr(given, kind)
    probe = Probe(
        kind,
        period=given.period_seconds or 10,
        timeout=given.timeout_seconds or 1,
        failures=given.failure_threshold or 3,
        successes=given.success_threshold or 1,
        delay=given.initial_delay_seconds,
    )
    if kind == "http_get":
        return probe._replace(
            path=action.path or "/", headers={found.name: found.value for found in action.http_headers}
        )
    return probe._replace(service=action.service) if kind == "grpc" else probe


async def looked(probe: Probe, served: Served, processes: Processes) -> bool:
    """One look at a process. Source of the range: Kubernetes' httpGet succeeds from 200 to 399.

    assumed: an exec action, whose command is the container's, is never run: an open port stands for its success.
    """
    if probe.action == "http_get":
        status = await processes.status(served.port, probe.path, probe.timeout, dict(probe.headers))
        return 200 <= status < 400
    if probe.action == "grpc":
        return await _grpc_serving(served.port, probe.service, probe.timeout)
    return await _open(served.port, probe.timeout)


async def _open(port: int, seconds: float) -> bool:
    with contextlib.suppress(OSError, TimeoutError):
        _, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), seconds)
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        return True
    return False


async def _grpc_serving(port: int, service: str, seconds: float) -> bool:
    """grpc.health.v1, its two messages by hand: field 1 of either, a text and an enum."""
    name = service.encode()
    request = b"\x0a" + bytes([len(name)]) + name if name else b""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        check: Any = channel.unary_unary(_HEALTH, _as_it_is, _as_it_is)
        try:
            answer: bytes = await check(request, timeout=seconds)
        except grpc.aio.AioRpcError:
            return False
    return answer == bytes([0x08, _SERVING])


def _as_it_is(message: bytes) -> bytes:
    return message
