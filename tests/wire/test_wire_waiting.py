"""Waiting for operations: Google has no wait, the operation vanishes, a poll fails."""

from __future__ import annotations

import pytest

from tests.wire.harness import InitFailedError
from tests.wire.programs import ENDPOINT, MODEL, endpoint, model
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator

WAIT, GET = "WaitOperation", "GetOperation"


def asked(emulator: Emulator, method: str) -> int:
    return sum(call["method"] == method for call in emulator.control.calls())


async def test_operation_is_waited_for_by_google(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())

    assert (asked(emulator, WAIT) > 0, asked(emulator, GET)) == (True, 0)


async def test_server_without_a_wait_is_asked_again_and_again(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "UNIMPLEMENTED", times=-1)

    state = await stack.up(MODEL, "m", model())

    assert (state.properties["versionId"], asked(emulator, GET)) == ("1", 1)


async def test_operation_that_vanishes_has_ended(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "NOT_FOUND", times=-1)

    state = await stack.up(ENDPOINT, "e", endpoint())

    assert state.properties["name"].endswith(state.inputs["endpointId"])


async def test_operation_that_vanishes_from_a_server_without_a_wait_has_ended(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "UNIMPLEMENTED", times=-1)
    emulator.control.fail(GET, "NOT_FOUND", times=-1)

    state = await stack.up(ENDPOINT, "e", endpoint())

    assert state.properties["name"].endswith(state.inputs["endpointId"])


async def test_upload_whose_operation_vanishes_finds_the_version(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "NOT_FOUND", times=-1)

    state = await stack.up(MODEL, "m", model())

    assert state.properties["versionId"] == "1"


async def test_deployment_whose_operation_vanishes_is_found_on_the_endpoint(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "NOT_FOUND", times=-1)

    state = await served(stack)

    assert list(state.properties["deployedModelStatus"]) == ["stable"]


async def test_poll_that_gets_no_answer_is_sent_again(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "UNAVAILABLE", times=2)

    state = await stack.up(MODEL, "m", model())

    assert state.properties["versionId"] == "1"


async def test_poll_that_is_refused_loses_no_object(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "PERMISSION_DENIED", "no", times=-1)

    with pytest.raises(InitFailedError, match="PERMISSION_DENIED") as failed:
        await stack.up(ENDPOINT, "e", endpoint())

    assert failed.value.state.id.endswith(failed.value.state.inputs["endpointId"])


async def test_deployment_whose_poll_is_refused_lists_what_is_there(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "PERMISSION_DENIED", "no", times=-1, match={"name": "*endpoints*"}, skip=1)
    state = None
    with pytest.raises(InitFailedError) as failed:
        state = await served(stack)

    assert (state, failed.value.state.properties["endpointName"] != "") == (None, True)
