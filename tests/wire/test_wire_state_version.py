"""The version in the state: every answer that is recorded has it, and a later one is refused by every request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from tests.wire.harness import InitFailedError, State, Wire, WireError
from tests.wire.programs import ENDPOINT, QUEUED_RESOURCE, collection, endpoint
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator
from tpuserve.provider.state_version import KEY, STATE_VERSION

URN = urn_of(ENDPOINT, "e")
Ask = Callable[[Wire, State], Coroutine[Any, Any, Any]]
REQUESTS: dict[str, Ask] = {
    "diff": lambda wire, state: wire.diff(URN, state, state.inputs),
    "update": lambda wire, state: wire.update(URN, state, state.inputs),
    "preview": lambda wire, state: wire.update(URN, state, state.inputs, preview=True),
    "read": lambda wire, state: wire.read(URN, state.id, state),
    "delete": lambda wire, state: wire.delete(URN, state),
}


async def newer(stack: Stack) -> State:
    """An endpoint in a state that a later build wrote."""
    state = await stack.up(ENDPOINT, "e", endpoint())
    state.properties[KEY] = STATE_VERSION + 1
    return state


async def test_a_create_an_update_and_a_read_are_answered_with_it(stack: Stack) -> None:
    made = await stack.up(ENDPOINT, "e", endpoint())
    changed = await stack.up(ENDPOINT, "e", endpoint(description="new"))
    found = await stack.refresh(ENDPOINT, "e")

    assert found
    assert [state.properties[KEY] for state in (made, changed, found)] == [STATE_VERSION] * 3


async def test_a_create_that_fails_half_way_is_answered_with_it(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("qr_provisioning", "RESOURCE_EXHAUSTED")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(QUEUED_RESOURCE, "r", collection())

    assert failed.value.state.properties[KEY] == STATE_VERSION


async def test_no_input_has_it(stack: Stack) -> None:
    assert KEY not in (await stack.up(ENDPOINT, "e", endpoint())).inputs


async def test_a_state_without_it_has_no_difference(stack: Stack) -> None:
    state = await stack.up(ENDPOINT, "e", endpoint())
    del state.properties[KEY]

    found = await stack.wire.diff(URN, state, state.inputs)

    assert found.changes == provider_pb2.DiffResponse.DIFF_NONE


@pytest.mark.parametrize("request_", REQUESTS)
async def test_state_of_a_newer_build_is_refused(stack: Stack, request_: str) -> None:
    state = await newer(stack)

    with pytest.raises(WireError, match="was written by a newer tpuserve"):
        await REQUESTS[request_](stack.wire, state)


async def test_check_refuses_the_state_of_a_newer_build(stack: Stack) -> None:
    found = await stack.wire.check(URN, endpoint(), await newer(stack))

    assert (
        "Install the version of tpuserve that wrote it" in found.failures["the state was written by a newer tpuserve"]
    )


async def test_nothing_is_asked_of_google_with_the_state_of_a_newer_build(stack: Stack, emulator: Emulator) -> None:
    state = await newer(stack)
    emulator.control.clear_calls()

    with pytest.raises(WireError):
        await stack.wire.delete(URN, state)

    assert emulator.control.calls() == []
