"""A key of one's own in Cloud KMS, together with the right of Google's services to use it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault
from tpuserve.catalog.words import did_you_mean, listed

from .gcp import LATER, after, common_faults, gcp, let_in
from .inputs import check_arguments, given, picked

if TYPE_CHECKING:
    from pulumi_gcp import kms
else:
    kms = LATER

TYPE = "tpuserve:components:EncryptionKey"
SERVICES = ("aiplatform", "artifactregistry", "bigquery", "compute", "storage")
QUARTER = "7776000s"


class EncryptionKeyArgs(TypedDict, total=False):
    """Arguments of a key. Who needs which role on it, and from which source that is known: docs/environments.md."""

    project: Required[pulumi.Input[str]]
    """Project id of the key."""
    location: Required[pulumi.Input[str]]
    """Region, such as `us-east5`: that of what is encrypted."""
    services: Required[Sequence[Literal["aiplatform", "artifactregistry", "bigquery", "compute", "storage"]]]
    """Services that encrypt with the key; their agents are granted that before anybody is told the key's name. Boot
    disks of TPU VMs are of `compute`."""
    service_project: pulumi.Input[str]
    """Project whose services they are; `project` where left out."""
    project_number: pulumi.Input[str]
    """Number of that project: needed for `compute`, whose agent nothing else names."""
    users: Mapping[str, pulumi.Input[str]]
    """Who else encrypts and decrypts with it, by a name of your own: `{"ci": "serviceAccount:..."}`."""
    readers: Mapping[str, pulumi.Input[str]]
    """Who else decrypts with it, by a name of your own."""
    rotation_period: pulumi.Input[str]
    """How often there is a new version, in seconds; `7776000s` (90 days) where left out."""
    labels: pulumi.Input[Mapping[str, pulumi.Input[str]]]
    """Labels of the key; a key ring has none."""


class EncryptionKey(pulumi.ComponentResource):
    """A key and its grants. Children: `<name>-ring`, `<name>-key`, `<name>-<service>-agent`, `<name>-<service>-grant`,
    `<name>-<user>-user`, `<name>-<reader>-reader`. Google deletes neither ring nor key: both are retained when they
    leave the program, for what they encrypted needs them."""

    ring: "kms.KeyRing"
    """The key ring."""
    key: "kms.CryptoKey"
    """The key itself."""
    grants: Mapping[str, "kms.CryptoKeyIAMMember"]
    """The right to use it, by the end of its name, such as `compute-grant` and `ci-user`."""
    key_name: pulumi.Output[str]
    """Full resource name of the key, known when every grant is there: what takes it is made after them."""

    def __init__(self, name: str, args: EncryptionKeyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("EncryptionKey", name, EncryptionKeyArgs, args, key_faults(args))
        kept = pulumi.ResourceOptions(parent=self, retain_on_delete=True)
        self.ring = gcp("kms").KeyRing(f"{name}-ring", **ring_args(args), opts=kept)
        self.key = gcp("kms").CryptoKey(f"{name}-key", key_ring=self.ring.id, **key_args(args), opts=kept)
        agents = {service: self._agent(name, service, args) for service in args["services"]}
        self.grants = {
            **let_in(agents, "grant", lambda end, who: self._grant(f"{name}-{end}", end.removesuffix("-grant"), who)),
            **let_in(args.get("users"), "user", lambda end, who: self._grant(f"{name}-{end}", "user", who)),
            **let_in(args.get("readers"), "reader", lambda end, who: self._grant(f"{name}-{end}", "reader", who)),
        }
        self.key_name = after(self.key.id, *self.grants.values())
        self.register_outputs({"keyName": self.key_name})

    def _grant(self, name: str, whose: str, member: Any) -> "kms.CryptoKeyIAMMember":
        role = catalog.role_of(f"key-{whose}")
        child = pulumi.ResourceOptions(parent=self)
        return gcp("kms").CryptoKeyIAMMember(name, crypto_key_id=self.key.id, role=role, member=member, opts=child)

    def _agent(self, name: str, service: str, args: Mapping[str, Any]) -> pulumi.Output[str]:
        """How IAM names a service's agent, from whoever brings it about."""
        agent, project = catalog.service_agents()[service], args.get("service_project", args["project"])
        child = pulumi.ResourceOptions(parent=self)
        if not agent.made_by:
            return pulumi.Output.from_input(args["project_number"]).apply(agent.member)
        module, _, function = agent.made_by.partition(".")
        if agent.made_by.endswith(".googleapis.com"):
            end = f"{name}-{service}-agent"
            return gcp("projects").ServiceIdentity(end, project=project, service=agent.made_by, opts=child).member
        ask = getattr(gcp(module), f"{function}_output")
        return ask(project=project, opts=pulumi.InvokeOutputOptions(parent=self)).member


def key_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What keeps the arguments from being a key."""
    yield from common_faults(args)
    for index, service in enumerate(args.get("services") or ()):
        if service not in SERVICES:
            near = did_you_mean(service, SERVICES)
            yield Fault(f"services[{index}]", f"{service!r} is no service{near}; use {listed(SERVICES, 'or')}")
    if "compute" in (args.get("services") or ()) and args.get("project_number") is None:
        yield Fault("project_number", "missing; the agent of `compute` is named by it")


def ring_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-ring`."""
    return picked(args, "project", "location")


def key_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-key`, less its ring."""
    return given({"rotation_period": args.get("rotation_period") or QUARTER, "labels": args.get("labels")})
