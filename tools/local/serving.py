"""What the stack says it serves: its outputs, typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Slice:
    """One slice; `address` is host:port of its first host."""

    name: str
    state: str
    health: str
    address: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One deployed model and its share of the requests in percent."""

    name: str
    deployed_model_id: str
    version: str
    replicas: int
    share: int


@dataclass(frozen=True, slots=True)
class Serving:
    """The stack's outputs."""

    collection: str
    state: str
    slices: tuple[Slice, ...]
    model: str
    version: str
    endpoint: str
    location: str
    variants: tuple[Variant, ...]


def serving(outputs: Mapping[str, Any]) -> Serving:
    """Read the outputs that `__main__.py` exports."""
    collection, model, endpoint = (outputs.get(name) or {} for name in ("collection", "model", "endpoint"))
    deployment = outputs.get("deployment") or {}
    split = deployment.get("trafficSplit") or {}
    return Serving(
        collection=str(collection.get("name", "")),
        state=str(collection.get("state", "")),
        slices=tuple(_slice(node) for node in collection.get("nodes") or ()),
        model=str(model.get("name", "")),
        version=str(model.get("versionId", "")),
        endpoint=str(endpoint.get("name", "")),
        location=str(endpoint.get("location", "")),
        variants=tuple(_variant(name, status, split) for name, status in (deployment.get("variants") or {}).items()),
    )


def short(name: str) -> str:
    """The last part of a full resource name."""
    return name.rpartition("/")[2]


def _slice(node: Mapping[str, Any]) -> Slice:
    first = next(iter(node.get("network_endpoints") or ()), {})
    port = first.get("port")
    address = f"{first.get('ip_address', '')}:{int(port)}" if port else ""
    return Slice(short(node["name"]), str(node.get("state", "")), str(node.get("health", "")), address)


def _variant(name: str, status: Mapping[str, Any], split: Mapping[str, Any]) -> Variant:
    share = int(split.get(name, 0))
    replicas = int(status.get("available_replica_count") or 0)
    return Variant(name, str(status.get("id", "")), str(status.get("model_version_id", "")), replicas, share)
