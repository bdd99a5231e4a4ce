"""A network that projects share (Shared VPC), with private access to Google's APIs, for TPU VMs."""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault

from .gcp import LATER, after, common_faults, gcp, let_in
from .inputs import check_arguments, picked, settled

if TYPE_CHECKING:
    from pulumi_gcp import compute, projects
else:
    compute = LATER
    projects = LATER

TYPE = "tpuserve:components:HostNetwork"


class HostNetworkArgs(TypedDict, total=False):
    """Arguments of a network. Who makes a host project needs `compute.organizations.enableXpnHost` in the
    organisation, which no project has."""

    project: Required[pulumi.Input[str]]
    """Project id of the host."""
    region: Required[pulumi.Input[str]]
    """Region of the subnetwork, such as `us-east5`: that of the slices."""
    ip_cidr_range: Required[pulumi.Input[str]]
    """Addresses of the subnetwork, such as `10.0.0.0/20`."""
    service_projects: Mapping[str, pulumi.Input[str]]
    """Number of each project that puts slices in it, by project id: `{"acme-serving": "123456789012"}`. Each one's
    Cloud TPU Service Agent has to exist already: Google makes it with the first TPU VM, or by `gcloud compute tpus
    tpu-vm service-identity create`."""
    users: Mapping[str, pulumi.Input[str]]
    """Who makes machines in the subnetwork, by a name of your own: `{"ci": "serviceAccount:..."}`."""


class HostNetwork(pulumi.ComponentResource):
    """A shared network. Children: `<name>-host`, `<name>-network`, `<name>-subnetwork`, `<name>-<project>-attachment`,
    `<name>-<project>-agent`, `<name>-<user>-user`."""

    host: "compute.SharedVPCHostProject"
    """The project as a host."""
    network: "compute.Network"
    """The network itself, without subnetworks that Google makes."""
    subnetwork: "compute.Subnetwork"
    """Its subnetwork, with Private Google Access, so that slices need no external addresses."""
    attachments: Mapping[str, "compute.SharedVPCServiceProject"]
    """What joins a project to the host, by project id."""
    agents: Mapping[str, "projects.IAMMember"]
    """The right of a project's Cloud TPU Service Agent, by project id."""
    users: Mapping[str, "compute.SubnetworkIAMMember"]
    """The right to make machines there, by the end of its name, such as `ci-user`."""
    network_name: pulumi.Output[str]
    """`projects/HOST/global/networks/NETWORK`, known when every project may use it."""
    subnetwork_name: pulumi.Output[str]
    """`projects/HOST/regions/REGION/subnetworks/SUBNETWORK`, known when every project may use it."""

    def __init__(self, name: str, args: HostNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("HostNetwork", name, HostNetworkArgs, args, network_faults(args))
        child, compute, project = pulumi.ResourceOptions(parent=self), gcp("compute"), args["project"]
        self.host = compute.SharedVPCHostProject(f"{name}-host", project=project, opts=child)
        self.network = compute.Network(f"{name}-network", **network_args(args), opts=child)
        network = self.network.id
        self.subnetwork = compute.Subnetwork(f"{name}-subnetwork", network=network, **subnetwork_args(args), opts=child)
        self._join(name, args, child)
        self._let_users_in(name, args, child)
        ready = (*self.attachments.values(), *self.agents.values(), *self.users.values())
        self.network_name = after(network, *ready)
        self.subnetwork_name = after(self.subnetwork.id, *ready)
        self.register_outputs({"networkName": self.network_name, "subnetworkName": self.subnetwork_name})

    def _join(self, name: str, args: Mapping[str, Any], child: pulumi.ResourceOptions) -> None:
        others, agent = args.get("service_projects") or {}, catalog.service_agents()["tpu"]
        joined = pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[self.host]))
        self.attachments = {
            other: gcp("compute").SharedVPCServiceProject(
                f"{name}-{other}-attachment", host_project=args["project"], service_project=other, opts=joined
            )
            for other in others
        }
        role = catalog.role_of("network-agent")
        self.agents = {
            other: gcp("projects").IAMMember(
                f"{name}-{other}-agent",
                project=args["project"],
                role=role,
                member=pulumi.Output.from_input(number).apply(agent.member),
                opts=child,
            )
            for other, number in others.items()
        }

    def _let_users_in(self, name: str, args: Mapping[str, Any], child: pulumi.ResourceOptions) -> None:
        where = picked(args, "project", "region") | {"subnetwork": self.subnetwork.name}
        role = catalog.role_of("network-user")
        self.users = let_in(
            args.get("users"),
            "user",
            lambda end, member: gcp("compute").SubnetworkIAMMember(
                f"{name}-{end}", **where, role=role, member=member, opts=child
            ),
        )


def network_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the arguments, as far as it can be known."""
    yield from common_faults(args)
    if isinstance(addresses := args.get("ip_cidr_range"), str) and not _is_range(addresses):
        yield Fault("ip_cidr_range", f"{addresses!r} is no range of IPv4 addresses, such as 10.0.0.0/20")
    for project, number in (args.get("service_projects") or {}).items():
        path = f"service_projects.{project}"
        if fault := catalog.check_resource_id("project", project):
            yield Fault(path, fault)
        if fault := catalog.check_resource_id("projectNumber", settled(number)):
            yield Fault(path, fault)


def _is_range(addresses: str) -> bool:
    try:
        ipaddress.IPv4Network(addresses)
    except ValueError:
        return False
    return "/" in addresses


def network_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-network`."""
    return {"project": args["project"], "auto_create_subnetworks": False}


def subnetwork_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-subnetwork`, less its network."""
    return picked(args, "project", "region", "ip_cidr_range") | {"private_ip_google_access": True}
