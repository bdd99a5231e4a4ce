"""`tpuserve:vertex:Endpoint`: the address at which Vertex AI answers requests for predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import Fault
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.encryption import EncryptionSpecArgs, key_location_faults
from tpuserve.resources.fields import IN_PLACE, PLACE, REPLACE, Effect, Field, Input
from tpuserve.resources.names import PROJECT, check_own_labels
from tpuserve.resources.same import is_completed_uri, same_duration, same_set

IN_PLACE_BLANK = Field(Effect.IN_PLACE, absent_when_empty=True)


class PrivateServiceConnectConfigArgs(TypedDict, total=False):
    """A private endpoint that clients reach through Private Service Connect."""

    enable_private_service_connect: Annotated[Required[Input[bool]], Field(check=catalog.check_enabled)]
    """true; without Private Service Connect the whole object is left out."""
    project_allowlist: Annotated[Input[Sequence[Input[str]]], Field(check=catalog.check_allowlist, same=same_set)]
    """Projects, by id or number, whose forwarding rules may target the endpoint."""


class BigQueryDestinationArgs(TypedDict, total=False):
    """Where requests and responses are written to."""

    output_uri: Annotated[
        Required[Input[str]],
        Field(check=partial(catalog.check_resource_id, "bigqueryUri"), completed=is_completed_uri),
    ]
    """`bq://PROJECT`, `bq://PROJECT.DATASET` or `bq://PROJECT.DATASET.TABLE`; Google makes what is left out."""


class PredictRequestResponseLoggingConfigArgs(TypedDict, total=False):
    """A log of requests and responses in BigQuery."""

    enabled: Input[bool]
    """Whether requests are logged."""
    sampling_rate: Annotated[Input[float], Field(check=catalog.check_sampling_rate)]
    """Share of the requests that is logged, above 0 and up to 1."""
    bigquery_destination: Annotated[Input[BigQueryDestinationArgs], Field(filled=True)]
    """BigQuery project, dataset or table; a dataset of the endpoint's own where left out."""


class ClientConnectionConfigArgs(TypedDict, total=False):
    """How long a client is answered."""

    inference_timeout: Annotated[Input[str], Field(check=catalog.check_duration, same=same_duration)]
    """Time for one request, above `0s` and up to `3600s`; only on a dedicated endpoint or behind Private Service
    Connect."""


class EndpointArgs(TypedDict, total=False):
    """Arguments of an endpoint."""

    project: Annotated[Input[str], PROJECT]
    """Project id; the provider's where left out."""
    location: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "region"))
    ]
    """Region, such as `us-east5`; the provider's where left out."""
    endpoint_id: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "endpointId"))
    ]
    """Id; made from the resource's name where left out."""
    display_name: Annotated[
        Required[Input[str]], Field(Effect.IN_PLACE, check=partial(catalog.check_resource_id, "displayName"))
    ]
    """Name for people, at most 128 characters."""
    description: Annotated[Input[str], IN_PLACE]
    """Text for people."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(Effect.IN_PLACE, check=check_own_labels)]
    """Labels. `tpuserve-owner` and `tpuserve-origin` are added."""
    dedicated_endpoint_enabled: Annotated[Input[bool], REPLACE]
    """Whether the endpoint has a host name of its own (output `dedicated_endpoint_dns`); the region's shared host name
    then no longer answers for it. At most one of this, `network` and `private_service_connect_config`."""
    network: Annotated[
        Input[str], Field(Effect.REPLACE, is_name=True, check=partial(catalog.check_resource_id, "network"))
    ]
    """`projects/PROJECT_NUMBER/global/networks/NETWORK` with private services access: the endpoint is reached from that
    network only, serves one variant, and logs no requests."""
    private_service_connect_config: Annotated[Input[PrivateServiceConnectConfigArgs], REPLACE]
    """Private Service Connect."""
    encryption_spec: Annotated[Input[EncryptionSpecArgs], REPLACE]
    """Customer-managed encryption key of the endpoint and all below it."""
    predict_request_response_logging_config: Annotated[Input[PredictRequestResponseLoggingConfigArgs], IN_PLACE_BLANK]
    """Requests and responses, logged in BigQuery."""
    client_connection_config: Annotated[
        Input[ClientConnectionConfigArgs], Field(Effect.IN_PLACE, absent_when_empty=True)
    ]
    """The timeout of requests; changes by a long-running update of its own, after all else."""
    allow_replace: Annotated[Input[bool], Field(Effect.IN_PLACE, ours=True)]
    """Allows a change that needs a new endpoint, whose address is another."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text makes a new endpoint, under another id."""


class EndpointOutputs(TypedDict, total=False):
    """Outputs of an endpoint."""

    name: str
    """Full resource name, with Google's project number."""
    endpoint_id: str
    """The last part of the name."""
    dedicated_endpoint_dns: str
    """URL of a dedicated endpoint: `https://` and its host name."""
    create_time: str
    """When the endpoint was created, RFC 3339."""
    update_time: str
    """When the endpoint was last changed, by this resource or another hand, RFC 3339."""
    origin: str
    """URN for which the object was first created."""


def _rules(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    yield from catalog.check_endpoint(inputs)
    yield from key_location_faults(inputs)


DEFINITION = Definition(
    token="tpuserve:vertex:Endpoint",
    args=EndpointArgs,
    outputs=EndpointOutputs,
    doc="An endpoint of Vertex AI. What it serves is declared by a Deployment.",
    place="location",
    id_argument="endpointId",
    rules=(_rules,),
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
    def endpoint_id(self) -> pulumi.Output[str]:
        """The last part of the name."""
        return self._output("endpoint_id")

    @property
    def dedicated_endpoint_dns(self) -> pulumi.Output[str]:
        """URL of a dedicated endpoint: `https://` and its host name."""
        return self._output("dedicated_endpoint_dns")

    @property
    def create_time(self) -> pulumi.Output[str]:
        """When the endpoint was created, RFC 3339."""
        return self._output("create_time")

    @property
    def update_time(self) -> pulumi.Output[str]:
        """When the endpoint was last changed, RFC 3339."""
        return self._output("update_time")
