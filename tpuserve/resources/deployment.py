"""`tpuserve:vertex:Deployment`: everything that one endpoint serves, and who gets which share of its requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources import deployed_model
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.deployed_model import DeployedModelArgs
from tpuserve.resources.fields import IN_PLACE, OURS, REDEPLOY, Effect, Field, Input
from tpuserve.resources.names import check_name
from tpuserve.resources.paths import join


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
    paused: Annotated[Input[bool], OURS]
    """While true, every variant is undeployed and the endpoint stays; what is declared is deployed again afterwards."""
    allow_outage: Annotated[Input[bool], OURS]
    """Agrees to a change that leaves the endpoint without anything that serves for a while: UNDEPLOY_FIRST of the only
    variant that serves. False where left out."""
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
    if not isinstance(variants, Mapping):
        return
    for name, variant in variants.items():
        if message := catalog.check_resource_id("variant", name):
            yield Fault(join(("deployedModels", name)), message)
        if isinstance(variant, Mapping):
            yield from deployed_model.rules(name, variant)
    yield from _same_id(variants)


def _same_id(variants: Mapping[str, Any]) -> Iterator[Fault]:
    taken: dict[str, str] = {}
    for name, variant in variants.items():
        key = variant.get("id") if isinstance(variant, Mapping) else None
        if not isinstance(key, str):
            continue
        if key in taken:
            yield Fault(join(("deployedModels", name, "id")), f"{key!r} is the id of {taken[key]} too; give another")
        taken.setdefault(key, name)


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

    @property
    def foreign(self) -> pulumi.Output[Sequence[ForeignOutput]]:
        """Deployed models on the endpoint that are not of this Deployment."""
        return self._output("foreign")
