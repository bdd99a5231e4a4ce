"""How long each step of each resource may take, where `customTimeouts` does not say (seconds)."""

from __future__ import annotations

MINUTE, HOUR = 60.0, 3600.0
# Queue 4 h and provisioning 2 h are what users of queued resources allow; a deployment may take 2 h at Google
# (ModelContainerSpec.deployment_timeout) and is shifted and undeployed after it.
DEFAULTS = {
    ("tpuserve:tpu:QueuedResource", "create"): 6 * HOUR,
    ("tpuserve:tpu:QueuedResource", "update"): 6 * HOUR,
    ("tpuserve:tpu:QueuedResource", "delete"): 1 * HOUR,
    ("tpuserve:vertex:Deployment", "create"): 3 * HOUR,
    ("tpuserve:vertex:Deployment", "update"): 3 * HOUR,
    ("tpuserve:vertex:Deployment", "delete"): 1 * HOUR,
}
OTHERWISE = 30 * MINUTE


def seconds(token: str, verb: str, given: float) -> float:
    """The limit: `customTimeouts`, if it was given (the protocol sends 0 for none)."""
    return given or DEFAULTS.get((token, verb), OTHERWISE)
