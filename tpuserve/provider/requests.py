"""Small ways of asking Google that several lifecycles share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from tpuserve.google import CloudError
from tpuserve.provider.call import Call
from tpuserve.provider.waiting import Settled, location_of

T = TypeVar("T")
CONFLICTS = 5  # how often a request with a stale etag is computed anew
APPEARS = 60.0  # seconds for which a read may be behind what was just made or changed; no source
PATIENCE = 60.0  # seconds for which a delete is repeated while Google says that something is still in the way


async def get(call: Call, method: str, name: str, *, rest: bool = False) -> dict[str, Any] | None:
    """The object, or None where Google proves that it does not exist; `rest`: with what REST alone tells."""
    try:
        return await call.cloud(method, {"name": name}, location_of(name), rest=rest)
    except CloudError as error:
        if error.code == "NOT_FOUND":
            return None
        raise


async def seen(call: Call, look: Callable[[], Awaitable[T | None]]) -> T | None:
    """What `look` finds of something that was just made or changed, which a read may show a moment later."""
    since = call.clock()
    while (found := await look()) is None and call.clock() - since <= APPEARS:
        await call.poll_pause(since)
    return found


def appears(call: Call, method: str, name: str) -> Settled:
    """That the object exists."""

    async def settled() -> bool:
        return await get(call, method, name) is not None

    return settled


def vanishes(call: Call, method: str, name: str) -> Settled:
    """That the object does not exist any more."""

    async def settled() -> bool:
        return await get(call, method, name) is None

    return settled


def undeployed(call: Call, endpoint: str, key: str) -> Settled:
    """That the endpoint has no such deployed model any more."""

    async def settled() -> bool:
        found = await get(call, "GetEndpoint", endpoint)
        return found is None or all(item["id"] != key for item in found.get("deployedModels", []))

    return settled


async def with_fresh_etag(attempt: Callable[[], Awaitable[T]]) -> T:
    """Run `attempt`, which reads and then writes with the etag it read; again where somebody else wrote meanwhile."""
    for _ in range(CONFLICTS):
        try:
            return await attempt()
        except CloudError as error:
            if error.code != "ABORTED":
                raise
    return await attempt()


async def patiently(call: Call, attempt: Callable[[], Awaitable[T]]) -> T | None:
    """Run a delete; NOT_FOUND is success, FAILED_PRECONDITION is tried again for a bounded time."""
    since = call.clock()
    while True:
        try:
            return await attempt()
        except CloudError as error:
            if error.code == "NOT_FOUND":
                return None
            if error.code != "FAILED_PRECONDITION" or call.clock() - since > PATIENCE:
                raise
        await call.poll_pause(since)
