"""Resources of stacks with TPU chips, for the rules on quotas, locations, production and prices."""

from typing import Any

from pulumi_policy import PolicyResource

from tests.policies.packs import DEPLOYMENT, declared
from tpuserve.declared import chips
from tpuserve.declared.tokens import NODE_POOL

NAME = "projects/acme/locations/us-east5/endpoints/digits"


def slices(count: int = 3, kind: Any = "v6e-8", name: str = "slices", **more: Any) -> PolicyResource:
    """A queued resource in us-east5-b of acme."""
    nodes = {"multiNodeParams": {"nodeCount": count}} if count > 1 else {"nodeId": "n"}
    spec = {"node": {"acceleratorType": kind, "runtimeVersion": "v2-alpha-tpuv6e"}, **nodes}
    return declared(chips.QUEUED, name, {"project": "acme", "zone": "us-east5-b", "tpu": {"nodeSpec": [spec]}, **more})


def variant(machine: Any = "ct6e-standard-1t", least: Any = 1, most: Any = 2, **more: Any) -> dict[str, Any]:
    """A variant on machines of its own."""
    machines = {"machineSpec": {"machineType": machine}, "minReplicaCount": least, "maxReplicaCount": most}
    return {"dedicatedResources": {**machines, **more}}


def deployed(name: str = "digits", endpoint: Any = NAME, **variants: Any) -> PolicyResource:
    """A Deployment on an endpoint of us-east5 in acme."""
    return declared(DEPLOYMENT, name, {"endpoint": endpoint, "deployedModels": variants})


def raw_vm(**more: Any) -> PolicyResource:
    """A TPU VM of the bridged provider."""
    given = {"zone": "us-east5-b", "project": "acme", "acceleratorType": "v6e-4", "runtimeVersion": "r", "name": "vm"}
    return declared(chips.RAW_VM, "vm", {**given, **more})


def raw_pool(**more: Any) -> PolicyResource:
    """A shared pool of the bridged provider."""
    return declared(chips.RAW_POOL, "pool", {"project": "acme", "region": "us-east5", **variant(), **more})


def raw_queued(count: int = 1) -> PolicyResource:
    """A queued resource of the bridged provider."""
    node = {"node": {"acceleratorType": "v5litepod-8", "runtimeVersion": "r"}}
    tpu = {"nodeSpecs": [node for _ in range(count)]}
    return declared(chips.RAW_QUEUED, "raw", {"project": "acme", "zone": "us-west4-a", "tpu": tpu})


def node_pool(machine: Any = "ct6e-standard-4t", name: str = "pool", **more: Any) -> PolicyResource:
    """A node pool of GKE with 2 nodes in us-east5-b."""
    given = {"cluster": "c", "location": "us-east5", "nodeLocations": ["us-east5-b"], "nodeCount": 2}
    return declared(NODE_POOL, name, {**given, "nodeConfig": {"machineType": machine}, **more})


def raw_garden() -> PolicyResource:
    """A Model Garden deployment of the bridged provider."""
    config = {"deployConfig": variant("ct5lp-hightpu-4t", 1, 1)}
    return declared(chips.RAW_GARDEN, "garden", {"project": "acme", "location": "us-west1", **config})
