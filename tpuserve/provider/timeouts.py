"""How long each step of each resource may take, where `customTimeouts` does not say (seconds).

Google publishes few limits: what each figure is made of stands beside it.
"""

from __future__ import annotations

MINUTE, HOUR = 60.0, 3600.0
QUEUE = 4 * HOUR  # what users of queued resources wait for (marin, lib/iris gcp/workers.py)
PROVISIONING = 2 * HOUR  # the same source
DEPLOYMENT = 2 * HOUR  # Google's own limit: "at most 2 hours" (ModelContainerSpec.deployment_timeout)
SHIFT = 1 * HOUR  # undeploying and the split; of what Terraform's google provider gives a deployment, 3 h, the rest
DELETION = 1 * HOUR  # slices and replicas are given back; no source
OTHERWISE = 30 * MINUTE  # Terraform's google provider gives an endpoint 20 minutes; an upload has no source

DEFAULTS = {
    ("tpuserve:tpu:QueuedResource", "create"): QUEUE + PROVISIONING,
    ("tpuserve:tpu:QueuedResource", "update"): QUEUE + PROVISIONING,
    ("tpuserve:tpu:QueuedResource", "delete"): DELETION,
    ("tpuserve:vertex:Model", "create"): OTHERWISE,
    ("tpuserve:vertex:Model", "update"): OTHERWISE,
    ("tpuserve:vertex:Model", "delete"): OTHERWISE,
    ("tpuserve:vertex:Endpoint", "create"): OTHERWISE,
    ("tpuserve:vertex:Endpoint", "update"): OTHERWISE,
    ("tpuserve:vertex:Endpoint", "delete"): OTHERWISE,
    ("tpuserve:vertex:Deployment", "create"): DEPLOYMENT + SHIFT,
    ("tpuserve:vertex:Deployment", "update"): DEPLOYMENT + SHIFT,
    ("tpuserve:vertex:Deployment", "delete"): DELETION,
}
LOOK = 30 * MINUTE  # Diff and Read, for which the protocol has no time


def seconds(token: str, verb: str, given: float) -> float:
    """The limit: `customTimeouts`, if it was given (the protocol sends 0 for none)."""
    return given or DEFAULTS.get((token, verb), LOOK)
