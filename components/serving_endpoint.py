"""An endpoint of Vertex AI and what it serves: variants of models on TPU machines, and each one's share of requests."""

from collections.abc import Mapping
from typing import Any, Literal, Required, TypedDict

import pulumi

from tpuserve.resources import (
    ClientConnectionConfigArgs,
    Deployment,
    EncryptionSpecArgs,
    Endpoint,
    EndpointArgs,
    PredictRequestResponseLoggingConfigArgs,
    PrivateServiceConnectConfigArgs,
)

from .inputs import check_arguments, given, picked

TYPE = "tpuserve:components:ServingEndpoint"


class VariantArgs(TypedDict, total=False):
    """One variant: a model version on TPU machines."""

    model: Required[pulumi.Input[str]]
    """`projects/P/locations/L/models/M@3`, such as a `ServingModel`'s `version_name`."""
    machine_type: Required[pulumi.Input[str]]
    """ct6e-standard-1t/4t/8t (v6e) or ct5lp-hightpu-1t/4t/8t (v5e); the last number is the count of TPU chips."""
    min_replica_count: pulumi.Input[int]
    """Replicas that always run, at least 1; 1 where left out."""
    max_replica_count: pulumi.Input[int]
    """Replicas at most; as `min_replica_count` where left out. Vertex AI charges quota for this number."""
    required_replica_count: pulumi.Input[int]
    """Replicas that must be up for a deployment to succeed; `min_replica_count` where left out."""
    spot: pulumi.Input[bool]
    """Spot machines: cheaper, and Google may take them back at any time."""
    service_account: pulumi.Input[str]
    """Service account of the container."""
    display_name: pulumi.Input[str]
    """Name for people; the variant's where left out."""
    recreate: pulumi.Input[str]
    """Any change of this text deploys the variant anew."""


class ServingEndpointArgs(TypedDict, total=False):
    """Arguments of an endpoint and its deployment."""

    display_name: Required[pulumi.Input[str]]
    """Name for people."""
    variants: Required[Mapping[str, VariantArgs]]
    """What is served, by variant name ([a-z][a-z0-9-]*)."""
    traffic_split: pulumi.Input[Mapping[str, pulumi.Input[int]]]
    """Share of each variant in percent, 100 in all; 100 to the only variant where left out."""
    project: pulumi.Input[str]
    """Project id; the provider's where left out."""
    location: pulumi.Input[str]
    """Region, such as `us-east5`; the provider's where left out."""
    endpoint_id: pulumi.Input[str]
    """Id of the endpoint; made from the component's name where left out."""
    description: pulumi.Input[str]
    """Text for people."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the endpoint; Google has none for deployed models."""
    dedicated_endpoint_enabled: pulumi.Input[bool]
    """Whether the endpoint has a host name of its own; the region's shared host name then no longer answers for it."""
    network: pulumi.Input[str]
    """`projects/PROJECT_NUMBER/global/networks/NETWORK` with private services access: for one variant."""
    private_service_connect_config: pulumi.Input[PrivateServiceConnectConfigArgs]
    """Private Service Connect, in place of a public address."""
    encryption_spec: pulumi.Input[EncryptionSpecArgs]
    """Customer-managed encryption key of the endpoint and all below it."""
    predict_request_response_logging_config: pulumi.Input[PredictRequestResponseLoggingConfigArgs]
    """Requests and responses, logged in BigQuery."""
    client_connection_config: pulumi.Input[ClientConnectionConfigArgs]
    """The timeout of requests, where the endpoint is dedicated or behind Private Service Connect."""
    on_failure: pulumi.Input[Literal["KEEP", "UNDEPLOY"]]
    """What happens to variants that came up when another one did not; KEEP where left out."""
    allow_replace: pulumi.Input[bool]
    """Allows a change that needs a new endpoint, whose address is another."""


class ServingEndpoint(pulumi.ComponentResource):
    """An endpoint that serves. Children: `<name>-endpoint` and `<name>-deployment`."""

    endpoint: Endpoint
    """The endpoint itself."""
    deployment: Deployment
    """What the endpoint serves."""
    endpoint_name: pulumi.Output[str]
    """Full resource name of the endpoint."""
    deployed_model_status: pulumi.Output[Mapping[str, Any]]
    """Id, model version and replicas of each variant."""
    traffic_split: pulumi.Output[Mapping[str, int]]
    """Share of each variant in percent, as declared."""

    def __init__(self, name: str, args: ServingEndpointArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ServingEndpoint", name, ServingEndpointArgs, args)
        for variant, each in args["variants"].items():
            check_arguments("ServingEndpoint", f"{name}, variant {variant}", VariantArgs, each)
        child = pulumi.ResourceOptions(parent=self)
        self.endpoint = Endpoint(f"{name}-endpoint", endpoint_args(args), child)  # pyright: ignore[reportArgumentType]
        wanted = deployment_args(args) | {"endpoint": self.endpoint.name}
        self.deployment = Deployment(f"{name}-deployment", wanted, child)  # pyright: ignore[reportArgumentType]
        self.endpoint_name = self.endpoint.name
        self.deployed_model_status = self.deployment.deployed_model_status
        split: Any = wanted["traffic_split"]
        self.traffic_split = pulumi.Output.from_input(split)
        self.register_outputs(
            {
                "endpointName": self.endpoint_name,
                "deployedModelStatus": self.deployed_model_status,
                "trafficSplit": self.traffic_split,
            }
        )


def endpoint_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-endpoint`."""
    return picked(args, *(name for name in EndpointArgs.__annotations__ if name in ServingEndpointArgs.__annotations__))


def deployment_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-deployment`, less the endpoint."""
    variants: Mapping[str, Mapping[str, Any]] = args["variants"]
    split = args.get("traffic_split")
    if split is None and len(variants) == 1:
        split = dict.fromkeys(variants, 100)
    models = {name: deployed_model_args(variant) for name, variant in variants.items()}
    return {"deployed_models": models, "traffic_split": split} | picked(args, "on_failure")


def deployed_model_args(variant: Mapping[str, Any]) -> dict[str, Any]:
    """One variant as the Deployment takes it."""
    replicas = {
        "machine_spec": {"machine_type": variant["machine_type"]},
        "min_replica_count": variant.get("min_replica_count", 1),
    }
    replicas |= picked(variant, "max_replica_count", "required_replica_count", "spot")
    own = picked(variant, "model", "display_name", "service_account", "recreate")
    return given(own | {"dedicated_resources": replicas})
