"""Policies run as the policy SDK runs them, without its server."""

from typing import Any

from pulumi_policy import (
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.policy import PolicyCustomTimeouts
from pulumi_policy.proxy import unknown_checking_proxy

DEPLOYMENT = "tpuserve:vertex:Deployment"


def deployment(machine_type: Any, variant: str = "stable") -> dict[str, Any]:
    """Inputs of a Deployment of one variant."""
    machine = {"machineType": machine_type}
    return {"deployedModels": {variant: {"dedicatedResources": {"machineSpec": machine, "minReplicaCount": 1}}}}


def violations(
    policy: ResourceValidationPolicy, token: str, properties: dict[str, Any], config: dict[str, Any] | None = None
) -> list[str]:
    """What the policy reports of one resource."""
    reported: list[str] = []
    options = _options()
    args = ResourceValidationArgs(
        token,
        unknown_checking_proxy(properties),
        f"urn:pulumi:s::p::{token}::digits",
        "digits",
        options,
        None,
        config,
        {},
    )
    policy.validate(args, lambda message, urn=None: reported.append(message))
    return reported


def declared(token: str, name: str, properties: dict[str, Any], **sources: PolicyResource) -> PolicyResource:
    """A resource of a stack; `sources` are the resources that its properties have their values from."""
    urn, depends = f"urn:pulumi:s::p::{token}::{name}", {key: [source] for key, source in sources.items()}
    proxy = unknown_checking_proxy(properties)
    return PolicyResource(token, proxy, urn, name, _options(), None, None, list(sources.values()), depends)


def stack_violations(
    policy: StackValidationPolicy, *resources: PolicyResource, config: dict[str, Any] | None = None
) -> list[tuple[str, str]]:
    """What the policy reports of the stack: the name of the resource that it blames, "" for none, and the message."""
    reported: list[tuple[str, str]] = []

    def report(message: str, urn: str | None = None) -> None:
        reported.append(((urn or "").rpartition("::")[2], message))

    policy.validate(StackValidationArgs(list(resources), config), report)
    return reported


def _options() -> PolicyResourceOptions:
    return PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
