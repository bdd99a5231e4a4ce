"""Policies run as the policy SDK runs them, without its server."""

from typing import Any

from pulumi_policy import PolicyResourceOptions, ResourceValidationArgs, ResourceValidationPolicy
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
    options = PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
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
