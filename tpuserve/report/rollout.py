"""What a Deployment does with its variants, in the order in which it does: by their arguments alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuserve.declared.resource import Resource
from tpuserve.report.declared import variants
from tpuserve.report.effects import redeployed
from tpuserve.report.outage import FIRST, has_share, undeploys_first


@dataclass(frozen=True, slots=True)
class Rollout:
    """The names of variants, as they are before the run and after it."""

    kept: Mapping[str, str]
    """After -> before: what runs goes on, under whatever name, with other counts perhaps."""
    spare: Sequence[str]
    """Undeployed before anything is deployed."""
    beside: Sequence[str]
    """Deployed beside what runs."""
    first: Sequence[str]
    """Then, one by one: undeployed, and deployed anew."""
    retired: Sequence[str]
    """Undeployed at the end."""


def rollout(old: Resource | None, new: Resource | None) -> Rollout:
    """The way from one to the other."""
    before, after = variants(old), variants(new)
    kept = _kept(old, before, after)
    deploy = sorted(after.keys() - kept.keys())
    free = before.keys() - {*kept.values()}
    first = [name for name in deploy if name in free and undeploys_first(before[name], after[name])]
    gone = sorted(free - {*first})
    is_first = any(isinstance(after[name], Mapping) and after[name].get("strategy") == FIRST for name in deploy)
    spare = [name for name in gone if is_first and old is not None and not has_share(old, name)]
    beside = [name for name in deploy if name not in first]
    return Rollout(kept, spare, beside, first, [name for name in gone if name not in spare])


def _kept(old: Resource | None, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str]:
    """A variant keeps its own; else it takes over one that is free and specified alike, first what serves."""
    kept = {name: name for name in after if name in before and not redeployed(before[name], after[name])}
    for name in sorted(after.keys() - kept.keys()):
        free = sorted(
            before.keys() - {*kept.values()}, key=lambda each: (old is not None and not has_share(old, each), each)
        )
        alike = next((each for each in free if each != name and not redeployed(before[each], after[name])), None)
        if alike is not None:
            kept[name] = alike
    return kept
