"""The environments that a platform team has, each with the policy configuration that its stacks begin with."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

LABEL = "environment"
"""The label by which everything of a stack tells its environment."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What one is for, and what its policies say."""

    summary: str
    policies: Mapping[str, Any]
    """Policy -> level or configuration, less what depends on the stack's place."""
    protect: bool = False
    """Whether its stacks are protected from being deleted."""


ENVIRONMENTS: Mapping[str, Environment] = {
    "dev": Environment("every policy advises, none blocks", {"all": "advisory"}),
    "staging": Environment(
        "as prod, but for one replica and no protection; images by digest are advised",
        {"production": {"enforced": True, "except": ["replicas", "protection", "autoscaling"]}},
    ),
    "prod": Environment(
        "what users depend on: several replicas, protection, keys, labels, logs; images by digest",
        {"production": {"enforced": True}, "containers-versions": "mandatory"},
        protect=True,
    ),
}


def policies_of(environment: str, *regions: str | None) -> dict[str, Any]:
    """A stack's policy configuration to begin with; `regions` are the places that it allows, if there are any."""
    found: dict[str, Any] = deepcopy(dict(ENVIRONMENTS[environment].policies))
    if production := found.get("production"):
        production["labels"] = {LABEL: environment}
    if allowed := list(dict.fromkeys(filter(None, regions))):
        found["locations"] = {"allowed": allowed}
    return found
