"""`tpuserve:tpu:QueuedResource`: a request for TPU slices, a collection among them (Cloud TPU API v2alpha1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources.base import TpuserveResource
from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import OURS, PLACE, REPLACE, Effect, Field, Input
from tpuserve.resources.names import PROJECT
from tpuserve.resources.node import NodeArgs, node_rules, same_slice
from tpuserve.resources.same import same_duration, same_time

DURATION = Field(check=catalog.check_duration, same=same_duration)
TIME = Field(check=catalog.check_time, same=same_time)
RESERVATION = Field(Effect.REPLACE, check=partial(catalog.check_resource_id, "reservationName"), is_name=True)
MISPLACED = {
    "provisioningModel": "is the request's own argument, spelled so: `provisioningModel: FLEX_START` beside `tpu`",
    "runDuration": "is the request's own argument, spelled so: `runDuration: {maxRunDuration: 3600s}` beside `tpu`",
    "maxRunDuration": "is in the request's runDuration: `runDuration: {maxRunDuration: 3600s}` beside `tpu`",
    "flexStart": "is a provisioning model: `provisioningModel: FLEX_START`, with a runDuration",
}


class MultiNodeParamsArgs(TypedDict, total=False):
    """Several slices in one request."""

    node_count: Annotated[Required[Input[int]], REPLACE]
    """Number of slices, at least 2."""
    node_id_prefix: Annotated[Input[str], Field(check=catalog.check_node_prefix)]
    """Slices are named `<prefix>-0`, `<prefix>-1` ...; the queued resource's id where left out."""
    workload_type: Annotated[
        Input[Literal["AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED"]],
        Field(spell=catalog.normalize_workload_type),
    ]
    """AVAILABILITY_OPTIMIZED (hyphens are taken too) makes the slices a collection: most are available all of the
    time."""


class NodeSpecArgs(TypedDict, total=False):
    """What is asked for; `parent` is filled in."""

    node_id: Annotated[Input[str], Field(check=partial(catalog.check_resource_id, "nodeId"))]
    """Name of the only slice; not together with `multi_node_params`."""
    multi_node_params: Input[MultiNodeParamsArgs]
    """Several slices; not together with `node_id`."""
    node: Annotated[Required[Input[NodeArgs]], Field(same=same_slice)]
    """The slice."""


class TpuArgs(TypedDict, total=False):
    """The TPUs asked for."""

    node_spec: Required[Input[Sequence[Input[NodeSpecArgs]]]]
    """Exactly one element today."""


class IntervalArgs(TypedDict, total=False):
    """A span of time."""

    start_time: Annotated[Input[str], TIME]
    """Beginning, RFC 3339."""
    end_time: Annotated[Input[str], TIME]
    """End, RFC 3339; after the beginning."""


class QueueingPolicyArgs(TypedDict, total=False):
    """When the request may be fulfilled; exactly one of these."""

    valid_until_duration: Annotated[Input[str], DURATION]
    """The request fails when it has queued for so long, such as `14400s`."""
    valid_until_time: Annotated[Input[str], TIME]
    """The request fails when it still queues at that time, such as `2026-12-01T08:00:00Z`."""
    valid_after_duration: Annotated[Input[str], DURATION]
    """Slices are made after so long, not before."""
    valid_after_time: Annotated[Input[str], TIME]
    """Slices are made after that time, not before."""
    valid_interval: Input[IntervalArgs]
    """Slices are made within that span, or the request fails."""


class SpotArgs(TypedDict, total=False):
    """Spot capacity: cheaper, and Google may take it back at any time."""


class BestEffortArgs(TypedDict, total=False):
    """Best effort capacity."""


class GuaranteedArgs(TypedDict, total=False):
    """Guaranteed capacity."""

    reserved: Input[bool]
    """Whether the capacity comes from a reservation."""
    min_duration: Annotated[Input[str], DURATION]
    """Slices are made only if they can be had for at least so long, such as `3600s`."""


class RunDurationArgs(TypedDict, total=False):
    """How long the slices run before Google takes them away; the request is SUSPENDED then."""

    max_run_duration: Annotated[Input[str], DURATION]
    """At most so long, such as `36000s`; with FLEX_START 7 days at most."""
    termination_time: Annotated[Input[str], TIME]
    """Until that time, such as `2026-12-01T08:00:00Z`."""


class QueuedResourceArgs(TypedDict, total=False):
    """Arguments of a queued resource."""

    project: Annotated[Input[str], PROJECT]
    """Project id; the provider's where left out."""
    zone: Annotated[Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "zone"))]
    """Zone, such as `us-east5-b`; the provider's where left out."""
    queued_resource_id: Annotated[
        Input[str], Field(Effect.REPLACE, ours=True, check=partial(catalog.check_resource_id, "queuedResourceId"))
    ]
    """Name of the request; made from the resource's name where left out."""
    tpu: Annotated[Required[Input[TpuArgs]], REPLACE]
    """The TPUs asked for."""
    spot: Annotated[Input[SpotArgs], REPLACE]
    """Ask for spot capacity; at most one of `spot`, `guaranteed` and `best_effort`."""
    guaranteed: Annotated[Input[GuaranteedArgs], REPLACE]
    """Ask for guaranteed capacity; at most one of `spot`, `guaranteed` and `best_effort`."""
    best_effort: Annotated[Input[BestEffortArgs], REPLACE]
    """Ask for best effort capacity; at most one of `spot`, `guaranteed` and `best_effort`."""
    queueing_policy: Annotated[Input[QueueingPolicyArgs], REPLACE]
    """When the request may be fulfilled; at any time, and queueing without end, where left out."""
    provisioning_model: Annotated[
        Input[catalog.ProvisioningModel],
        Field(Effect.REPLACE, spell=catalog.normalize_provisioning_model, otherwise="STANDARD", rest=True),
    ]
    """FLEX_START (`flex-start` is taken too): slices for the time of `run_duration`, 7 days at most, as soon as Google
    has them; without `spot`, `guaranteed`, `best_effort` and a reservation. The others say again what a tier says and
    agree with it: SPOT with `spot`, RESERVATION_BOUND with a reservation, STANDARD, which leaving it out says too. Sent
    over REST, for no gRPC client has it."""
    run_duration: Annotated[Input[RunDurationArgs], Field(Effect.REPLACE, rest=True)]
    """How long the slices run; `on_suspended` says what becomes of the request then. Sent over REST as well."""
    reservation_name: Annotated[Input[str], RESERVATION]
    """Reservation to use: `projects/PROJECT/locations/ZONE/reservations/RESERVATION`, or `-` for RESERVATION: any that
    the project (or `folders/F`, `organizations/O` in its place) shares."""
    wait_for: Annotated[Input[Literal["WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE"]], OURS]
    """State that `pulumi up` waits for; ACTIVE where left out."""
    on_suspended: Annotated[Input[Literal["KEEP", "REPLACE"]], OURS]
    """What the next update does with a request that Google suspended, such as flex-start at the end of its run: REPLACE
    asks again; KEEP where left out."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text gives up the slices and asks for new ones, under another id."""


class QueuedResourceStateOutput(TypedDict, total=False):
    """Where the request stands."""

    state: str
    """CREATING, ACCEPTED, WAITING_FOR_RESOURCES, PROVISIONING, ACTIVE, SUSPENDING, SUSPENDED, FAILED or DELETING."""
    state_initiator: str
    """USER or SERVICE: who brought the request into this state."""
    failed_data: FailedDataOutput
    """Why it is FAILED; absent else."""


class FailedDataOutput(TypedDict, total=False):
    """Why a request failed."""

    error: StatusOutput
    """Google's own words."""


class StatusOutput(TypedDict, total=False):
    """An error of Google's."""

    code: str
    """Name of its code, such as RESOURCE_EXHAUSTED."""
    message: str
    """Text for people."""


class NodeStatusOutput(TypedDict, total=False):
    """One slice as it is."""

    name: str
    """Full resource name."""
    state: str
    """Google's state of the TPU VM, such as READY."""
    health: str
    """Google's health of the TPU VM, such as HEALTHY."""
    health_description: str
    """Why it is not healthy."""
    network_endpoints: Sequence[NetworkEndpointOutput]
    """Address of each host of the slice."""
    upcoming_maintenance: UpcomingMaintenanceOutput
    """Maintenance that Google has announced or begun; absent where there is none."""


class UpcomingMaintenanceOutput(TypedDict, total=False):
    """Maintenance of one slice."""

    type: str
    """SCHEDULED or UNSCHEDULED."""
    maintenance_status: str
    """PENDING or ONGOING."""
    can_reschedule: bool
    """Whether it can be begun by hand, earlier."""
    window_start_time: str
    """Beginning of its window, RFC 3339."""
    window_end_time: str
    """Time by which it will be over, RFC 3339."""
    latest_window_start_time: str
    """Latest time at which its window may begin, RFC 3339."""


class NetworkEndpointOutput(TypedDict, total=False):
    """Address of one host."""

    ip_address: str
    """Internal address."""
    external_ip: str
    """External address; absent where there is none."""
    port: int
    """Port."""


class QueuedResourceOutputs(TypedDict, total=False):
    """Outputs of a queued resource."""

    name: str
    """Full resource name, with Google's project number."""
    create_time: str
    """When the request was made, RFC 3339."""
    state: QueuedResourceStateOutput
    """Where the request stands."""
    nodes: Sequence[NodeStatusOutput]
    """The slices, in the order of their names."""
    origin: str
    """URN for which the object was first created."""


def _rules(inputs: Mapping[str, Any]) -> Iterator[Fault]:
    for tier, message in catalog.check_tiers(inputs):
        yield Fault(tier, message)
    if message := catalog.check_provisioning_model(inputs):
        yield Fault("provisioningModel", message)
    if fault := catalog.check_run_duration(inputs.get("provisioningModel"), inputs.get("runDuration")):
        yield fault
    for field, message in catalog.check_queueing_policy(inputs.get("queueingPolicy")):
        yield Fault(".".join(filter(None, ("queueingPolicy", field))), message)
    if message := catalog.check_reservation(inputs.get("reservationName"), inputs.get("zone", UNKNOWN)):
        yield Fault("reservationName", message)
    tpu = inputs.get("tpu")
    specs = tpu.get("nodeSpec") if isinstance(tpu, Mapping) else UNKNOWN
    if not isinstance(specs, list):
        return
    if len(specs) != 1:
        yield Fault("tpu.nodeSpec", f"has {len(specs)} elements; Google takes exactly one")
    for index, spec in enumerate(specs):
        if isinstance(spec, Mapping):
            yield from _spec_rules(inputs, spec, f"tpu.nodeSpec[{index}]")


def _spec_rules(inputs: Mapping[str, Any], spec: Mapping[str, Any], path: str) -> Iterator[Fault]:
    many, single, node = spec.get("multiNodeParams"), spec.get("nodeId"), spec.get("node")
    if UNKNOWN not in (many, single) and (many is None) == (single is None):
        yield Fault(path, "needs exactly one of nodeId (one slice) and multiNodeParams (several)")
    if isinstance(node, Mapping):
        yield from node_rules(inputs, node, _count(many), f"{path}.node")
        if isinstance(many, Mapping):
            yield from _collection_rules(many, node, path)


def _count(many: Any) -> Any:
    if many is None:
        return 1
    return many.get("nodeCount", UNKNOWN) if isinstance(many, Mapping) else UNKNOWN


def _collection_rules(many: Mapping[str, Any], node: Mapping[str, Any], path: str) -> Iterator[Fault]:
    by_config = "acceleratorType" not in node
    where = {
        "node_count": f"{path}.multiNodeParams.nodeCount",
        "workload_type": f"{path}.multiNodeParams.workloadType",
        "accelerator_type": f"{path}.node.{'acceleratorConfig.type' if by_config else 'acceleratorType'}",
    }
    asked = many.get("nodeCount", UNKNOWN), catalog.accelerator_of(node), many.get("workloadType")
    for which, message in catalog.check_collection(*asked):
        if which != "workload_type":  # the enum of the field says the same
            yield Fault(where[which], message)


DEFINITION = Definition(
    token="tpuserve:tpu:QueuedResource",
    args=QueuedResourceArgs,
    outputs=QueuedResourceOutputs,
    doc="A request for one TPU slice or several; with workload type AVAILABILITY_OPTIMIZED a collection. Google has no "
    "update method for it: a change of what was asked for is a replacement.",
    place="zone",
    id_argument="queuedResourceId",
    rules=(_rules,),
    refused=MISPLACED,
    refresh_before_update=True,
)


class QueuedResource(TpuserveResource):
    """A request for TPU slices (Cloud TPU API v2alpha1)."""

    definition = DEFINITION

    def __init__(
        self, resource_name: str, args: QueuedResourceArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(resource_name, args, opts)

    @property
    def name(self) -> pulumi.Output[str]:
        """Full resource name, with Google's project number."""
        return self._output("name")

    @property
    def state(self) -> pulumi.Output[QueuedResourceStateOutput]:
        """Where the request stands."""
        return self._output("state")

    @property
    def nodes(self) -> pulumi.Output[Sequence[NodeStatusOutput]]:
        """The slices, in the order of their names."""
        return self._output("nodes")
