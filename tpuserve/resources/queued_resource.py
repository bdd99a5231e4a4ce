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
from tpuserve.resources.fields import REPLACE, Effect, Field, Input
from tpuserve.resources.names import check_own_labels
from tpuserve.resources.same import same_duration

OURS = Field(Effect.IN_PLACE, ours=True)
PLACE = Field(Effect.REPLACE, ours=True)


class NetworkConfigArgs(TypedDict, total=False):
    """Network of each slice."""

    network: Input[str]
    """VPC network; the project's default network where left out."""
    subnetwork: Input[str]
    """Subnetwork in the zone's region."""
    enable_external_ips: Input[bool]
    """Whether each host gets an external address; without one the subnetwork needs Private Google Access."""


class ServiceAccountArgs(TypedDict, total=False):
    """Service account of each slice's hosts."""

    email: Input[str]
    """Email address; the default Compute Engine service account where left out."""
    scope: Input[Sequence[Input[str]]]
    """OAuth scopes, such as `https://www.googleapis.com/auth/cloud-platform`."""


class NodeArgs(TypedDict, total=False):
    """One slice; every slice of the request is made so."""

    accelerator_type: Annotated[Required[Input[str]], Field(check=catalog.check_accelerator_type)]
    """Type and size, such as `v6e-8`: generation and chips of one slice."""
    runtime_version: Required[Input[str]]
    """Software of the TPU VM, such as `v2-alpha-tpuv6e`."""
    description: Input[str]
    """Text for people."""
    network_config: Input[NetworkConfigArgs]
    """Network; the project's default network where left out."""
    service_account: Input[ServiceAccountArgs]
    """Service account of the hosts."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(check=check_own_labels)]
    """Labels of each slice. `tpuserve-owner` and `tpuserve-origin` are added."""
    metadata: Input[Mapping[str, Input[str]]]
    """Metadata of each host; `startup-script` is run at each start of a host."""
    tags: Input[Sequence[Input[str]]]
    """Network tags."""


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
    """Name of the only slice; not together with `multiNodeParams`."""
    multi_node_params: Input[MultiNodeParamsArgs]
    """Several slices; not together with `nodeId`."""
    node: Required[Input[NodeArgs]]
    """The slice."""


class TpuArgs(TypedDict, total=False):
    """The TPUs asked for."""

    node_spec: Required[Input[Sequence[Input[NodeSpecArgs]]]]
    """Exactly one element today."""


class QueueingPolicyArgs(TypedDict, total=False):
    """How long to queue."""

    valid_until_duration: Annotated[Input[str], Field(check=catalog.check_duration, same=same_duration)]
    """The request fails when it has queued for so long, such as `14400s`."""


class SpotArgs(TypedDict, total=False):
    """Spot capacity: cheaper, and Google may take it back at any time."""


class GuaranteedArgs(TypedDict, total=False):
    """Guaranteed capacity."""

    reserved: Input[bool]
    """Whether the capacity comes from a reservation."""


class QueuedResourceArgs(TypedDict, total=False):
    """Arguments of a queued resource."""

    project: Annotated[Input[str], PLACE]
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
    """Ask for spot capacity; at most one of `spot` and `guaranteed`."""
    guaranteed: Annotated[Input[GuaranteedArgs], REPLACE]
    """Ask for guaranteed capacity; at most one of `spot` and `guaranteed`."""
    queueing_policy: Annotated[Input[QueueingPolicyArgs], REPLACE]
    """How long to queue; without end where left out."""
    wait_for: Annotated[Input[Literal["WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE"]], OURS]
    """State that `pulumi up` waits for; ACTIVE where left out."""
    on_suspended: Annotated[Input[Literal["KEEP", "REPLACE"]], OURS]
    """What the next update does with a request that Google suspended; KEEP where left out."""
    recreate: Annotated[Input[str], PLACE]
    """Any change of this text gives up the slices and asks for new ones, under another id."""


class QueuedResourceStateOutput(TypedDict, total=False):
    """Where the request stands."""

    state: str
    """CREATING, ACCEPTED, WAITING_FOR_RESOURCES, PROVISIONING, ACTIVE, SUSPENDING, SUSPENDED, FAILED or DELETING."""
    state_initiator: str
    """USER or SERVICE: who brought the request into this state."""
    cause: str
    """Google's own words on a FAILED or SUSPENDED request."""


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


class NetworkEndpointOutput(TypedDict, total=False):
    """Address of one host."""

    ip_address: str
    """Internal address."""
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
    specs = (inputs.get("tpu") or {}).get("nodeSpec") if inputs.get("tpu") is not UNKNOWN else UNKNOWN
    if not isinstance(specs, list):
        return
    if len(specs) != 1:
        yield Fault("tpu.nodeSpec", f"has {len(specs)} elements; Google takes exactly one")
    for index, spec in enumerate(specs):
        if isinstance(spec, Mapping):
            yield from _spec_rules(inputs, spec, f"tpu.nodeSpec[{index}]")
    given = [inputs.get("spot"), inputs.get("guaranteed")]
    if None not in given and UNKNOWN not in given:
        yield Fault("guaranteed", "cannot be asked for together with spot; leave one of the two out")


def _spec_rules(inputs: Mapping[str, Any], spec: Mapping[str, Any], path: str) -> Iterator[Fault]:
    many, single = spec.get("multiNodeParams"), spec.get("nodeId")
    if UNKNOWN not in (many, single) and (many is None) == (single is None):
        yield Fault(path, "needs exactly one of nodeId (one slice) and multiNodeParams (several)")
    node = spec.get("node")
    if not isinstance(node, Mapping):
        return
    accelerator, runtime = node.get("acceleratorType", UNKNOWN), node.get("runtimeVersion", UNKNOWN)
    if message := catalog.check_runtime(accelerator, runtime):
        yield Fault(f"{path}.node.runtimeVersion", message)
    if message := catalog.check_zone(inputs.get("zone", UNKNOWN), accelerator):
        yield Fault("zone", message)
    if isinstance(many, Mapping):
        yield from _collection_rules(many, accelerator, path)


def _collection_rules(many: Mapping[str, Any], accelerator: Any, path: str) -> Iterator[Fault]:
    where = {
        "node_count": f"{path}.multiNodeParams.nodeCount",
        "workload_type": f"{path}.multiNodeParams.workloadType",
        "accelerator_type": f"{path}.node.acceleratorType",
    }
    asked = many.get("nodeCount", UNKNOWN), accelerator, many.get("workloadType")
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
