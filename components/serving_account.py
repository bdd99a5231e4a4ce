"""The service account that containers and slices run as, with the least that they need."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Required, TypedDict

import pulumi

from tpuserve import catalog

from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked

if TYPE_CHECKING:
    from pulumi_gcp import projects, serviceaccount
else:
    projects = LATER
    serviceaccount = LATER

TYPE = "tpuserve:components:ServingAccount"


class ServingAccountArgs(TypedDict, total=False):
    """Arguments of a service account. Its roles, and from which source each is known: docs/environments.md."""

    project: Required[pulumi.Input[str]]
    """Project id."""
    account_id: Required[pulumi.Input[str]]
    """What its address begins with: 6 to 30 of a-z, 0-9 and hyphens."""
    display_name: pulumi.Input[str]
    """Name for people."""
    users: Mapping[str, pulumi.Input[str]]
    """Who deploys what runs as it, by a name of your own: `{"ci": "serviceAccount:..."}`."""


class ServingAccount(pulumi.ComponentResource):
    """A service account. Children: `<name>-account`, `<name>-logs-grant`, `<name>-<user>-user`. What it may read is
    granted where that is: by `ModelBucket` and `ImageRepository`."""

    account: "serviceaccount.Account"
    """The account itself."""
    logs: "projects.IAMMember"
    """Its right to write logs."""
    users: Mapping[str, "serviceaccount.IAMMember"]
    """The right to deploy what runs as it, by the end of its name, such as `ci-user`."""
    email: pulumi.Output[str]
    """Its address, as a variant's `service_account` takes it."""
    member: pulumi.Output[str]
    """As IAM writes it, `serviceAccount:...`."""

    def __init__(self, name: str, args: ServingAccountArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("ServingAccount", name, ServingAccountArgs, args, common_faults(args))
        child = pulumi.ResourceOptions(parent=self)
        self.account = gcp("serviceaccount").Account(f"{name}-account", **account_args(args), opts=child)
        self.email, self.member = self.account.email, self.account.member
        self.logs = gcp("projects").IAMMember(f"{name}-logs-grant", **logs_args(args), member=self.member, opts=child)
        role = catalog.role_of("account-user")
        self.users = let_in(
            args.get("users"),
            "user",
            lambda end, member: gcp("serviceaccount").IAMMember(
                f"{name}-{end}", service_account_id=self.account.name, role=role, member=member, opts=child
            ),
        )
        self.register_outputs({"email": self.email, "member": self.member})


def account_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-account`."""
    return picked(args, "project", "account_id", "display_name")


def logs_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-logs-grant`, less the member."""
    return {"project": args["project"], "role": catalog.role_of("account-logs")}
