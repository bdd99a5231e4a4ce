"""Aliases of versions: an alias moves to a version that is there, in one request, and is taken back only from where it
was put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call
from tpuserve.provider.model.versions import OURS
from tpuserve.provider.requests import get
from tpuserve.provider.waiting import location_of

DEFAULT = "default"
"""Google's own: every model has exactly one version with it, so it moves and is never taken away."""


def given(state: Mapping[str, Any]) -> dict[str, str]:
    """Alias -> version that this resource gave it to; of a state that does not say so, its arguments."""
    if "givenAliases" in state:
        return dict(state["givenAliases"])
    return dict.fromkeys(state.get("versionAliases") or [], state.get("versionId") or "")


def taken_over(version: Mapping[str, Any]) -> dict[str, str]:
    """Alias -> version, of those that whoever imports the version takes over."""
    aliases = sorted(version.get("versionAliases", []))
    return {alias: version["versionId"] for alias in aliases if alias != DEFAULT and not OURS.fullmatch(alias)}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the aliases of one version should be."""

    mark: str
    """The alias that says what the version is made of."""
    declared: Sequence[str]
    before: Mapping[str, str]
    """Alias -> version that this resource gave it to."""

    def takes_back(self, alias: str) -> bool:
        """Whether an alias of before is no longer wanted and can go."""
        return alias not in self.declared and alias != DEFAULT


def change(version: Mapping[str, Any], asked: Asked) -> list[str]:
    """What MergeVersionAliases of this version has to bring about: what is missing, and what of before has to go."""
    live, here = version.get("versionAliases", []), version["versionId"]
    gone = [alias for alias, at in asked.before.items() if at == here and alias in live and asked.takes_back(alias)]
    return [alias for alias in (asked.mark, *asked.declared) if alias not in live] + [f"-{alias}" for alias in gone]


async def bring(call: Call, name: str, version: Mapping[str, Any], asked: Asked) -> bool:
    """Give `version` what is asked for, take back what no longer is; whether that took a call.

    The draft is ahead of what is given and behind what is taken back, so that the next run can take back either.
    """
    here, now = version["versionId"], dict.fromkeys(asked.declared, version["versionId"])
    call.draft.outputs["givenAliases"] = {**asked.before, **now}
    changes = change(version, asked)
    if changes:
        try:
            await _merge(call, name, here, changes)
        except CloudError as error:
            if errors.is_refusal(error):
                call.draft.outputs["givenAliases"] = dict(asked.before)
            raise
    left = {alias: at for alias, at in asked.before.items() if at != here and asked.takes_back(alias)}
    call.draft.outputs["givenAliases"] = now | left
    for alias, at in sorted(left.items()):
        await _take_back(call, name, alias, at)
        del call.draft.outputs["givenAliases"][alias]
    return bool(changes or left)


async def _take_back(call: Call, name: str, alias: str, at: str) -> None:
    """Only from the version it was given to: one that another hand has moved is that hand's."""
    live = await get(call, "GetModel", f"{name}@{alias}")
    if live is not None and live.get("versionId") == at:
        await _merge(call, name, at, [f"-{alias}"])


async def _merge(call: Call, name: str, version: str, changes: list[str]) -> None:
    request = {"name": f"{name}@{version}", "versionAliases": changes}
    await call.cloud("MergeVersionAliases", request, location_of(name))
