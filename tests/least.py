"""The emulator's settings of nearly every test: it grants what docs/permissions.md lists, and nothing else."""

from typing import Any

from tools.docs import permissions
from tpuserve.emulator import Settings

GRANTED = permissions.needed(permissions.PHASES)
# What only tests themselves do with clients of their own: waiting for Cloud TPU's operations, where the provider looks
# at the queued resource, and making the pools that a Deployment is given.
HAND = ["tpu.operations.get", "aiplatform.deploymentResourcePools.create", "aiplatform.deploymentResourcePools.list"]


def least(**given: Any) -> Settings:
    """Settings with the permissions of the table alone, and those that only a test's own hand needs."""
    return Settings(**{"permissions": [*GRANTED, *HAND], **given})
