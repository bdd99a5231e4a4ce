"""One variant of a Deployment: a model version on machines, or in a pool that it shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources.fields import IN_PLACE, OURS, REDEPLOY, Effect, Field, Input
from tpuserve.resources.names import check_account, check_name
from tpuserve.resources.paths import Step, join

RESOURCES = ("dedicatedResources", "sharedResources")


class ReservationAffinityArgs(TypedDict, total=False):
    """Which reservation of Compute Engine the machines are drawn from."""

    reservation_affinity_type: Required[Input[Literal["NO_RESERVATION", "ANY_RESERVATION", "SPECIFIC_RESERVATION"]]]
    """None at all, any that fits, or the named ones."""
    key: Input[str]
    """`compute.googleapis.com/reservation-name`, with SPECIFIC_RESERVATION alone."""
    values: Annotated[Input[Sequence[Input[str]]], Field(is_name=True)]
    """Full names, `projects/P/zones/Z/reservations/R`, with SPECIFIC_RESERVATION alone."""


class MachineSpecArgs(TypedDict, total=False):
    """The machine of each replica."""

    machine_type: Annotated[Required[Input[str]], Field(check=catalog.check_machine_type)]
    """ct6e-standard-1t/4t/8t (v6e) or ct5lp-hightpu-1t/4t/8t (v5e); the last number is the count of TPU chips."""
    tpu_topology: Input[str]
    """For replicas of several hosts: 4x4, 4x8, 8x8, 8x16 or 16x16 on -4t machines. Left out for a single host."""
    reservation_affinity: Input[ReservationAffinityArgs]
    """Which reservation the machines are drawn from; Google's default where left out."""
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
    """Replicas at most; as `min_replica_count` where left out. Vertex AI charges quota for this number."""
    required_replica_count: Annotated[Input[int], IN_PLACE]
    """Replicas that must be up for the deployment to count as done; `min_replica_count` where left out."""
    autoscaling_metric_specs: Annotated[Input[Sequence[Input[AutoscalingMetricSpecArgs]]], IN_PLACE]
    """What replicas follow between min and max; CPU at 60 % where left out, also on TPU machine types."""
    spot: Annotated[Input[bool], REDEPLOY]
    """Spot machines: cheaper, and Google may take them back at any time."""


class DeployedModelArgs(TypedDict, total=False):
    """One variant: a model version on machines of its own, or in a shared pool."""

    model: Annotated[Required[Input[str]], Field(Effect.REDEPLOY, is_name=True, check=partial(check_name, "models"))]
    """`projects/P/locations/L/models/M@3`: a version or an alias; Google's default version where neither is given."""
    id: Annotated[Input[str], Field(Effect.REDEPLOY, check=partial(catalog.check_resource_id, "deployedModelId"))]
    """Id of the deployed model, 1 to 10 digits; Google's choice where left out. Only to take over what runs under that
    id, or to fix one; two cannot have the same, so a variant with an id is deployed anew with UNDEPLOY_FIRST alone."""
    display_name: Annotated[
        Input[str], Field(Effect.REDEPLOY, check=partial(catalog.check_resource_id, "deployedModelDisplayName"))
    ]
    """Name for people, up to 91 characters; the variant's where left out. A mark of tpuserve is appended."""
    dedicated_resources: Annotated[Input[DedicatedResourcesArgs], REDEPLOY]
    """Machines and replicas of its own. Exactly one of this and `shared_resources`."""
    shared_resources: Annotated[
        Input[str], Field(Effect.REDEPLOY, is_name=True, check=partial(check_name, "deploymentResourcePools"))
    ]
    """`projects/P/locations/L/deploymentResourcePools/R`: a pool whose machines several deployed models share."""
    service_account: Annotated[Input[str], Field(Effect.REDEPLOY, check=check_account)]
    """Service account of the container."""
    enable_access_logging: Annotated[Input[bool], REDEPLOY]
    """Whether each request is logged."""
    disable_container_logging: Annotated[Input[bool], IN_PLACE]
    """Whether the container's output is kept out of Cloud Logging."""
    system_labels: Annotated[Input[Mapping[str, Input[str]]], REDEPLOY]
    """Labels of Google's Model Garden."""
    strategy: Annotated[Input[Literal["BESIDE", "UNDEPLOY_FIRST"]], OURS]
    """How it is deployed anew: beside what runs, which needs quota for both (BESIDE, the default); or after what runs
    gave its share to the other variants and was undeployed (UNDEPLOY_FIRST)."""
    deletion_protection: Annotated[Input[bool], OURS]
    """While true, the variant cannot be removed and the Deployment cannot be deleted; false where left out."""
    recreate: Annotated[Input[str], Field(Effect.REDEPLOY, ours=True)]
    """Any change of this text deploys the variant anew."""


def rules(name: str, variant: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with one variant as a whole."""
    steps: tuple[Step, ...] = ("deployedModels", name)
    given = [wire for wire in RESOURCES if variant.get(wire) is not None]
    if len(given) != 1 and variant.get("model") is not None:
        found = "both were given" if given else "neither was given"
        yield Fault(join(steps), f"needs exactly one of {' and '.join(RESOURCES)}; {found}")
    resources = variant.get("dedicatedResources")
    if isinstance(resources, Mapping):
        yield from _resources_rules(resources, (*steps, "dedicatedResources"))


def _resources_rules(resources: Mapping[str, Any], steps: tuple[Step, ...]) -> Iterator[Fault]:
    machine = resources.get("machineSpec")
    if isinstance(machine, Mapping):
        yield from _machine_rules(machine, (*steps, "machineSpec"))
    names = {"min": "minReplicaCount", "max": "maxReplicaCount", "required": "requiredReplicaCount"}
    for which, message in catalog.check_replicas(*(resources.get(name) for name in names.values())):
        yield Fault(join((*steps, names[which])), message)
    metrics = resources.get("autoscalingMetricSpecs")
    for message in catalog.check_metrics(metrics) if isinstance(metrics, list) else ():
        yield Fault(join((*steps, "autoscalingMetricSpecs")), message)


def _machine_rules(machine: Mapping[str, Any], steps: tuple[Step, ...]) -> Iterator[Fault]:
    kind = machine.get("machineType", UNKNOWN)
    present = [name for name in catalog.ACCELERATOR_FIELDS if machine.get(name) is not None]
    if message := catalog.check_accelerator_fields(kind, present):
        yield Fault(join((*steps, present[0])), message)
    if message := catalog.check_tpu_topology(kind, machine.get("tpuTopology")):
        yield Fault(join((*steps, "tpuTopology")), message)
    affinity = machine.get("reservationAffinity")
    if isinstance(affinity, Mapping):
        values = (affinity.get(name) for name in ("key", "values"))
        for which, message in catalog.check_reservation_affinity(
            affinity.get("reservationAffinityType", UNKNOWN), *values
        ):
            yield Fault(join((*steps, "reservationAffinity", which)), message)
