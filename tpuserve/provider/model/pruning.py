"""Which versions of a model go at the start of an update, and their end."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tpuserve.google import CloudError
from tpuserve.provider.call import Call
from tpuserve.provider.model.versions import OURS, is_ours, listed
from tpuserve.provider.requests import vanishes
from tpuserve.provider.waiting import finish, location_of


def superfluous(versions: Sequence[Mapping[str, Any]], current: Collection[str], retain: int) -> list[str]:
    """Versions beyond the newest `retain` of ours that came before, less what is in use, oldest first (pure).

    In use is what is deployed and what has an alias that is not tpuserve's: the default version's, a user's, somebody
    else's.
    """
    earlier = [version for version in versions if is_ours(version) and version["versionId"] not in current]
    oldest_first = sorted(earlier, key=lambda version: int(version["versionId"]))
    beyond = oldest_first[: max(len(oldest_first) - retain, 0)]
    return [version["versionId"] for version in beyond if not _is_in_use(version)]


def _is_in_use(version: Mapping[str, Any]) -> bool:
    return bool(version.get("deployedModels")) or not all(OURS.fullmatch(alias) for alias in version["versionAliases"])


async def prune(call: Call, name: str, current: str, mark: str, retain: int) -> None:
    """Delete what is superfluous beside `current` and the version marked `mark`.

    A version that is in use after all stays, is told and is tried again by the next update.
    """
    versions = await listed(call, name, location_of(name))
    marked = {version["versionId"] for version in versions if mark in version.get("versionAliases", [])}
    for version in superfluous(versions, {current, *marked}, retain):
        await _delete(call, f"{name}@{version}")


async def _delete(call: Call, name: str) -> None:
    short = name.rsplit("/", 1)[-1]
    try:
        operation = await call.cloud("DeleteModelVersion", {"name": name}, location_of(name))
        await finish(
            call, operation, lambda _: f"deleting {short}, which is deployed nowhere", vanishes(call, "GetModel", name)
        )
    except CloudError as error:
        if error.code not in {"NOT_FOUND", "FAILED_PRECONDITION"}:
            raise
        if error.code == "FAILED_PRECONDITION":
            await call.say(f"{short} is kept for now: {error.message}", False)
