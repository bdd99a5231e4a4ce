"""A probe of a container, as Vertex AI takes one: `google.cloud.aiplatform.v1.Probe`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.resources.fields import Field, Input

PORT = Field(check=catalog.check_port)
AT_LEAST_0 = Field(check=partial(catalog.check_at_least, 0))
AT_LEAST_1 = Field(check=partial(catalog.check_at_least, 1))
PROBES = ("startupProbe", "healthProbe", "livenessProbe")


class ExecActionArgs(TypedDict, total=False):
    """A command that is run in the container, without a shell."""

    command: Required[Input[Sequence[Input[str]]]]
    """Program and arguments; exit status 0 is healthy."""


class HttpHeaderArgs(TypedDict, total=False):
    """One header of a request."""

    name: Required[Input[str]]
    """Its name."""
    value: Required[Input[str]]
    """Its value."""


class HttpGetActionArgs(TypedDict, total=False):
    """An HTTP GET request."""

    path: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "route"))]
    """Path on the server."""
    port: Annotated[Input[int], PORT]
    """1 to 65535."""
    host: Input[str]
    """Host to connect to; the container's address where left out."""
    scheme: Input[Literal["HTTP", "HTTPS"]]
    """HTTP where left out."""
    http_headers: Input[Sequence[Input[HttpHeaderArgs]]]
    """Headers to send."""


class GrpcActionArgs(TypedDict, total=False):
    """A request of gRPC's health checking protocol."""

    port: Annotated[Input[int], PORT]
    """1 to 65535."""
    service: Input[str]
    """Name of the service in the request."""


class TcpSocketActionArgs(TypedDict, total=False):
    """A TCP connection that is opened."""

    port: Annotated[Input[int], PORT]
    """1 to 65535."""
    host: Input[str]
    """Host to connect to; the container's address where left out."""


class ProbeArgs(TypedDict, total=False):
    """A health check of the container: exactly one of `exec`, `http_get`, `tcp_socket` and `grpc`, and how often."""

    exec: Input[ExecActionArgs]
    """A command in the container."""
    http_get: Input[HttpGetActionArgs]
    """An HTTP request."""
    tcp_socket: Input[TcpSocketActionArgs]
    """A TCP connection."""
    grpc: Input[GrpcActionArgs]
    """A gRPC request."""
    period_seconds: Annotated[Input[int], AT_LEAST_1]
    """Seconds from one probe to the next; 10 where left out."""
    timeout_seconds: Annotated[Input[int], AT_LEAST_1]
    """Seconds until a probe has failed, not less than `period_seconds` where both are given; 1 where left out."""
    failure_threshold: Annotated[Input[int], AT_LEAST_1]
    """Failures in a row that are one too many; 3 where left out."""
    success_threshold: Annotated[Input[int], AT_LEAST_1]
    """Successes in a row that are enough; 1 where left out."""
    initial_delay_seconds: Annotated[Input[int], AT_LEAST_0]
    """Seconds until the first probe; 0 where left out."""


def probe_faults(container: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the probes of a container, each as a whole."""
    for name in PROBES:
        probe = container.get(name)
        if isinstance(probe, Mapping):
            for argument, message in catalog.check_probe(probe):
                yield Fault(".".join(filter(None, ("containerSpec", name, argument))), message)
