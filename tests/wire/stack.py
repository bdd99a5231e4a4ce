"""The harness's stack, and what tests of deployments begin with."""

from __future__ import annotations

from typing import Any

from tests.wire import programs
from tpuserve.testing.stack import Stack, urn_of
from tpuserve.testing.wire import State

__all__ = ["Stack", "served", "urn_of"]


async def served(stack: Stack, image: str = "registry/digits:1", /, **changes: Any) -> State:
    """A model on an endpoint, and a Deployment of it."""
    made = await stack.up(programs.MODEL, "m", programs.model(**{"containerSpec.imageUri": image}))
    place = await stack.up(programs.ENDPOINT, "e", programs.endpoint())
    args = programs.deployment(place.properties["name"], made.properties["versionName"], **changes)
    return await stack.up(programs.DEPLOYMENT, "d", args)
