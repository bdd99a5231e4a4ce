"""The step from a Deployment's old inputs to its new ones: what is no change, and what is refused (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.catalog.faults import Fault
from tpuserve.provider.deployment import rules as rollout_rules
from tpuserve.provider.deployment import shares
from tpuserve.provider.deployment.deployed_model import fixed_part
from tpuserve.provider.deployment.preview import outages, taken_over, undeploys_first
from tpuserve.provider.endpoint.view import recorded_ids
from tpuserve.provider.ownership import holds_unknown
from tpuserve.resources.check import faults
from tpuserve.resources.deployment import DEFINITION
from tpuserve.resources.paths import join

Inputs = Mapping[str, Any]
DEFAULTED = ("maxReplicaCount", "requiredReplicaCount")
"""What Google takes the minimum for, where it is left out."""


def level(old: Inputs, state: Mapping[str, Any], new: Inputs) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both less what differs in the writing alone: given on one side as what leaving it out on the other one means."""
    before, after = dict(old), dict(new)
    models = old.get("deployedModels"), new.get("deployedModels")
    if not isinstance(models[0], Mapping) or not isinstance(models[1], Mapping):
        return before, after
    if not holds_unknown([old.get("trafficSplit"), new.get("trafficSplit")]):
        before["trafficSplit"], after["trafficSplit"] = _level_split(old, new)
    ids = recorded_ids(state)
    pairs = {name: _level(models[0][name], models[1][name], ids.get(name)) for name in models[0] if name in models[1]}
    before["deployedModels"] = {name: pairs[name][0] if name in pairs else each for name, each in models[0].items()}
    after["deployedModels"] = {name: pairs[name][1] if name in pairs else each for name, each in models[1].items()}
    return before, after


def _level_split(old: Inputs, new: Inputs) -> tuple[Inputs | None, Inputs | None]:
    """Both splits as given; none where they mean the same. One that gives nobody anything is spelled out."""
    given = [inputs.get("trafficSplit") for inputs in (old, new)]
    meant = [
        shares.by_variant(split, inputs["deployedModels"]) for split, inputs in zip(given, (old, new), strict=True)
    ]
    if meant[0] == meant[1]:
        return None, None
    nobody = dict.fromkeys(new["deployedModels"], 0)
    before, after = (nobody if split == {} else split for split in given)
    return before, after


def _level(old: Any, new: Any, running: str | None) -> tuple[Any, Any]:
    """One variant on both sides; `running` is the id of what it runs on."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return old, new
    before, after = dict(old), dict(new)
    if {old.get("id") or running, new.get("id") or running} == {running}:
        before.pop("id", None)
        after.pop("id", None)
    mine, other = old.get("dedicatedResources"), new.get("dedicatedResources")
    if isinstance(mine, Mapping) and isinstance(other, Mapping):
        before["dedicatedResources"] = _without_defaults(mine, other)
        after["dedicatedResources"] = _without_defaults(other, mine)
    return before, after


def _without_defaults(mine: Inputs, other: Inputs) -> dict[str, Any]:
    least = mine.get("minReplicaCount")
    same = {key for key in DEFAULTED if other.get(key) is None and mine.get(key) == least}
    return {key: value for key, value in mine.items() if key not in same}


def refused(old: Inputs, state: Mapping[str, Any], new: Inputs) -> Iterator[Fault]:
    """Every reason not to go from `old` to `new`, as far as the inputs and the state tell."""
    before, after = old.get("deployedModels"), new.get("deployedModels")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping) or any(faults(DEFINITION.shape, new)):
        return
    yield from _own_ids(state, new)
    yield from _protected(old, new)
    if not old.get("paused") and not new.get("paused"):
        yield from _kept_ids(state, old, new)
        yield from _outages(old, new)


def _own_ids(state: Mapping[str, Any], new: Inputs) -> Iterator[Fault]:
    names = {key: name for name, key in recorded_ids(state).items()}
    split = new.get("trafficSplit")
    for key in split if isinstance(split, Mapping) else ():
        if key in names:
            yield rollout_rules.own_id(key, names[key])


def _protected(old: Inputs, new: Inputs) -> Iterator[Fault]:
    before, after = old["deployedModels"], new["deployedModels"]
    guarded = [name for name, given in before.items() if isinstance(given, Mapping) and given.get("deletionProtection")]
    over = taken_over(before, after).values()
    way = "deletionProtection was true: set it to false and run `pulumi up` before"
    for name in guarded:
        if name not in after and name not in over:
            yield Fault(join(("deployedModels", name)), f"cannot be removed: its {way}")
    if guarded and not holds_unknown(new.get("endpoint")) and old["endpoint"] != new.get("endpoint"):
        yield Fault(
            "endpoint", f"cannot change: {', '.join(guarded)} would be undeployed from the old one, and its {way}"
        )


def anew(old: Inputs, new: Inputs) -> dict[str, bool]:
    """Variant on both sides that is certainly deployed anew -> whether it is undeployed first."""
    before, after = old["deployedModels"], new["deployedModels"]
    over = taken_over(before, after)
    both = [name for name in after if name in before and name not in over]
    maps = [name for name in both if isinstance(before[name], Mapping) and isinstance(after[name], Mapping)]
    changed = [n for n in maps if not holds_unknown(after[n]) and fixed_part(before[n]) != fixed_part(after[n])]
    return {name: undeploys_first(name, before, after) for name in changed}


def _kept_ids(state: Mapping[str, Any], old: Inputs, new: Inputs) -> Iterator[Fault]:
    ids = recorded_ids(state)
    for name, first in anew(old, new).items():
        key = new["deployedModels"][name].get("id")
        if key and key == ids.get(name) and not first:
            yield Fault(
                join(("deployedModels", name, "id")),
                f"{key!r} is what runs now, and the variant deployed beside it needs another: leave id out, give "
                "another one, or set strategy to UNDEPLOY_FIRST",
            )


def _outages(old: Inputs, new: Inputs) -> Iterator[Fault]:
    if new.get("allowOutage") or old["endpoint"] != new.get("endpoint"):
        return
    if holds_unknown([old.get("trafficSplit"), new.get("trafficSplit"), new["deployedModels"]]):
        return
    for name in outages(old, new, {name for name, first in anew(old, new).items() if first}):
        yield rollout_rules.outage(name)
