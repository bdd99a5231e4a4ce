"""A collection: TPU slices of one shape that serve replicas of one model and are kept available together."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.resources import QueuedResource
from tpuserve.resources.node import (
    AcceleratorConfigArgs,
    AttachedDiskArgs,
    BootDiskConfigArgs,
    NetworkConfigArgs,
    SchedulingConfigArgs,
    ServiceAccountArgs,
    ShieldedInstanceConfigArgs,
)
from tpuserve.resources.queued_resource import (
    BestEffortArgs,
    GuaranteedArgs,
    QueueingPolicyArgs,
    RunDurationArgs,
    SpotArgs,
)

from .inputs import check_arguments, given, merged, picked

TYPE = "tpuserve:components:TpuCollection"
# Arguments that the request, and each of its slices, take under the same name.
OF_THE_REQUEST = (
    "project",
    "zone",
    "queued_resource_id",
    "spot",
    "guaranteed",
    "best_effort",
    "provisioning_model",
    "run_duration",
    "queueing_policy",
    "reservation_name",
    "wait_for",
    "on_suspended",
    "recreate",
)
OF_A_SLICE = (
    "accelerator_type",
    "accelerator_config",
    "runtime_version",
    "description",
    "network_config",
    "service_account",
    "labels",
    "tags",
    "data_disks",
    "boot_disk_config",
    "shielded_instance_config",
    "scheduling_config",
)


class TpuCollectionArgs(TypedDict, total=False):
    """Arguments of a collection."""

    slices: Required[pulumi.Input[int]]
    """Number of slices, at least 2."""
    accelerator_type: pulumi.Input[str]
    """Shape of each slice, such as `v6e-8`. Collections exist for v6e only. This or `accelerator_config`."""
    accelerator_config: pulumi.Input[AcceleratorConfigArgs]
    """Shape of each slice by generation and topology: `{"type": "V6E", "topology": "2x4"}`."""
    runtime_version: Required[pulumi.Input[str]]
    """Software of the TPU VMs, such as `v2-alpha-tpuv6e`."""
    project: pulumi.Input[str]
    """Project id; the provider's where left out."""
    zone: pulumi.Input[str]
    """Zone, such as `us-east5-b`; the provider's where left out."""
    workload_type: pulumi.Input[str]
    """AVAILABILITY_OPTIMIZED (where left out: a collection) or THROUGHPUT_OPTIMIZED; hyphens are taken too."""
    node_prefix: pulumi.Input[str]
    """Slices are named `<prefix>-0`, `<prefix>-1` ...; the queued resource's id where left out."""
    queued_resource_id: pulumi.Input[str]
    """Name of the request; made from the component's name where left out."""
    startup_script: pulumi.Input[str]
    """Text of a script that each host runs when it starts (metadata `startup-script`)."""
    metadata: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Further metadata of each host."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of each slice."""
    tags: pulumi.Input[Sequence[pulumi.Input[str]]]
    """Network tags of each slice."""
    network_config: pulumi.Input[NetworkConfigArgs]
    """Network of each slice; the project's default network where left out."""
    service_account: pulumi.Input[ServiceAccountArgs]
    """Service account of the hosts; the default Compute Engine service account where left out."""
    description: pulumi.Input[str]
    """Text for people, on each slice."""
    data_disks: pulumi.Input[Sequence[pulumi.Input[AttachedDiskArgs]]]
    """Disks that exist already, attached to each host; READ_ONLY, for a collection has several."""
    boot_disk_config: pulumi.Input[BootDiskConfigArgs]
    """Boot disk of each host."""
    shielded_instance_config: pulumi.Input[ShieldedInstanceConfigArgs]
    """Shielded VM options of each host."""
    scheduling_config: pulumi.Input[SchedulingConfigArgs]
    """Scheduling options of each host, which agree with the tier."""
    spot: pulumi.Input[SpotArgs]
    """Ask for spot capacity; at most one of `spot`, `guaranteed` and `best_effort`."""
    guaranteed: pulumi.Input[GuaranteedArgs]
    """Ask for guaranteed capacity."""
    best_effort: pulumi.Input[BestEffortArgs]
    """Ask for best effort capacity."""
    provisioning_model: pulumi.Input[str]
    """FLEX_START, in place of a tier and of a reservation: slices for the time of `run_duration`, as soon as Google has
    them. Needs REST."""
    run_duration: pulumi.Input[RunDurationArgs]
    """How long the slices run: `{"max_run_duration": "36000s"}`; they are suspended then."""
    queueing_policy: pulumi.Input[QueueingPolicyArgs]
    """When the request may be fulfilled; at any time, and queueing without end, where left out."""
    reservation_name: pulumi.Input[str]
    """Reservation to use, by its full name."""
    wait_for: pulumi.Input[Literal["WAITING_FOR_RESOURCES", "PROVISIONING", "ACTIVE"]]
    """State that `pulumi up` waits for; ACTIVE where left out."""
    on_suspended: pulumi.Input[Literal["KEEP", "REPLACE"]]
    """What the next update does with slices that Google suspended; KEEP where left out."""
    recreate: pulumi.Input[str]
    """Any change of this text gives up the slices and asks for new ones."""


class TpuCollection(pulumi.ComponentResource):
    """TPU slices requested together from the Cloud TPU API. Child: `<name>-queued-resource`."""

    queued_resource: QueuedResource
    """The request itself."""
    name: pulumi.Output[str]
    """Full resource name of the request."""
    state: pulumi.Output[str | None]
    """State of the request, such as ACTIVE."""
    nodes: pulumi.Output[Sequence[Any]]
    """The slices: name, state, health and network endpoints of each."""
    addresses: pulumi.Output[Mapping[str, Sequence[str]]]
    """Address of each host (`10.0.0.2:8080`), by slice."""
    chips: pulumi.Output[int | None]
    """TPU chips in all slices; none for an accelerator type that the catalog does not know."""

    def __init__(self, name: str, args: TpuCollectionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("TpuCollection", name, TpuCollectionArgs, args)
        self.queued_resource = QueuedResource(
            f"{name}-queued-resource",
            queued_resource_args(args),  # pyright: ignore[reportArgumentType]
            pulumi.ResourceOptions(parent=self),
        )
        self.name = self.queued_resource.name
        self.state = self.queued_resource.state.apply(lambda state: (state or {}).get("state"))
        self.nodes = self.queued_resource.nodes
        self.addresses = self.nodes.apply(addresses_of)
        shape = (args.get("accelerator_type"), args.get("accelerator_config"))
        self.chips = pulumi.Output.all(args["slices"], *shape).apply(lambda known: chips_of(*known))
        outputs = ("name", "state", "nodes", "addresses", "chips")
        self.register_outputs({output: getattr(self, output) for output in outputs})


def queued_resource_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the one child."""
    script = args.get("startup_script")
    node = picked(args, *OF_A_SLICE)
    node |= given({"metadata": merged(args.get("metadata"), script and {"startup-script": script})})
    many = {
        "node_count": args.get("slices"),
        "node_id_prefix": args.get("node_prefix"),
        "workload_type": args.get("workload_type") or catalog.COLLECTION,
    }
    spec = {"multi_node_params": given(many), "node": node}
    return picked(args, *OF_THE_REQUEST) | {"tpu": {"node_spec": [spec]}}


def addresses_of(nodes: Sequence[Mapping[str, Any]] | None) -> dict[str, list[str]]:
    """Address of each host by the slice's short name."""
    return {
        str(node.get("name", "")).rsplit("/", 1)[-1]: [_address(each) for each in node.get("network_endpoints") or []]
        for node in nodes or []
    }


def chips_of(slices: int, accelerator_type: str | None, config: Mapping[str, str] | None = None) -> int | None:
    """TPU chips in so many slices."""
    by_config = catalog.accelerator_of_config(config.get("type"), config.get("topology")) if config else None
    kind = by_config or catalog.accelerator_type(accelerator_type)
    return int(slices) * kind.chips if kind else None


def _address(endpoint: Mapping[str, Any]) -> str:
    port = endpoint.get("port")
    return f"{endpoint.get('ip_address')}:{int(port)}" if port else str(endpoint.get("ip_address"))
