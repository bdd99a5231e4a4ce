"""What Vertex AI refuses in the container of a model. Pure: messages in, an error or nothing out."""

import re
from collections.abc import Iterable
from typing import Any

from tpuserve.emulator.errors import invalid, one_of

_LONGEST_DEPLOYMENT = 7200  # ModelContainerSpec.deployment_timeout: 2 hours
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")  # EnvVar.name: a valid C identifier
_PORTS = range(1, 65536)  # Port.container_port, Probe.HttpGetAction.port and the like
_NUMBERS = ("period_seconds", "timeout_seconds", "failure_threshold", "success_threshold", "initial_delay_seconds")
SPEC = "model.container_spec"


def container_spec(spec: Any) -> None:
    """The rules of ModelContainerSpec."""
    if not spec.image_uri:
        raise invalid(f"{SPEC}.image_uri", "nothing", "given")
    _routes(spec)
    if spec.deployment_timeout.seconds > _LONGEST_DEPLOYMENT:
        raise invalid(f"{SPEC}.deployment_timeout", f"{spec.deployment_timeout.seconds}s", "at most 7200s")
    if spec.shared_memory_size_mb < 0:  # assumed
        raise invalid(f"{SPEC}.shared_memory_size_mb", spec.shared_memory_size_mb, "0 or more")
    for variable in spec.env:
        if _VARIABLE.fullmatch(variable.name) is None:
            raise invalid(f"{SPEC}.env", variable.name, "a valid C identifier")
    _ports(spec.ports, "ports")
    _ports(spec.grpc_ports, "grpc_ports")
    for field in ("startup_probe", "health_probe", "liveness_probe"):
        if spec.HasField(field):
            _probe(getattr(spec, field), f"{SPEC}.{field}")


def _routes(spec: Any) -> None:
    if spec.invoke_route_prefix and (spec.invoke_route_prefix != "/*" or spec.predict_route):
        raise invalid(f"{SPEC}.invoke_route_prefix", spec.invoke_route_prefix, "/*, without predict_route")
    for field in ("predict_route", "health_route"):
        route = getattr(spec, field)
        if route and not route.startswith("/"):  # assumed: an HTTP path
            raise invalid(f"{SPEC}.{field}", route, "a path that begins with /")


def _ports(ports: Iterable[Any], field: str) -> None:
    for port in ports:
        if port.container_port not in _PORTS:
            raise invalid(f"{SPEC}.{field}.container_port", port.container_port, "1 to 65535")


def _probe(probe: Any, field: str) -> None:
    """The rules of Probe; assumed: one without an action is refused."""
    kind = probe.WhichOneof("probe_type")
    if kind is None:
        raise invalid(field, "nothing", "one of exec, http_get, grpc and tcp_socket")
    action = getattr(probe, kind)
    port = getattr(action, "port", 0)
    if port and port not in _PORTS:
        raise invalid(f"{field}.{kind}.port", port, "1 to 65535")
    if kind == "http_get" and action.scheme not in {"", "HTTP", "HTTPS"}:
        raise one_of(f"{field}.http_get.scheme", action.scheme, ["HTTP", "HTTPS"])
    _times(probe, field)


def _times(probe: Any, field: str) -> None:
    """Minimum values are 1, or 0 for the delay; 0 stands for a number left out."""
    for name in _NUMBERS:
        if getattr(probe, name) < 0:
            raise invalid(f"{field}.{name}", getattr(probe, name), "0 or more")
    # assumed: held against what is given alone, for the defaults (10 and 1) do not fit the sentence
    if probe.period_seconds and probe.timeout_seconds and probe.timeout_seconds < probe.period_seconds:
        found = f"{probe.timeout_seconds} with period_seconds {probe.period_seconds}"
        raise invalid(f"{field}.timeout_seconds", found, "greater or equal to period_seconds")
