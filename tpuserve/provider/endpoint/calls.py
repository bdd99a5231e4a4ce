"""What is asked of an endpoint about what it serves: operations one after the other, its split, undeployments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from tpuserve.google import CloudError
from tpuserve.provider.call import Call
from tpuserve.provider.deployment import shares
from tpuserve.provider.endpoint.view import View
from tpuserve.provider.requests import get, patiently, undeployed, with_fresh_etag
from tpuserve.provider.waiting import Settled, finish, finish_running, location_of

T = TypeVar("T")
RUNNING = "running"  # a word in Google's answer where another operation of the endpoint is running


async def when_free(call: Call, endpoint: str, method: str, attempt: Callable[[], Awaitable[T]]) -> T:
    """Run `attempt`; again after the operations that run, where Google refuses `method` because of one."""
    since = call.clock()
    while True:
        try:
            return await attempt()
        except CloudError as error:
            if error.code != "FAILED_PRECONDITION" or RUNNING not in error.message.lower() or error.method != method:
                raise
        await call.status("waits for another operation of the endpoint")
        await finish_running(call, endpoint)
        await call.poll_pause(since)  # what Google calls running need not be in its list


async def operate(
    call: Call,
    method: str,
    request: dict[str, Any],
    describe: Callable[[dict[str, Any]], str],
    settled: Settled | None = None,
) -> dict[str, Any]:
    """Start an operation of an endpoint and wait for its end; where Google runs one at a time, after the others."""
    endpoint = request["endpoint"]

    async def attempt() -> dict[str, Any]:
        return await finish(call, await call.cloud(method, request, location_of(endpoint)), describe, settled)

    return await when_free(call, endpoint, method, attempt)


async def update_endpoint(call: Call, endpoint: Mapping[str, Any], **fields: Any) -> None:
    """Write some fields with the etag that was read; ABORTED where somebody else wrote meanwhile."""
    body = {"name": endpoint["name"], "etag": endpoint["etag"], **fields}
    request = {"endpoint": body, "updateMask": ",".join(fields)}
    location = location_of(endpoint["name"])
    await when_free(call, endpoint["name"], "UpdateEndpoint", lambda: call.cloud("UpdateEndpoint", request, location))


async def write_split(call: Call, view: View, split: Mapping[str, int]) -> None:
    """Put the split, unless it is so already, or the endpoint has none to put."""
    if view.is_private or split == {key: share for key, share in view.shares.items() if share}:
        return
    await update_endpoint(call, view.data, trafficSplit=dict(split))


async def move_split(call: Call, endpoint: str, wanted: Callable[[View], Mapping[str, int]]) -> None:
    """Put the split that `wanted` makes of the endpoint, computed anew where somebody else wrote meanwhile."""

    async def attempt() -> None:
        found = await get(call, "GetEndpoint", endpoint)
        if found is not None:
            view = View(found)
            await write_split(call, view, wanted(view))

    await with_fresh_etag(attempt)


async def take_away(call: Call, view: View, doomed: set[str]) -> None:
    """Undeploy: first no requests (the others' shares scaled to 100, or an empty split), then the models."""
    there = doomed & set(view.by_id())
    if not there:
        return

    def rest(now: View) -> Mapping[str, int]:
        return shares.without(there, now.shares) if any(now.shares.get(key) for key in there) else now.shares

    await move_split(call, view.name, rest)
    await asyncio.gather(*(undeploy(call, view.name, key) for key in sorted(there)))


async def undeploy(call: Call, endpoint: str, key: str) -> None:
    """Undeploy one model that gets no requests any more."""
    request, gone = {"endpoint": endpoint, "deployedModelId": key}, undeployed(call, endpoint, key)
    await patiently(call, lambda: operate(call, "UndeployModel", request, lambda _: f"undeploying {key}", gone))
