"""Waiting for Vertex AI's long-running operations: a server-side wait, with progress on the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tpuserve.google import LONGEST_WAIT, CloudError, Patience
from tpuserve.provider.call import Call

Settled = Callable[[], Awaitable[bool]]
"""Whether the resource itself shows that an operation has done its work."""
WAIT = "5s"  # one request, so that progress shows; the server answers at once when the operation ends
RUNNING = 1.0  # seconds between two looks at an operation whose server has no wait
# A look that fails is followed by one at the resource, not by the same look at once.
LOOK = Patience(tries=1, seconds=15.0)
# Codes of a look that the next one will not be spared.
DENIED = frozenset({"PERMISSION_DENIED", "UNAUTHENTICATED", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "UNIMPLEMENTED"})


def location_of(name: str) -> str:
    """The location in a resource name."""
    parts = name.split("/")
    return parts[parts.index("locations") + 1]


async def finish(
    call: Call,
    operation: dict[str, Any],
    describe: Callable[[dict[str, Any]], str],
    settled: Settled | None = None,
) -> dict[str, Any]:
    """Wait for the operation's end and return its response; raises CloudError where it failed.

    An operation that is gone has ended: the caller looks at the resource itself. So it has where looks at the operation
    fail and `settled` says so; without `settled` a look that is denied is an error, and any other is taken again.
    """
    name, since = operation["name"], call.clock()
    call.running.append(name)
    while not operation.get("done"):
        await call.status(f"{describe(operation.get('metadata', {}))} ({call.elapsed()})")
        try:
            operation = await _look(call, name, location_of(name))
        except CloudError as error:
            if error.code == "NOT_FOUND" or await _is_settled(settled):
                break
            if error.code in DENIED and settled is None:
                raise
            await pause_after(call, error, since)
    call.running.remove(name)
    if "error" in operation:
        status = operation["error"]
        raise CloudError(name, code_name(status.get("code", 2)), status.get("message", "no reason given"))
    return operation.get("response", {})


async def _look(call: Call, name: str, location: str) -> dict[str, Any]:
    """The operation at its end or after a while, whether the server can wait or not."""
    try:
        return await call.cloud("WaitOperation", {"name": name, "timeout": WAIT}, location, LOOK)
    except CloudError as error:
        if error.code != "UNIMPLEMENTED":
            raise
    await call.pause(RUNNING)
    return await call.cloud("GetOperation", {"name": name}, location, LOOK)


async def _is_settled(settled: Settled | None) -> bool:
    """A look at the resource that gets no answer says nothing."""
    try:
        return settled is not None and await settled()
    except CloudError as error:
        if error.code in DENIED:
            raise
        return False


async def pause_after(call: Call, error: CloudError, since: float) -> None:
    """Until the next look: the time that Google names, or a part of the time that the wait has taken."""
    if error.retry_after:
        await call.pause(min(error.retry_after, LONGEST_WAIT))
    else:
        await call.poll_pause(since)


async def finish_running(call: Call, parent: str) -> None:
    """Wait for every running operation of `parent`: after a kill they are the only record of what was begun.

    How they end is read from the resource afterwards.
    """
    for operation in await _running(call, parent):
        name = operation["name"]

        async def settled(name: str = name) -> bool:
            return all(other["name"] != name for other in await _running(call, parent))

        try:
            await finish(call, operation, lambda _: "waiting for an operation that was running before", settled)
        except CloudError as error:
            await call.say(f"an operation that was running before ended in {error.code}: {error.message}", False)


async def _running(call: Call, parent: str) -> list[dict[str, Any]]:
    """None of what does not exist, whether the answer is an empty list or that."""
    listed = call.google.pages("ListOperations", {"name": parent}, location_of(parent), key="operations")
    try:
        return [operation for operation in await call.race(listed) if not operation.get("done")]
    except CloudError as error:
        if error.code == "NOT_FOUND":
            return []
        raise


def code_name(number: int) -> str:
    """The name of a code of google.rpc.Code."""
    import grpc  # noqa: PLC0415

    return next((code.name for code in grpc.StatusCode if code.value[0] == number), "UNKNOWN")
