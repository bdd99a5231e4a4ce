"""The account that a pipeline previews or deploys as: a custom role with what tpuserve calls for, and no key."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault
from tpuserve.catalog.words import did_you_mean, listed

from .gcp import LATER, common_faults, gcp, let_in
from .inputs import check_arguments, picked

if TYPE_CHECKING:
    from pulumi_gcp import projects, serviceaccount
else:
    projects = LATER
    serviceaccount = LATER

TYPE = "tpuserve:components:PipelineAccount"
TITLES = {"preview": "tpuserve: preview", "deploy": "tpuserve: update and destroy"}


class PipelineAccountArgs(TypedDict, total=False):
    """Arguments of a pipeline's account. Its permissions are those of docs/permissions.md."""

    project: Required[pulumi.Input[str]]
    """Project id of what is served, and of the account."""
    account_id: Required[pulumi.Input[str]]
    """What its address begins with: 6 to 30 of a-z, 0-9 and hyphens."""
    does: Required[Literal["preview", "deploy"]]
    """`preview`: reads alone. `deploy`: updates and destroys as well."""
    role_id: pulumi.Input[str]
    """Id of the custom role, letters, digits, underscores and dots; `tpuservePreview` or `tpuserveDeploy` where left
    out. Google keeps the id of a deleted role for some time."""
    jobs: Mapping[str, pulumi.Input[str]]
    """Which jobs act as it by workload identity federation, by a name of your own: `{"main":
    "principalSet://iam.googleapis.com/projects/NUMBER/locations/global/workloadIdentityPools/POOL/attribute.ref/REF"}`.
    A principal that every job of a repository has lets a pull request act as the account."""


class PipelineAccount(pulumi.ComponentResource):
    """An account with one custom role. Children: `<name>-account`, `<name>-role`, `<name>-role-grant`,
    `<name>-<job>-federation`. Who deploys also needs a place among the `deployers` of a `ServingEnvironment`, the
    `users` of a `HostNetwork` and the `writers` of a `StateStore`."""

    account: "serviceaccount.Account"
    """The account itself."""
    role: "projects.IAMCustomRole"
    """The custom role."""
    grant: "projects.IAMMember"
    """The account's right to it."""
    jobs: Mapping[str, "serviceaccount.IAMMember"]
    """The right to act as it, by the end of its name, such as `main-federation`."""
    email: pulumi.Output[str]
    """Its address, which a job authenticates as."""
    member: pulumi.Output[str]
    """As IAM writes it, `serviceAccount:...`."""

    def __init__(self, name: str, args: PipelineAccountArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(TYPE, name, {}, opts)
        check_arguments("PipelineAccount", name, PipelineAccountArgs, args, pipeline_faults(args))
        child, project = pulumi.ResourceOptions(parent=self), args["project"]
        account = picked(args, "project", "account_id")
        self.account = gcp("serviceaccount").Account(f"{name}-account", **account, opts=child)
        self.role = gcp("projects").IAMCustomRole(f"{name}-role", **role_args(args), opts=child)
        member, role = self.account.member, self.role.name
        self.grant = gcp("projects").IAMMember(
            f"{name}-role-grant", project=project, role=role, member=member, opts=child
        )
        federation = catalog.role_of("account-federation")
        self.jobs = let_in(
            args.get("jobs"),
            "federation",
            lambda end, job: gcp("serviceaccount").IAMMember(
                f"{name}-{end}", service_account_id=self.account.name, role=federation, member=job, opts=child
            ),
        )
        self.email, self.member = self.account.email, member
        self.register_outputs({"email": self.email, "member": self.member})


def pipeline_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with the arguments, as far as it can be known."""
    yield from common_faults(args)
    if (does := args.get("does")) is not None and does not in TITLES:
        yield Fault("does", f"{does!r} is nothing that it does{did_you_mean(does, TITLES)}; use {listed(TITLES, 'or')}")


def role_args(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the child `-role`."""
    does = args["does"]
    return {
        "project": args["project"],
        "role_id": args.get("role_id") or f"tpuserve{does.capitalize()}",
        "title": TITLES[does],
        "permissions": list(catalog.custom_roles()[does]),
    }
