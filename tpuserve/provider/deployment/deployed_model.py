"""A deployed model, as it is wanted and as it lives on an endpoint, and what tells whether the two are one (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.catalog import chips_of_replica, is_own_topology
from tpuserve.provider.ownership import digest, read_mark, without_mark
from tpuserve.resources.deployed_model import DeployedModelArgs
from tpuserve.resources.diff import with_effect
from tpuserve.resources.fields import REDEPLOY, Effect, shape_of
from tpuserve.resources.same import path_of
from tpuserve.resources.wire import from_google

VARIANT = shape_of(DeployedModelArgs)
SPECIFICATION = 12  # hex digits
UNDEPLOY_FIRST = "UNDEPLOY_FIRST"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One variant as the inputs have it; `model` and `version` are resolved."""

    name: str
    inputs: Mapping[str, Any]
    model: str
    version: str

    @property
    def specification(self) -> str:
        return specification(self.inputs, self.model, self.version)

    @property
    def id(self) -> str:
        """The id that the program gives it; empty where Google chooses."""
        return self.inputs.get("id") or ""

    @property
    def undeploys_first(self) -> bool:
        return self.inputs.get("strategy") == UNDEPLOY_FIRST

    @property
    def required_replicas(self) -> int:
        """Replicas that must be up before it gets requests; 0 in a shared pool, whose replicas are not its own."""
        resources = self.inputs.get("dedicatedResources") or {}
        return resources.get("requiredReplicaCount") or resources.get("minReplicaCount", 0)


@dataclass(frozen=True, slots=True)
class Live:
    """One deployed model on the endpoint, from Google's JSON."""

    data: Mapping[str, Any]
    share: int

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def model(self) -> str:
        return self.data.get("model", "").split("@")[0]

    @property
    def version(self) -> str:
        return self.data.get("modelVersionId", "")

    @property
    def display_name(self) -> str:
        return self.data.get("displayName", "")

    @property
    def available_replicas(self) -> int | None:
        """Replicas that answer; None while Google says nothing of it. A zero is left out of Google's JSON."""
        status = self.data.get("status")
        return None if status is None else status.get("availableReplicaCount", 0)

    @property
    def has_failed(self) -> bool:
        """Whether a failed deployment left it: no requests go there, nothing answers, and Google says why."""
        message = self.data.get("status", {}).get("message", "")
        return bool(message) and not self.share and not self.available_replicas

    @property
    def chips(self) -> int:
        """TPU chips that it is charged for: those of its replicas at most; 0 in a shared pool."""
        return chips_of(self.data)

    def has_identity(self, hash12: str) -> bool:
        mark = read_mark(self.display_name)
        return mark is not None and mark.identity == hash12

    def is_specified(self, wanted: Wanted) -> bool:
        """Whether it was deployed from the specification that is wanted; without a mark its own fields tell."""
        if wanted.id not in ("", self.id) or not _may_be_one_project(self.model, wanted.model):
            return False
        mark = read_mark(self.display_name)
        if mark is not None:
            return mark.specification == wanted.specification
        return specification(self.inputs(wanted.inputs), self.model, self.version) == wanted.specification

    def inputs(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Its arguments; a display name and an id only where they are given, for else they are made for the variant."""
        found = from_google(VARIANT, self.data)
        found["model"] = f"{self.model}@{self.version}"
        found["displayName"] = without_mark(self.display_name)
        return {key: value for key, value in found.items() if key not in ("displayName", "id") or key in given}


def chips_of(variant: Mapping[str, Any]) -> int:
    """TPU chips that a variant, as inputs or as Google's JSON, is charged for."""
    resources = variant.get("dedicatedResources") or {}
    machine = resources.get("machineSpec") or {}
    replicas = resources.get("maxReplicaCount") or resources.get("minReplicaCount", 0)
    return replicas * (chips_of_replica(machine.get("machineType"), machine.get("tpuTopology") or None) or 0)


def specification(inputs: Mapping[str, Any], model: str, version: str) -> str:
    """Hash of what cannot change in a deployed model; the project's spelling is left out of it, and so is the id."""
    fixed = fixed_part(inputs)
    fixed["model"] = f"{unplaced(model)}@{version}"
    return digest(fixed, length=SPECIFICATION)


def fixed_part(inputs: Any) -> Any:
    """What cannot change in a deployed model, less defaults and less its id, which two cannot share."""
    fixed = without_defaults(with_effect(VARIANT, inputs, Effect.REDEPLOY, REDEPLOY))
    if not isinstance(fixed, dict):  # not known yet
        return fixed
    fixed.pop("id", None)
    for name in ("model", "sharedResources"):
        if isinstance(given := fixed.get(name), str):
            fixed[name] = unplaced(given)
    resources = fixed.get("dedicatedResources")
    machine = resources.get("machineSpec") if isinstance(resources, dict) else None
    if isinstance(machine, dict) and is_own_topology(machine.get("machineType"), machine.get("tpuTopology")):
        del machine["tpuTopology"]
    return fixed


def unplaced(name: str) -> str:
    """A full name less host and project, which have several spellings."""
    return path_of(name).split("/", 2)[-1]


def project_of(name: str) -> str:
    """The project in a full name, by id or by number."""
    return name.split("/")[1]


def _may_be_one_project(one: str, other: str) -> bool:
    """Whether two models are in one project, as far as their names tell: an id may be any number's."""
    projects = {project_of(name) for name in (one, other) if name}
    return len(projects) < 2 or len({project.isdecimal() for project in projects}) == 2


def without_defaults(value: Any) -> Any:
    """`value` less what stands for its default: left out or empty, it is the same to Google."""
    if isinstance(value, Mapping):
        kept = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, "", False, 0, {}, [])}
    return value
