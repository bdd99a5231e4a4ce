"""Arguments that Check accepts, of each resource, in the wire's spelling."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

PROJECT, NUMBER = "tpuserve-local", "100000000001"
OTHER_PROJECT, OTHER_NUMBER = "other-project", "100000000002"
LOCATION, ZONE = "us-east5", "us-east5-b"
ZONE_PATH = f"projects/{PROJECT}/locations/{ZONE}"
OWNER, OTHER_OWNER = "a" * 20, "b" * 20

QUEUED_RESOURCE = "tpuserve:tpu:QueuedResource"
MODEL = "tpuserve:vertex:Model"
ENDPOINT = "tpuserve:vertex:Endpoint"
DEPLOYMENT = "tpuserve:vertex:Deployment"

_COLLECTION = {
    "tpu": {
        "nodeSpec": [
            {
                "multiNodeParams": {"nodeCount": 3, "workloadType": "AVAILABILITY_OPTIMIZED"},
                "node": {"acceleratorType": "v6e-8", "runtimeVersion": "v2-alpha-tpuv6e"},
            }
        ]
    }
}
_MODEL = {
    "displayName": "digits",
    "containerSpec": {
        "imageUri": "registry/digits:1",
        "predictRoute": "/predict",
        "healthRoute": "/health",
        "ports": [{"containerPort": 8080}],
    },
}
_ENDPOINT = {"displayName": "digits", "labels": {"team": "a"}}
_VARIANT = {"dedicatedResources": {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}}


def collection(**changes: Any) -> dict[str, Any]:
    """Three slices of v6e-8; `changes` by path, such as `**{"tpu.nodeSpec.0.node.tags": ["a"]}`."""
    return changed(_COLLECTION, changes)


def model(**changes: Any) -> dict[str, Any]:
    return changed(_MODEL, changes)


def endpoint(**changes: Any) -> dict[str, Any]:
    return changed(_ENDPOINT, changes)


def variant(model_name: str, **changes: Any) -> dict[str, Any]:
    return changed({"model": model_name, **_VARIANT}, changes)


def deployment(endpoint_name: str, model_name: str, **changes: Any) -> dict[str, Any]:
    """One variant `stable` on one endpoint."""
    return changed({"endpoint": endpoint_name, "deployedModels": {"stable": variant(model_name)}}, changes)


def changed(args: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with the value at each dotted path set, or taken out where it is None."""
    result = copy.deepcopy(dict(args))
    for path, value in changes.items():
        *parents, last = path.split(".")
        where: Any = result
        for step in parents:
            where = where[int(step)] if isinstance(where, list) else where.setdefault(step, {})
        if value is None:
            where.pop(last)
        elif isinstance(where, list):
            where[int(last)] = value
        else:
            where[last] = value
    return result
