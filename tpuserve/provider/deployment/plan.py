"""What a Deployment has to do on its endpoint: matching and order (pure; the words are those of the rules)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.provider.deployment.deployed_model import VARIANT, Live, Wanted
from tpuserve.provider.ownership import read_mark
from tpuserve.resources.diff import with_effect
from tpuserve.resources.fields import Effect
from tpuserve.resources.wire import from_google, to_google

RESOURCES = "dedicatedResources"


@dataclass(slots=True)
class Plan:
    """What is to be done, in the order of the fields."""

    matched: dict[str, str] = field(default_factory=dict)
    """Variant -> id of the deployed model that already is what is wanted."""
    grow: dict[str, list[str]] = field(default_factory=dict)
    """Variant -> update mask of changes that add replicas: before the shift."""
    spare: list[str] = field(default_factory=list)
    """Ids without requests that are undeployed before anything is deployed, for a variant whose strategy is to."""
    deploy: list[str] = field(default_factory=list)
    """Variants to deploy."""
    first: dict[str, str] = field(default_factory=dict)
    """Variant of `deploy` -> id that gives its share away and is undeployed before the variant is deployed."""
    retire: list[str] = field(default_factory=list)
    """Ids of ours that no variant is matched to: undeployed after the shift, if not before."""
    shrink: dict[str, list[str]] = field(default_factory=dict)
    """Variant -> update mask of the other changes: after the shift."""


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
    `before` is id -> the inputs that it was last given, under whatever variant: what was given then and is not now goes
    back to its default.
    """
    known = set(listed)
    ours = {i.id: i for i in live if i.has_identity(hash12) or i.id in known or _is_taken_over(i, wanted.values())}
    result = Plan(matched=match(wanted, ours, recorded))
    result.deploy = sorted(set(wanted) - set(result.matched))
    result.retire = sorted(set(ours) - set(result.matched.values()))
    result.first = _first(wanted, result, recorded)
    if any(wanted[name].undeploys_first for name in result.deploy):
        named = set(result.first.values())
        result.spare = [key for key in result.retire if key not in named and not ours[key].share]
    for name, chosen in result.matched.items():
        growing, other = mutation(wanted[name].inputs, ours[chosen], before.get(chosen, {}))
        result.grow |= {name: growing} if growing else {}
        result.shrink |= {name: other} if other else {}
    return result


def _is_taken_over(item: Live, wanted: Iterable[Wanted]) -> bool:
    """Whether a variant asks for the deployed model of nobody by its id, and it is what that variant wants."""
    asking = (one for one in wanted if one.id == item.id)
    return read_mark(item.display_name) is None and any(item.is_specified(one) for one in asking)


def _first(wanted: Mapping[str, Wanted], done: Plan, recorded: Mapping[str, str]) -> dict[str, str]:
    """What each variant that undeploys first runs on: by the state, or under the id that it asks for."""
    found: dict[str, str] = {}
    for name in done.deploy:
        for key in (wanted[name].id, recorded.get(name, "")) if wanted[name].undeploys_first else ():
            if key in done.retire and key not in found.values():
                found.setdefault(name, key)
    return found


def match(wanted: Mapping[str, Wanted], ours: Mapping[str, Live], recorded: Mapping[str, str]) -> dict[str, str]:
    """Variant -> deployed model: by the id in the state, then by equal specification, never by name.

    What a failed deployment left is nothing's match.
    """
    sound = {key: item for key, item in ours.items() if not item.has_failed}
    matched: dict[str, str] = {}
    for name in sorted(wanted, key=lambda name: (not wanted[name].id, name)):  # an id that is given goes first
        item = sound.get(wanted[name].id or recorded.get(name, ""))
        if item and item.id not in matched.values() and item.is_specified(wanted[name]):
            matched[name] = item.id
    for name in sorted(set(wanted) - set(matched)):
        free = (item for key, item in sound.items() if key not in matched.values() and item.is_specified(wanted[name]))
        best = sorted(free, key=lambda item: (-item.share, item.data.get("createTime", ""), item.id))
        if best:
            matched[name] = best[0].id
    return matched


def mutation(inputs: Mapping[str, Any], live: Live, former: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """What mutateDeployedModel has to change: the mask of what adds replicas, and that of the rest.

    Each mask is valid by itself: a minimum that grows stays below the former maximum or grows with it.
    """
    new, old = _in_place(inputs), _in_place(from_google(VARIANT, live.data))
    asked = {*_given(inputs), *_given(former)}
    if f"{RESOURCES}.minReplicaCount" in asked:
        asked.add(f"{RESOURCES}.maxReplicaCount")  # left out, it follows the minimum
    relevant = sorted(path for path in asked if new.get(path) != old.get(path))
    counts = [path for path in relevant if path.endswith("ReplicaCount")]
    growing = [path for path in counts if (new.get(path) or 0) > (old.get(path) or 0)]
    return growing, [path for path in relevant if path not in growing]


def _given(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Path -> value of what changes in place, as it is given."""
    part = with_effect(VARIANT, to_google(VARIANT, inputs), Effect.IN_PLACE)
    found = {key: value for key, value in part.items() if key != RESOURCES}
    found |= {f"{RESOURCES}.{key}": value for key, value in part.get(RESOURCES, {}).items()}
    return {path: value for path, value in found.items() if value not in (None, False, 0, [])}


def _in_place(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The same as it takes effect: Google takes the minimum for a maximum or a required count that is left out."""
    found = _given(inputs)
    least = found.get(f"{RESOURCES}.minReplicaCount")
    defaults = {f"{RESOURCES}.{name}": least for name in ("maxReplicaCount", "requiredReplicaCount") if least}
    return defaults | found
