"""Waiting for Vertex AI's long-running operations: a server-side wait, with progress on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuserve.google import CloudError
from tpuserve.provider.call import Call

WAIT = "5s"  # one request, so that progress shows; the server answers at once when the operation ends
RUNNING = 1.0  # seconds between two looks at an operation whose server has no wait


def location_of(name: str) -> str:
    """The location in a resource name."""
    parts = name.split("/")
    return parts[parts.index("locations") + 1]


async def finish(call: Call, operation: dict[str, Any], describe: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    """Wait for the operation's end and return its response; raises CloudError where it failed.

    An operation that is gone has ended: the caller looks at the resource itself.
    """
    name, location = operation["name"], location_of(operation["name"])
    call.running.append(name)
    while not operation.get("done"):
        await call.status(f"{describe(operation.get('metadata', {}))} ({call.elapsed()})")
        try:
            operation = await _look(call, name, location)
        except CloudError as error:
            if error.code == "NOT_FOUND":
                break
            raise
    call.running.remove(name)
    if "error" in operation:
        status = operation["error"]
        raise CloudError(name, code_name(status.get("code", 2)), status.get("message", "no reason given"))
    return operation.get("response", {})


async def _look(call: Call, name: str, location: str) -> dict[str, Any]:
    """The operation at its end or after a while, whether the server can wait or not."""
    try:
        return await call.cloud("WaitOperation", {"name": name, "timeout": WAIT}, location)
    except CloudError as error:
        if error.code != "UNIMPLEMENTED":
            raise
    await call.pause(RUNNING)
    return await call.cloud("GetOperation", {"name": name}, location)


async def finish_running(call: Call, parent: str) -> None:
    """Wait for every running operation of `parent`: after a kill they are the only record of what was begun.

    How they end is read from the resource afterwards.
    """
    location = location_of(parent)
    request = {"name": parent}
    running = await call.race(call.google.pages("ListOperations", request, location, key="operations"))
    for operation in running:
        if not operation.get("done"):
            try:
                await finish(call, operation, lambda _: "waiting for an operation that was running before")
            except CloudError as error:
                await call.say(f"an operation that was running before ended in {error.code}: {error.message}", False)


def code_name(number: int) -> str:
    """The name of a code of google.rpc.Code."""
    import grpc  # noqa: PLC0415

    return next((code.name for code in grpc.StatusCode if code.value[0] == number), "UNKNOWN")
