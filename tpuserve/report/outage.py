"""What is out of service while a resource changes."""

from collections.abc import Mapping
from typing import Any

from tpuserve.declared.resource import Resource
from tpuserve.declared.tokens import DEPLOYMENT, ENDPOINT, QUEUED
from tpuserve.report.declared import Side, variants
from tpuserve.report.effects import redeployed
from tpuserve.report.plan import Change

FIRST = "UNDEPLOY_FIRST"
"""The strategy of a variant that is undeployed before it is deployed anew."""
DELETED_FIRST = {
    QUEUED: "the slices are given up first; the new ones come when Google grants the new request, and not before",
    ENDPOINT: "nothing answers at this address until the new endpoint is there and deployed to",
}
"""Type -> what deleting it first means."""


def outage(change: Change, old: Side, new: Side) -> str:
    """In a sentence; "" for nothing that is known."""
    if change.is_adopted:
        return ""
    if change.order == "delete first":
        return DELETED_FIRST.get(change.type, "the old one is gone before the new one is there")
    before, after = old.resources.get(change.urn), new.resources.get(change.urn)
    if change.type != DEPLOYMENT or change.action != "update" or before is None or after is None:
        return ""
    if after.given.get("paused") is True:
        return "" if before.given.get("paused") is True else "is paused: nothing is deployed"
    return _of_rollout(before, after)


def undeploys_first(before: Any, after: Any) -> bool:
    """Whether a variant, given on both sides, is taken down before it is deployed anew."""
    is_first = isinstance(after, Mapping) and after.get("strategy") == FIRST
    return is_first and isinstance(before, Mapping) and redeployed(before, after)


def _of_rollout(old: Resource, new: Resource) -> str:
    before, after = variants(old), variants(new)
    first = [name for name in sorted(after) if name in before and undeploys_first(before[name], after[name])]
    serving = [name for name in before if has_share(old, name)]
    if first and serving and set(serving) <= set(first):
        return f"nothing serves while {first[0]} is deployed anew"
    return ""


def has_share(resource: Resource, name: str) -> bool:
    """Whether requests go to a variant."""
    split = resource.given.get("trafficSplit")
    return bool(split.get(name)) if isinstance(split, Mapping) else True
