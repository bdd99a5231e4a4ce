"""What endpoints serve: each variant's share of the requests and its replicas, before and after the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tpuserve.catalog import Unknown
from tpuserve.declared.resource import Resource
from tpuserve.declared.tokens import DEPLOYMENT
from tpuserve.report.declared import Side, variants
from tpuserve.report.plan import Change
from tpuserve.report.values import ABSENT, LATER, Shown, shown


class Traffic(Struct, frozen=True, rename="camel"):
    """One variant of a Deployment that changes."""

    urn: str
    deployment: str
    variant: str
    share_before: Shown
    """Percent of the requests."""
    share_after: Shown
    replicas_before: Shown
    """Such as `1 to 4`."""
    replicas_after: Shown


def traffic(changes: Sequence[Change], old: Side, new: Side) -> tuple[Traffic, ...]:
    """Every variant of each Deployment that changes."""
    touched = [each.urn for each in changes if each.type == DEPLOYMENT]
    return tuple(row for urn in touched for row in _rows(urn, old.resources.get(urn), new.resources.get(urn)))


def _rows(urn: str, old: Resource | None, new: Resource | None) -> Iterator[Traffic]:
    deployment = new or old
    if deployment is None:
        return
    sides = [_variants(each) for each in (old, new)]
    for name in sorted(sides[0].keys() | sides[1].keys()):
        given = [side.get(name) for side in sides]
        shares = [_share(each, name, variant) for each, variant in zip((old, new), given, strict=True)]
        yield Traffic(urn, deployment.name, name, *shares, *map(_replicas, given))


def _variants(given: Resource | None) -> Mapping[str, Any]:
    return {} if given and given.given.get("paused") is True else variants(given)


def _share(resource: Resource | None, name: str, variant: Any) -> Shown:
    """A single variant has all of the requests where nothing else is said."""
    if resource is None or variant is None:
        return ABSENT
    split = resource.given.get("trafficSplit")
    if isinstance(split, Mapping):
        split = split.get(name, 0)
    elif split is None:
        split = 100
    return _shown(split)


def _replicas(variant: Any) -> Shown:
    own = variant.get("dedicatedResources") if isinstance(variant, Mapping) else variant
    if not isinstance(own, Mapping):
        return _shown(own) if isinstance(own, Unknown) else ABSENT
    least = own.get("minReplicaCount")
    most = own.get("maxReplicaCount") or least
    if isinstance(least, Unknown) or isinstance(most, Unknown):
        return _shown(least if isinstance(least, Unknown) else most)
    return shown(str(_whole(least)) if least == most else f"{_whole(least)} to {_whole(most)}")


def _shown(value: Any) -> Shown:
    return LATER if isinstance(value, Unknown) else shown(_whole(value))


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
