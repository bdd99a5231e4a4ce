"""What a preview of a Deployment shows (pure): each variant's way, and which ids are known already."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.deployment import shares
from tpuserve.provider.deployment.deployed_model import UNDEPLOY_FIRST, fixed_part, unplaced
from tpuserve.provider.ownership import holds_unknown
from tpuserve.resources.diff import Change
from tpuserve.resources.fields import Effect

Variants = Mapping[str, Any]


def rows(changes: list[Change]) -> list[Change]:
    """One row a variant: the path that changed, or the variant where several did."""
    variants = [c for c in changes if _variant(c)]
    several = {c.steps[1] for c in variants if sum(c.steps[1] == other.steps[1] for other in variants) > 1}
    single = [c for c in changes if c not in variants or c.steps[1] not in several]
    return single + [_whole(name, [c for c in variants if c.steps[1] == name]) for name in sorted(map(str, several))]


def _variant(change: Change) -> str:
    """The variant that a change is of, if it is of one."""
    return str(change.steps[1]) if change.steps[0] == "deployedModels" and len(change.steps) > 1 else ""


def _whole(name: str, parts: list[Change]) -> Change:
    effect = Effect.REDEPLOY if any(deploys(part) for part in parts) else Effect.IN_PLACE
    return Change(("deployedModels", name), effect, [c.old for c in parts], [c.new for c in parts])


def deploys(change: Change) -> bool:
    """Whether the change deploys something beside what runs, unless something that runs is what is wanted.

    An argument that is taken out does, a variant that is does not.
    """
    removed = change.new is None and len(change.steps) == 2
    return change.effect is Effect.REDEPLOY and not removed


def taken_over(old: Variants, new: Variants, state: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Variant -> the former variant whose deployed model it takes over, being of equal specification.

    Of several it is the one that the rollout takes: by share, then the older (deployment_plan.match).
    """
    return _matched(old, new, state or {})[1]


def _matched(old: Variants, new: Variants, state: Mapping[str, Any]) -> tuple[set[str], dict[str, str]]:
    """Variants that are specified as before, and which of the former ones the others take over."""
    found: dict[str, str] = {}
    wanted, there = _fixed(new, state), _fixed(old, state)
    stays = {name for name in wanted if name in there and wanted[name] == there[name]}
    ranked = sorted(old, key=partial(_rank, state))
    for name in sorted(set(new) - stays):
        free = [other for other in ranked if other not in stays and other not in found.values()]
        same = [other for other in free if not holds_unknown(new[name]) and there[other] == wanted[name]]
        if same:
            found[name] = same[0]
    return stays, found


def _fixed(variants: Variants, state: Mapping[str, Any]) -> dict[str, Any]:
    """What cannot change in each, with the version behind an alias that the state has seen there."""
    status = state.get("deployedModelStatus") or {}
    seen = {}
    for name, given in (state.get("deployedModels") or {}).items():
        model = given.get("model") if isinstance(given, Mapping) else None
        if isinstance(model, str) and "modelVersionId" in status.get(name, {}):
            seen[unplaced(model)] = status[name]["modelVersionId"]
    parts = {name: fixed_part(given) for name, given in variants.items()}
    for part in parts.values():
        model = part.get("model") if isinstance(part, dict) else None
        if isinstance(model, str) and model in seen:
            part["model"] = f"{model.partition('@')[0]}@{seen[model]}"
    return parts


def _rank(state: Mapping[str, Any], name: str) -> tuple[int, str, str]:
    share = (state.get("trafficSplit") or {}).get(name, 0)
    status = (state.get("deployedModelStatus") or {}).get(name) or {}
    return -share, status.get("createTime", ""), status.get("id", name)


def ways(changes: list[Change], old: Variants, new: Variants) -> str:
    """Each changed variant's way, in a line beside the diff."""
    over = taken_over(old, new)
    told: dict[str, str] = {}
    for name in sorted({_variant(c) for c in changes} - {""}):
        own = [c for c in changes if _variant(c) == name]
        if name in over:
            told[name] = f"takes over what {over[name]} runs"
        elif name not in new:
            told[name] = "gives its model to another variant" if name in over.values() else "undeploys"
        elif any(deploys(c) for c in own):
            first = undeploys_first(name, old, new)
            told[name] = "undeploys, then deploys" if first else "deploys beside the running one"
        else:
            told[name] = "changes in place"
    return "; ".join(f"{name} {way}" for name, way in told.items())


def undeploys_first(name: str, old: Variants, new: Variants) -> bool:
    """Whether the variant, deployed anew, takes down what it runs on before."""
    return name in old and isinstance(new[name], Mapping) and new[name].get("strategy") == UNDEPLOY_FIRST


def note(changes: list[Change], old: Variants, new: Variants) -> str:
    """What the changes do, in a line beside the diff."""
    before, after = old.get("deployedModels"), new.get("deployedModels")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping) or not changes:
        return ""
    if new.get("paused"):
        return (
            "is paused: nothing is deployed" if old.get("paused") else f"pauses: undeploys {', '.join(sorted(before))}"
        )
    if old.get("paused"):
        return f"goes on: deploys {', '.join(sorted(after))}"
    told = ways(changes, before, after)
    first = {n for n in map(_variant, changes) if n in after and undeploys_first(n, before, after)}
    first &= {_variant(change) for change in changes if deploys(change)} - set(taken_over(before, after))
    gone = outages(old, new, first)
    return f"{told}; an outage: nothing serves while {gone[0]} is deployed (allowOutage)" if gone else told


def outages(old: Variants, new: Variants, first: set[str]) -> list[str]:
    """The first variant of `first`, undeployed before it is deployed anew, whose end leaves nobody that serves."""
    if holds_unknown([old.get("trafficSplit"), new.get("trafficSplit")]):
        return []
    serving, wanted = (shares.by_variant(given.get("trafficSplit"), given["deployedModels"]) for given in (old, new))
    up = {name for name in new["deployedModels"] if wanted.get(name) and name not in first}
    return shares.outages(serving, up, [(name, name) for name in sorted(first)])


def status(changes: list[Change], state: Mapping[str, Any], inputs: Mapping[str, Any]) -> Any:
    """Output `deployedModelStatus`: of a variant that is deployed anew version and id (if not given) are unknown."""
    now, new = state.get("deployedModelStatus") or {}, inputs.get("deployedModels")
    if not isinstance(new, Mapping) or holds_unknown(inputs.get("paused")):
        return UNKNOWN
    if inputs.get("paused"):
        return {}
    before = state.get("deployedModels") or {}
    same, over = _matched(before, new, state)
    # What reads as before and is to be deployed all the same has an alias that moved.
    moved = {name for name in new if name in before and fixed_part(before[name]) == fixed_part(new[name])}
    anew = {_variant(c) for c in changes if deploys(c)} - set(over) - (same - moved)
    known = {name: now[over.get(name, name)] for name in new if name not in anew and over.get(name, name) in now}
    return {name: known.get(name, {"id": _id(new[name]), "modelVersionId": UNKNOWN}) for name in new}


def _id(variant: Any) -> Any:
    """The id of a variant that is deployed anew: known where the program gives it."""
    return (variant.get("id") if isinstance(variant, Mapping) else None) or UNKNOWN
