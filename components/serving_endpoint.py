"""An endpoint of Vertex AI and what it serves: variants of models on TPU machines, and each one's share of requests."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

import pulumi

from tpuserve.catalog import Fault
from tpuserve.catalog.words import listed
from tpuserve.resources import (
    ClientConnectionConfigArgs,
    Deployment,
    EncryptionSpecArgs,
    Endpoint,
    EndpointArgs,
    PredictRequestResponseLoggingConfigArgs,
    PrivateServiceConnectConfigArgs,
)
from tpuserve.resources.deployed_model import AutoscalingMetricSpecArgs, ReservationAffinityArgs

from .inputs import check_arguments, picked

TYPE = "tpuserve:components:ServingEndpoint"
MACHINES = ("machine_type", "tpu_topology", "reservation_affinity", "min_replica_count")
REPLICAS = ("max_replica_count", "required_replica_count", "autoscaling_metric_specs", "spot")
OWN = (
    "model", "id", "display_name", "shared_resources", "service_account", "enable_access_logging",
    "disable_container_logging", "strategy", "deletion_protection", "recreate",
)  # fmt: skip


class VariantArgs(TypedDict, total=False):
    """One variant: a model version on TPU machines."""

    model: Required[pulumi.Input[str]]
    """`projects/P/locations/L/models/M@3`, such as a `ServingModel`'s `version_name`."""
    machine_type: pulumi.Input[str]
    """ct6e-standard-1t/4t/8t (v6e) or ct5lp-hightpu-1t/4t/8t (v5e); the last number is the count of TPU chips. Either
    this or `shared_resources`."""
    tpu_topology: pulumi.Input[str]
    """For replicas of several hosts, such as 4x4 on -4t machines; left out for a single host."""
    reservation_affinity: pulumi.Input[ReservationAffinityArgs]
    """Which reservation the machines are drawn from."""
    shared_resources: pulumi.Input[str]
    """`projects/P/locations/L/deploymentResourcePools/R`: a pool in place of machines of its own."""
    min_replica_count: pulumi.Input[int]
    """Replicas that always run, at least 1; 1 where left out."""
    max_replica_count: pulumi.Input[int]
    """Replicas at most; as `min_replica_count` where left out. Vertex AI charges quota for this number."""
    required_replica_count: pulumi.Input[int]
    """Replicas that must be up for a deployment to succeed; `min_replica_count` where left out."""
    autoscaling_metric_specs: pulumi.Input[Sequence[pulumi.Input[AutoscalingMetricSpecArgs]]]
    """What replicas follow between min and max; CPU at 60 % where left out."""
    spot: pulumi.Input[bool]
    """Spot machines: cheaper, and Google may take them back at any time."""
    service_account: pulumi.Input[str]
    """Service account of the container."""
    display_name: pulumi.Input[str]
    """Name for people; the variant's where left out."""
    id: pulumi.Input[str]
    """Id of the deployed model, 1 to 10 digits, to take over what runs or to fix one; else Google's choice."""
    enable_access_logging: pulumi.Input[bool]
    """Whether each request is logged."""
    disable_container_logging: pulumi.Input[bool]
    """Whether the container's output is kept out of Cloud Logging."""
    strategy: pulumi.Input[Literal["BESIDE", "UNDEPLOY_FIRST"]]
    """Deployed anew beside what runs (BESIDE, the default), or after that was undeployed."""
    deletion_protection: pulumi.Input[bool]
    """While true, the variant cannot be removed; false where left out."""
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
    paused: pulumi.Input[bool]
    """While true, every variant is undeployed and the endpoint stays."""
    allow_outage: pulumi.Input[bool]
    """Agrees to UNDEPLOY_FIRST of the only variant that serves."""
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
            check_arguments("ServingEndpoint", f"{name}, variant {variant}", VariantArgs, each, _resources(each))
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
    return {"deployed_models": models, "traffic_split": split} | picked(args, "on_failure", "paused", "allow_outage")


def deployed_model_args(variant: Mapping[str, Any]) -> dict[str, Any]:
    """One variant as the Deployment takes it."""
    own = picked(variant, *OWN)
    if variant.get("shared_resources") is not None:
        return own
    replicas = {
        "machine_spec": picked(variant, "machine_type", "tpu_topology", "reservation_affinity"),
        "min_replica_count": variant.get("min_replica_count", 1),
    }
    return own | {"dedicated_resources": replicas | picked(variant, *REPLICAS)}


def _resources(variant: Mapping[str, Any]) -> Iterator[Fault]:
    shared = variant.get("shared_resources") is not None
    if not shared and variant.get("machine_type") is None:
        yield Fault("machine_type", "missing, and so is shared_resources: give one of the two")
    beside = [name for name in (*MACHINES, *REPLICAS) if variant.get(name) is not None]
    if shared and beside:
        yield Fault("shared_resources", f"cannot be given beside {listed(beside)}: the pool has its own machines")
