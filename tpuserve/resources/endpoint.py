"""`tpuserve:vertex:Endpoint`: the address at which Vertex AI answers requests for predictions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import IN_PLACE, REPLACE, Effect, Field, Input
from tpuserve.resources.names import check_own_labels

PLACE = Field(Effect.REPLACE, ours=True)


class EndpointArgs(TypedDict, total=False):
    """Arguments of an endpoint."""

    project: Annotated[Input[str], PLACE]
    """Project id; the provider's where left out."""
    location: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "region"))
    ]
    """Region, such as `us-east5`; the provider's where left out."""
    endpoint_id: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "endpointId"))
    ]
    """Id; made from the resource's name where left out."""
    display_name: Annotated[Required[Input[str]], IN_PLACE]
    """Name for people, at most 128 characters."""
    description: Annotated[Input[str], IN_PLACE]
    """Text for people."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(Effect.IN_PLACE, check=check_own_labels)]
    """Labels. `tpuserve-owner` and `tpuserve-origin` are added."""
    dedicated_endpoint_enabled: Annotated[Input[bool], REPLACE]
    """Whether the endpoint has a host name of its own (output `dedicatedEndpointDns`); the region's shared host name
    then no longer answers for it."""
    allow_replace: Annotated[Input[bool], Field(Effect.IN_PLACE, ours=True)]
    """Allows a change that needs a new endpoint, whose address is another."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text makes a new endpoint, under another id."""


class EndpointOutputs(TypedDict, total=False):
    """Outputs of an endpoint."""

    name: str
    """Full resource name, with Google's project number."""
    dedicated_endpoint_dns: str
    """Host name of a dedicated endpoint."""
    create_time: str
    """When the endpoint was created, RFC 3339."""
    origin: str
    """URN for which the object was first created."""


DEFINITION = Definition(
    token="tpuserve:vertex:Endpoint",
    args=EndpointArgs,
    outputs=EndpointOutputs,
    doc="An endpoint of Vertex AI. What it serves is declared by a Deployment.",
    place="location",
    id_argument="endpointId",
    refresh_before_update=True,
)


class Endpoint(TpuserveResource):
    """An endpoint of Vertex AI."""

    definition = DEFINITION

    def __init__(self, resource_name: str, args: EndpointArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(resource_name, args, opts)

    @property
    def name(self) -> pulumi.Output[str]:
        """Full resource name, with Google's project number."""
        return self._output("name")

    @property
    def dedicated_endpoint_dns(self) -> pulumi.Output[str]:
        """Host name of a dedicated endpoint."""
        return self._output("dedicated_endpoint_dns")
