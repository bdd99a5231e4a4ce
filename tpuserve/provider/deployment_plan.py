"""What a Deployment has to do on its endpoint: matching, order and traffic (pure; the words are those of the rules)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.provider.ownership import digest, read_mark, without_mark
from tpuserve.resources.deployment import DeployedModelArgs
from tpuserve.resources.diff import with_effect
from tpuserve.resources.fields import REDEPLOY, Effect, shape_of
from tpuserve.resources.wire import from_google

VARIANT = shape_of(DeployedModelArgs)
SPECIFICATION = 12  # hex digits


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

    def has_identity(self, hash12: str) -> bool:
        mark = read_mark(self.display_name)
        return mark is not None and mark.identity == hash12

    def is_specified(self, wanted: Wanted) -> bool:
        """Whether it was deployed from the specification that is wanted; without a mark its own fields tell."""
        mark = read_mark(self.display_name)
        if mark is not None:
            return mark.specification == wanted.specification
        return specification(self.inputs(wanted.inputs), self.model, self.version) == wanted.specification

    def inputs(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Its arguments; a display name only where one is given, for else it is made from the variant's."""
        found = from_google(VARIANT, self.data)
        found["model"] = f"{self.model}@{self.version}"
        found["displayName"] = without_mark(self.display_name)
        if "displayName" not in given:
            del found["displayName"]
        return found


@dataclass(slots=True)
class Plan:
    """What is to be done, in the order of the fields."""

    matched: dict[str, str] = field(default_factory=dict)
    """Variant -> id of the deployed model that already is what is wanted."""
    grow: dict[str, list[str]] = field(default_factory=dict)
    """Variant -> update mask of changes that add replicas: before the shift."""
    deploy: list[str] = field(default_factory=list)
    """Variants to deploy beside what runs."""
    retire: list[str] = field(default_factory=list)
    """Ids of ours that no variant is matched to: undeployed after the shift."""
    shrink: dict[str, list[str]] = field(default_factory=dict)
    """Variant -> update mask of the other changes: after the shift."""


def specification(inputs: Mapping[str, Any], model: str, version: str) -> str:
    """Hash of what cannot change in a deployed model; the project's spelling is left out of it."""
    fixed = without_defaults(with_effect(VARIANT, inputs, Effect.REDEPLOY, REDEPLOY))
    fixed["model"] = f"{model.split('/', 2)[-1]}@{version}"
    return digest(fixed, length=SPECIFICATION)


def without_defaults(value: Any) -> Any:
    """`value` less what stands for its default: left out or empty, it is the same to Google."""
    if isinstance(value, Mapping):
        kept = {key: without_defaults(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, "", False, 0, {}, [])}
    return value


def plan(
    wanted: Mapping[str, Wanted],
    live: Iterable[Live],
    recorded: Mapping[str, str],
    *,
    listed: Iterable[str],
    hash12: str,
    before: Mapping[str, Any],
) -> Plan:
    """The way from `live` to `wanted`.

    `recorded` is variant -> id in the state, `listed` every id that the state lists, `hash12` our identity in marks,
    `before` the variants' former inputs: what was given then and is not now goes back to its default.
    """
    known = set(listed)
    ours = {item.id: item for item in live if item.has_identity(hash12) or item.id in known}
    result = Plan(matched=match(wanted, ours, recorded))
    result.deploy = sorted(set(wanted) - set(result.matched))
    result.retire = sorted(set(ours) - set(result.matched.values()))
    for name, chosen in result.matched.items():
        former = before.get(name, {}) if recorded.get(name) == chosen else {}
        growing, other = mutation(wanted[name].inputs, ours[chosen], former)
        result.grow |= {name: growing} if growing else {}
        result.shrink |= {name: other} if other else {}
    return result


def match(wanted: Mapping[str, Wanted], ours: Mapping[str, Live], recorded: Mapping[str, str]) -> dict[str, str]:
    """Variant -> deployed model: by the id in the state, then by equal specification, never by name."""
    matched: dict[str, str] = {}
    for name in sorted(wanted):
        item = ours.get(recorded.get(name, ""))
        if item and item.id not in matched.values() and item.is_specified(wanted[name]):
            matched[name] = item.id
    for name in sorted(set(wanted) - set(matched)):
        free = (item for key, item in ours.items() if key not in matched.values() and item.is_specified(wanted[name]))
        best = sorted(free, key=lambda item: (-item.share, item.data.get("createTime", ""), item.id))
        if best:
            matched[name] = best[0].id
    return matched


def mutation(inputs: Mapping[str, Any], live: Live, former: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What mutateDeployedModel has to change: the mask of what adds replicas, and that of the rest.

    Each mask is valid by itself: a minimum that grows stays below the former maximum or grows with it.
    """
    new = _in_place(inputs)
    old = _in_place(from_google(VARIANT, live.data))
    given = _in_place(former)
    relevant = sorted(path for path in {*new, *given} if new.get(path) != old.get(path))
    counts = [path for path in relevant if path.endswith("ReplicaCount")]
    growing = [path for path in counts if (new.get(path) or 0) > (old.get(path) or 0)]
    return growing, [path for path in relevant if path not in growing]


def _in_place(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Path -> value of what changes in place; Google takes the minimum for a maximum that is left out."""
    part = with_effect(VARIANT, inputs, Effect.IN_PLACE)
    found = {key: value for key, value in part.items() if key != "dedicatedResources"}
    found |= {f"dedicatedResources.{key}": value for key, value in part.get("dedicatedResources", {}).items()}
    if "dedicatedResources.minReplicaCount" in found:
        found.setdefault("dedicatedResources.maxReplicaCount", found["dedicatedResources.minReplicaCount"])
    return {path: value for path, value in found.items() if value not in (None, False, 0, [])}


def split(shares: Mapping[str, int] | None, ids: Mapping[str, str], live: Iterable[Live]) -> dict[str, int]:
    """Shares by deployed model id; 100 to the only variant where none are given; others' ids as they are given."""
    if shares is None:
        return dict.fromkeys(ids.values(), 100) if len(ids) == 1 else {}
    by_id = {ids.get(key, key): share for key, share in shares.items() if share}
    there = {item.id for item in live} | set(ids.values())
    return {key: share for key, share in by_id.items() if key in there}


def taken_from(shares: Mapping[str, int] | None, foreign: Iterable[Live]) -> list[Live]:
    """Deployed models of others that serve now and that the inputs do not name: nothing is taken unsaid."""
    return [item for item in foreign if item.share and item.id not in (shares or {})]


def without(doomed: Iterable[str], current: Mapping[str, int]) -> dict[str, int]:
    """The split when `doomed` are gone: the others' shares scaled to 100, or nothing at all."""
    gone = set(doomed)
    rest = {key: share for key, share in current.items() if key not in gone and share}
    total = sum(rest.values())
    if not total:
        return {}
    exact = {key: share * 100 / total for key, share in rest.items()}
    whole = {key: int(value) for key, value in exact.items()}
    by_remainder = sorted(exact, key=lambda key: (whole[key] - exact[key], key))
    for key in by_remainder[: 100 - sum(whole.values())]:
        whole[key] += 1
    return whole
