"""`tpuserve:vertex:getEndpoint`: an endpoint of Vertex AI and what is deployed on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Required, TypedDict, Unpack

import pulumi

from tpuserve import catalog
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.functions.definition import Function, in_one_place
from tpuserve.resources.functions.program import invoke, invoke_output
from tpuserve.resources.names import check_name_or_id


class GetEndpointArgs(TypedDict, total=False):
    """Arguments of `get_endpoint`."""

    endpoint: Annotated[Required[Input[str]], Field(check=partial(check_name_or_id, "endpoints"))]
    """Id of the endpoint, or its full name `projects/P/locations/L/endpoints/E`."""
    project: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "project"))]
    """Project id, beside an id of an endpoint; the provider's where left out."""
    location: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "region"))]
    """Region, beside an id of an endpoint; the provider's where left out."""


class GetEndpointDeployedModelOutput(TypedDict, total=False):
    """One model deployed on an endpoint."""

    id: str
    """Google's id of the deployed model: its key in the traffic split."""
    display_name: str
    """Its name for people; ends in a mark where tpuserve deployed it."""
    model: str
    """Full name of the model, without version."""
    model_version_id: str
    """The version deployed."""
    create_time: str
    """When it was deployed, RFC 3339."""


@dataclass(frozen=True)
class GetEndpointResult:
    """An endpoint, as it is at this moment."""

    name: str
    """Full name, with Google's project number: what a Deployment takes as `endpoint`."""
    endpoint_id: str
    """Id."""
    display_name: str
    """Name for people."""
    description: str
    """Text for people."""
    labels: Mapping[str, str]
    """Labels, tpuserve's own among them."""
    dedicated_endpoint_enabled: bool
    """Whether it has a host name of its own."""
    dedicated_endpoint_dns: str
    """Its URL: `https://` and that host name."""
    network: str
    """The network it is peered with by private services access; empty where it is not."""
    traffic_split: Mapping[str, int]
    """Share of the requests in percent by id of the deployed model."""
    deployed_models: Sequence[GetEndpointDeployedModelOutput]
    """What is deployed on it."""
    create_time: str
    """When it was created, RFC 3339."""
    update_time: str
    """When it was last changed, RFC 3339."""


FUNCTION = Function(
    token="tpuserve:vertex:getEndpoint",
    args=GetEndpointArgs,
    result=GetEndpointResult,
    doc="An endpoint of Vertex AI and what is deployed on it, whoever created it.",
    place="location",
    named="endpoint",
    rules=(in_one_place("endpoint"),),
)


def get_endpoint(*, opts: pulumi.InvokeOptions | None = None, **args: Unpack[GetEndpointArgs]) -> GetEndpointResult:
    """An endpoint and what is deployed on it, as it is at this moment."""
    return invoke(FUNCTION, args, opts)


def get_endpoint_output(
    *, opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None = None, **args: Unpack[GetEndpointArgs]
) -> pulumi.Output[GetEndpointResult]:
    """`get_endpoint` of arguments that may be outputs; unknown while one of them is."""
    return invoke_output(FUNCTION, args, opts)
