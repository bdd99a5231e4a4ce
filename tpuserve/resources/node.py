"""The node of a queued resource: one slice as it is asked for, and its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, Required, TypedDict

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources.fields import Field, Input
from tpuserve.resources.names import check_account, check_each, check_own_labels

OPTIONS = Field(absent_when_empty=True)
CHECKED_ALONE = ("acceleratorType", "acceleratorConfig.type")
"""Arguments whose own fields refuse what `check_slice` would refuse again."""


def _named(kind: str) -> Field:
    """A Google resource name of a row of `data/identifiers.toml`."""
    return Field(check=partial(catalog.check_resource_id, kind), is_name=True)


def _check_description(value: str) -> str | None:
    longest = 512  # Node.description
    return f"has {len(value)} characters; allowed: at most {longest}" if len(value) > longest else None


class AcceleratorConfigArgs(TypedDict, total=False):
    """Generation and shape of a slice, in place of its accelerator type."""

    type: Required[Input[Literal["V5LITE_POD", "V6E"]]]
    """TPU generation."""
    topology: Required[Input[str]]
    """Chips along each dimension, such as `2x4`."""


class NetworkConfigArgs(TypedDict, total=False):
    """Network of each slice."""

    network: Annotated[Input[str], _named("networkConfig.network")]
    """VPC network: its name, or for a Shared VPC `projects/HOST_PROJECT/global/networks/NETWORK`; the project's default
    network where left out. A Shared VPC needs `roles/tpu.xpnAgent` for the TPU service agent in the host project."""
    subnetwork: Annotated[Input[str], _named("networkConfig.subnetwork")]
    """Subnetwork in the zone's region: its name, or `projects/HOST_PROJECT/regions/REGION/subnetworks/SUBNETWORK`."""
    enable_external_ips: Input[bool]
    """Whether each host gets an external address; none where left out. Without one the subnetwork needs Private Google
    Access."""
    can_ip_forward: Input[bool]
    """Whether hosts may send and receive packets with other addresses than their own, to forward routes."""
    queue_count: Annotated[Input[int], Field(check=catalog.check_count)]
    """Number of queues of each host's network interface; Google's choice where left out."""


class ServiceAccountArgs(TypedDict, total=False):
    """Service account of each slice's hosts."""

    email: Annotated[Input[str], Field(check=check_account)]
    """Email address; the default Compute Engine service account where left out."""
    scope: Input[Sequence[Input[str]]]
    """OAuth scopes, such as `https://www.googleapis.com/auth/cloud-platform`; all Cloud APIs where left out."""


class AttachedDiskArgs(TypedDict, total=False):
    """A disk that exists already, attached to each host."""

    source_disk: Annotated[Required[Input[str]], _named("dataDisks.sourceDisk")]
    """Full path, such as `projects/PROJECT/zones/us-east5-b/disks/DISK`; in the slices' own zone."""
    mode: Annotated[Input[Literal["READ_WRITE", "READ_ONLY"]], Field(otherwise="READ_WRITE")]
    """READ_WRITE where left out; that is for one host, so several hosts or slices need READ_ONLY."""


class CustomerEncryptionKeyArgs(TypedDict, total=False):
    """A customer-managed encryption key."""

    kms_key_name: Annotated[Required[Input[str]], _named("customerEncryptionKey.kmsKeyName")]
    """`projects/PROJECT/locations/REGION/keyRings/RING/cryptoKeys/KEY` in Cloud KMS."""


class BootDiskConfigArgs(TypedDict, total=False):
    """Boot disk of each host."""

    customer_encryption_key: Annotated[Input[CustomerEncryptionKeyArgs], OPTIONS]
    """Key that encrypts it; Google's own where left out."""
    enable_confidential_compute: Input[bool]
    """Whether it is made in confidential compute mode."""


class ShieldedInstanceConfigArgs(TypedDict, total=False):
    """Shielded VM options of each host."""

    enable_secure_boot: Input[bool]
    """Whether Secure Boot is on."""


class SchedulingConfigArgs(TypedDict, total=False):
    """Scheduling options of each host. They say again what the request's tier says, and may not contradict it."""

    preemptible: Input[bool]
    """Whether it is preemptible; not together with `guaranteed`."""
    reserved: Input[bool]
    """Whether it is made under a reservation; as `guaranteed.reserved`."""
    spot: Input[bool]
    """Whether it is a Spot VM; as the request's `spot`."""


class NodeArgs(TypedDict, total=False):
    """One slice; every slice of the request is made so."""

    accelerator_type: Annotated[Input[str], Field(check=catalog.check_accelerator_type)]
    """Type and size, such as `v6e-8`: generation and chips of one slice; this or `accelerator_config`."""
    accelerator_config: Input[AcceleratorConfigArgs]
    """Generation and topology in place of the type, such as V6E and `2x4`."""
    runtime_version: Annotated[Required[Input[str]], Field(check=partial(catalog.check_resource_id, "runtimeVersion"))]
    """Software of the TPU VM, such as `v2-alpha-tpuv6e`."""
    description: Annotated[Input[str], Field(check=_check_description)]
    """Text for people, at most 512 characters."""
    network_config: Annotated[Input[NetworkConfigArgs], OPTIONS]
    """Network; the project's default network where left out."""
    service_account: Annotated[Input[ServiceAccountArgs], OPTIONS]
    """Service account of the hosts."""
    labels: Annotated[Input[Mapping[str, Input[str]]], Field(check=check_own_labels)]
    """Labels of each slice. `tpuserve-owner` and `tpuserve-origin` are added."""
    metadata: Input[Mapping[str, Input[str]]]
    """Metadata of each host; `startup-script` is run at each start of a host."""
    tags: Annotated[
        Input[Sequence[Input[str]]], Field(check=partial(check_each, partial(catalog.check_resource_id, "networkTag")))
    ]
    """Network tags."""
    data_disks: Input[Sequence[Input[AttachedDiskArgs]]]
    """Further disks."""
    boot_disk_config: Annotated[Input[BootDiskConfigArgs], OPTIONS]
    """Boot disk."""
    shielded_instance_config: Annotated[Input[ShieldedInstanceConfigArgs], OPTIONS]
    """Shielded VM options."""
    scheduling_config: Annotated[Input[SchedulingConfigArgs], OPTIONS]
    """Scheduling options, which agree with the request's tier."""


def same_slice(one: Any, other: Any) -> bool:
    """Whether two nodes differ in nothing but the way in which their accelerator is given."""
    first, second = catalog.accelerator_of(one), catalog.accelerator_of(other)
    return first is not UNKNOWN and first == second and _others(one) == _others(other)


def _others(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if not key.startswith("accelerator")}


def node_rules(request: Mapping[str, Any], node: Mapping[str, Any], count: Any, path: str) -> Iterator[Fault]:
    """What is wrong with a node as part of its request for `count` slices."""
    yield from _shape_rules(node, path)
    accelerator, zone = catalog.accelerator_of(node), request.get("zone", UNKNOWN)
    if message := catalog.check_zone(zone, accelerator):
        yield Fault("zone", message)
    network = node.get("networkConfig")
    if isinstance(network, Mapping) and (message := catalog.check_subnetwork(network.get("subnetwork"), zone)):
        yield Fault(f"{path}.networkConfig.subnetwork", message)
    disks = node["dataDisks"] if isinstance(node.get("dataDisks"), list) else []
    for index, field, message in catalog.check_data_disks(disks, zone, count, accelerator):
        yield Fault(f"{path}.dataDisks[{index}].{field}", message)
    scheduling = node.get("schedulingConfig")
    for field, message in catalog.check_scheduling(request, scheduling) if isinstance(scheduling, Mapping) else []:
        yield Fault(f"{path}.schedulingConfig.{field}", message)


def _shape_rules(node: Mapping[str, Any], path: str) -> Iterator[Fault]:
    if node.get("acceleratorType") is None and node.get("acceleratorConfig") is None:
        yield Fault(path, "needs exactly one of acceleratorType (v6e-8) and acceleratorConfig (V6E and 2x4)")
    for found in catalog.check_slice(node):
        if isinstance(found, Fault) and found.path not in CHECKED_ALONE:
            yield Fault(f"{path}.{found.path}" if found.path else path, found.message)
