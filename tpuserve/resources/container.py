"""The container that serves a model: `google.cloud.aiplatform.v1.ModelContainerSpec`, every field of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Required, TypedDict

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.probe import ProbeArgs, probe_faults
from tpuserve.resources.same import same_duration

DEPLOYMENT_TIMEOUT_LIMIT = 7200.0  # ModelContainerSpec.deployment_timeout: "Limit: 2 hours"
ROUTE = Field(check=partial(catalog.check_resource_id, "route"))


class EnvVarArgs(TypedDict, total=False):
    """One environment variable of the container."""

    name: Annotated[Required[Input[str]], Field(check=partial(catalog.check_resource_id, "envVarName"))]
    """Name; a C identifier."""
    value: Required[Input[str]]
    """Value; `$(NAME)` stands for a variable given earlier."""


class PortArgs(TypedDict, total=False):
    """One port of the container."""

    container_port: Annotated[Required[Input[int]], Field(check=catalog.check_port)]
    """1 to 65535."""


class ContainerSpecArgs(TypedDict, total=False):
    """The container that serves the model. Google calls the whole of it immutable: a change is a new version."""

    image_uri: Annotated[Required[Input[str]], Field(check=partial(catalog.check_resource_id, "imageUri"))]
    """Image in Artifact Registry; ingested at upload, so a moved tag changes nothing."""
    command: Input[Sequence[Input[str]]]
    """Entry point in place of the image's."""
    args: Input[Sequence[Input[str]]]
    """Arguments of the command."""
    env: Input[Sequence[Input[EnvVarArgs]]]
    """Environment variables, beside those that Vertex AI sets (`AIP_*`)."""
    ports: Input[Sequence[Input[PortArgs]]]
    """Only the first is used; 8080 where left out."""
    grpc_ports: Input[Sequence[Input[PortArgs]]]
    """Port for predictions over gRPC; only the first is used, and without one there are none."""
    predict_route: Annotated[Input[str], ROUTE]
    """Path to which requests for predictions are sent."""
    health_route: Annotated[Input[str], ROUTE]
    """Path that answers 200 when the server is ready."""
    invoke_route_prefix: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "invokeRoutePrefix"))]
    """`/*` passes any path on, in place of `predict_route`; the model can then be deployed to a dedicated endpoint
    only."""
    deployment_timeout: Annotated[
        Input[str], Field(check=partial(catalog.check_duration, at_most=DEPLOYMENT_TIMEOUT_LIMIT), same=same_duration)
    ]
    """How long a deployment may take, at most `7200s`."""
    shared_memory_size_mb: Annotated[Input[int], Field(check=partial(catalog.check_at_least, 0))]
    """Shared memory of the container in MB."""
    startup_probe: Input[ProbeArgs]
    """Whether the server has started; until then no other probe counts."""
    health_probe: Input[ProbeArgs]
    """Whether the server is ready for requests (Kubernetes' readiness probe)."""
    liveness_probe: Input[ProbeArgs]
    """Whether the server still lives."""


def container_faults(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    """What needs several arguments of the container."""
    container = inputs.get("containerSpec")
    if not isinstance(container, Mapping):
        return
    for fault in catalog.check_routes(container):
        yield Fault(f"containerSpec.{fault.path}", fault.message)
    yield from probe_faults(container)
