"""`tpuserve:vertex:Deployment`: everything that one endpoint serves, and who gets which share of its requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import IN_PLACE, REDEPLOY, Effect, Field, Input
from tpuserve.resources.names import check_name
from tpuserve.resources.paths import join

OURS = Field(Effect.IN_PLACE, ours=True)
ACCELERATOR_FIELDS = ("acceleratorType", "acceleratorCount")


class MachineSpecArgs(TypedDict, total=False):
    """The machine of each replica."""

    machine_type: Annotated[Required[Input[str]], Field(check=catalog.check_machine_type)]
    """ct6e-standard-1t/4t/8t (v6e) or ct5lp-hightpu-1t/4t/8t (v5e); the last number is the count of TPU chips."""
    accelerator_type: Input[str]
    """Only to be refused: the chips come with a TPU machine type."""
    accelerator_count: Input[int]
    """Only to be refused: the chips come with a TPU machine type."""


class AutoscalingMetricSpecArgs(TypedDict, total=False):
    """One metric that replicas follow."""

    metric_name: Required[Input[str]]
    """Such as `aiplatform.googleapis.com/prediction/online/cpu/utilization`."""
    target: Input[int]
    """Target in percent; 60 where left out."""


class DedicatedResourcesArgs(TypedDict, total=False):
    """Machines and replicas of one variant."""

    machine_spec: Annotated[Required[Input[MachineSpecArgs]], REDEPLOY]
    """The machine of each replica."""
    min_replica_count: Annotated[Required[Input[int]], IN_PLACE]
    """Replicas that always run, at least 1."""
    max_replica_count: Annotated[Input[int], IN_PLACE]
    """Replicas at most; as `minReplicaCount` where left out. Vertex AI charges quota for this number."""
    required_replica_count: Annotated[Input[int], IN_PLACE]
    """Replicas that must be up for the deployment to count as done; `minReplicaCount` where left out."""
    autoscaling_metric_specs: Annotated[Input[Sequence[Input[AutoscalingMetricSpecArgs]]], IN_PLACE]
    """What replicas follow between min and max; CPU at 60 % where left out, also on TPU machine types."""
    spot: Annotated[Input[bool], REDEPLOY]
    """Spot machines: cheaper, and Google may take them back at any time."""


class DeployedModelArgs(TypedDict, total=False):
    """One variant: a model version on machines."""

    model: Annotated[Required[Input[str]], Field(Effect.REDEPLOY, is_name=True, check=partial(check_name, "models"))]
    """`projects/P/locations/L/models/M@3`: a version or an alias; Google's default version where neither is given."""
    display_name: Annotated[Input[str], REDEPLOY]
    """Name for people; the variant's where left out. A mark of tpuserve is appended."""
    dedicated_resources: Annotated[Required[Input[DedicatedResourcesArgs]], REDEPLOY]
    """Machines and replicas."""
    service_account: Annotated[Input[str], REDEPLOY]
    """Service account of the container."""
    enable_access_logging: Annotated[Input[bool], REDEPLOY]
    """Whether each request is logged."""
    disable_container_logging: Annotated[Input[bool], IN_PLACE]
    """Whether the container's output is kept out of Cloud Logging."""
    recreate: Annotated[Input[str], Field(Effect.REDEPLOY, ours=True)]
    """Any change of this text deploys the variant anew."""


class DeploymentArgs(TypedDict, total=False):
    """Arguments of a deployment."""

    endpoint: Annotated[
        Required[Input[str]],
        Field(Effect.REPLACE, ours=True, is_name=True, check=partial(check_name, "endpoints")),
    ]
    """Full name of the endpoint, ours or a `gcp.vertex.AiEndpoint`'s."""
    deployed_models: Annotated[Required[Input[Mapping[str, Input[DeployedModelArgs]]]], REDEPLOY]
    """What is served, by variant name."""
    traffic_split: Annotated[Input[Mapping[str, Input[int]]], IN_PLACE]
    """Share of each variant in percent, 100 in all; 100 to the only variant where left out. A key of digits is the id
    of a deployed model that is not of this Deployment."""
    on_failure: Annotated[Input[Literal["KEEP", "UNDEPLOY"]], OURS]
    """What happens to variants that came up when another one did not; KEEP where left out."""


class DeployedModelStatusOutput(TypedDict, total=False):
    """One variant as it is."""

    id: str
    """Google's id of the deployed model."""
    model: str
    """Full name of the model, without version."""
    model_version_id: str
    """The version deployed."""
    create_time: str
    """When it was deployed, RFC 3339."""
    available_replica_count: int
    """Replicas that answer."""
    message: str
    """Google's words on its state."""


class ForeignOutput(TypedDict, total=False):
    """A deployed model on the endpoint that is not of this Deployment."""

    id: str
    """Google's id."""
    display_name: str
    """Its display name."""
    model: str
    """Full name of its model."""
    share: int
    """Its share of the requests in percent."""


class DeploymentOutputs(TypedDict, total=False):
    """Outputs of a deployment."""

    endpoint_name: str
    """The endpoint's full name in Google's spelling."""
    deployed_model_status: Mapping[str, DeployedModelStatusOutput]
    """Each variant as it is."""
    retiring: Sequence[str]
    """Ids of deployed models of ours that still wait to be undeployed."""
    foreign: Sequence[ForeignOutput]
    """Deployed models on the endpoint that are not of this Deployment."""
    origin: str
    """URN for which the object was first created."""


def _rules(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    variants = inputs.get("deployedModels", UNKNOWN)
    if message := catalog.check_traffic_split(inputs.get("trafficSplit"), variants):
        yield Fault("trafficSplit", message)
    for name, variant in variants.items() if isinstance(variants, Mapping) else ():
        if message := catalog.check_resource_id("variant", name):
            yield Fault(join(("deployedModels", name)), message)
        resources = variant.get("dedicatedResources") if isinstance(variant, Mapping) else None
        if isinstance(resources, Mapping):
            yield from _resources_rules(resources, join(("deployedModels", name, "dedicatedResources")))


def _resources_rules(resources: Mapping[str, Any], path: str) -> Iterator[Fault]:
    machine = resources.get("machineSpec")
    if isinstance(machine, Mapping):
        present = [name for name in ACCELERATOR_FIELDS if machine.get(name) is not None]
        if message := catalog.check_accelerator_fields(machine.get("machineType", UNKNOWN), present):
            yield Fault(f"{path}.machineSpec.{present[0]}", message)
    names = {"min": "minReplicaCount", "max": "maxReplicaCount", "required": "requiredReplicaCount"}
    for which, message in catalog.check_replicas(*(resources.get(name) for name in names.values())):
        yield Fault(f"{path}.{names[which]}", message)


DEFINITION = Definition(
    token="tpuserve:vertex:Deployment",
    args=DeploymentArgs,
    outputs=DeploymentOutputs,
    doc="What one endpoint serves: one Deployment per endpoint. Every change but another endpoint is an update that "
    "deploys beside what runs, shifts the requests and then undeploys.",
    rules=(_rules,),
    refresh_before_update=True,
)


class Deployment(TpuserveResource):
    """Everything that one endpoint serves."""

    definition = DEFINITION

    def __init__(self, resource_name: str, args: DeploymentArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(resource_name, args, opts)

    @property
    def endpoint_name(self) -> pulumi.Output[str]:
        """The endpoint's full name in Google's spelling."""
        return self._output("endpoint_name")

    @property
    def deployed_model_status(self) -> pulumi.Output[Mapping[str, DeployedModelStatusOutput]]:
        """Each variant as it is."""
        return self._output("deployed_model_status")

    @property
    def retiring(self) -> pulumi.Output[Sequence[str]]:
        """Ids of deployed models of ours that still wait to be undeployed."""
        return self._output("retiring")
