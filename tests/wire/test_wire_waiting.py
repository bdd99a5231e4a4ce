"""Waiting for operations: Google has no wait, the operation vanishes, a poll fails."""

from __future__ import annotations

import asyncio

import pytest

from tests.wire.front import front
from tests.wire.harness import InitFailedError, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, endpoint, model
from tests.wire.stack import Stack, served
from tpuserve.emulator import Emulator
from tpuserve.google import Patience
from tpuserve.provider import waiting
from tpuserve.provider.call import Call

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


FAILED = ["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"]
REFUSED = ["PERMISSION_DENIED", "UNAUTHENTICATED"]


@pytest.mark.parametrize("code", [*FAILED, *REFUSED])
async def test_whole_life_goes_on_where_no_poll_is_answered(stack: Stack, emulator: Emulator, code: str) -> None:
    """Created, deployed, undeployed and deleted: the resource itself tells each end."""
    emulator.control.fail(WAIT, code, "no", times=-1)

    state = await served(stack)
    listed = list(state.properties["deployedModelStatus"])
    for token, name in ((DEPLOYMENT, "d"), (ENDPOINT, "e"), (MODEL, "m")):
        await stack.remove(token, name)

    assert (listed, any(emulator.control.objects().values())) == (["stable"], False)


@pytest.mark.parametrize("code", FAILED)
async def test_later_version_is_waited_for_until_polls_are_answered(
    stack: Stack, emulator: Emulator, code: str
) -> None:
    """The model is there already: only the operation tells the new version from the old one."""
    await stack.up(MODEL, "m", model())
    emulator.control.fail(WAIT, code, "no", times=2)

    state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    assert (state.properties["versionId"], asked(emulator, "UploadModel")) == ("2", 2)


async def test_later_version_whose_polls_are_denied_is_found_by_its_alias(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())
    emulator.control.fail(WAIT, "PERMISSION_DENIED", "no", times=-1)

    state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    assert (state.properties["versionId"], asked(emulator, "UploadModel")) == ("2", 2)


async def test_operation_of_an_earlier_run_ends_where_it_is_listed_no_more(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "e", endpoint())
    emulator.control.hold("delete_endpoint")
    removing = asyncio.ensure_future(stack.remove(ENDPOINT, "e"))
    while not await asyncio.to_thread(asked, emulator, "DeleteEndpoint"):
        pass
    await stack.wire.cancel()
    with pytest.raises(WireError, match="stopped"):
        await removing
    stack.new_run()
    emulator.control.clear_calls()
    emulator.control.fail(WAIT, "INTERNAL", "no", times=-1)
    removing = asyncio.ensure_future(stack.remove(ENDPOINT, "e"))
    while not await asyncio.to_thread(asked, emulator, WAIT):
        pass
    emulator.control.release("delete_endpoint")

    await removing

    assert emulator.control.objects()["endpoints"] == []


async def test_failed_poll_costs_one_look_at_the_resource(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "e", endpoint())
    usual = {method: asked(emulator, method) for method in (WAIT, "GetEndpoint")}
    emulator.control.reset()
    stack.states.clear()
    emulator.control.fail(WAIT, "INTERNAL", "no", times=-1)

    await stack.up(ENDPOINT, "e", endpoint())

    assert asked(emulator, WAIT) == usual[WAIT]
    assert asked(emulator, "GetEndpoint") == usual["GetEndpoint"] + 1


async def test_time_that_google_names_is_left_between_two_polls(
    stack: Stack, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    async def pause(call: Call, seconds: float) -> None:
        waited.append(seconds)

    await stack.up(MODEL, "m", model())
    monkeypatch.setattr(Call, "pause", pause)
    emulator.control.fail(WAIT, "RESOURCE_EXHAUSTED", "per minute", retry_after=7)

    await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    assert waited == [7]


async def test_failure_of_the_operation_is_told_after_polls_that_failed(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail(WAIT, "INTERNAL", "no", times=1)
    emulator.control.fail_operation("create_endpoint", "RESOURCE_EXHAUSTED", "quota of endpoints")

    with pytest.raises((InitFailedError, WireError), match="quota of endpoints"):
        await stack.up(ENDPOINT, "e", endpoint())


async def test_deployment_that_is_there_and_not_up_yet_is_waited_for(stack: Stack, emulator: Emulator) -> None:
    """It appears with its operation, without replicas; no request may go to it."""
    emulator.control.set("deployed_model_appears_at_once", True)
    await stack.up(MODEL, "m", model())
    emulator.control.hold("deploy_model")
    emulator.control.fail(WAIT, "INTERNAL", "no", times=-1)
    deploying = asyncio.ensure_future(served(stack))
    while await asyncio.to_thread(asked, emulator, WAIT) < 4:
        pass
    early = emulator.control.objects()["endpoints"][0]

    emulator.control.release("deploy_model")
    await deploying

    assert (len(early["deployedModels"]), early.get("trafficSplit", {})) == (1, {})


@pytest.mark.parametrize("fault", ["stalled", "truncated"])
async def test_poll_whose_answer_never_comes_whole_falls_back_to_the_resource(
    stack: Stack, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(waiting, "LOOK", Patience(tries=1, seconds=0.3))
    async with front(emulator.address) as between:
        getattr(between, fault).add(WAIT)
        url = f"http://{between.address}"
        await stack.wire.configure(endpoints={"tpu": url, "aiplatform": url})

        state = await stack.up(ENDPOINT, "e", endpoint())

        polls = [method for method, _ in between.seen if method == WAIT]
        assert stack.wire.provider is not None
        await stack.wire.provider.google.close()
    assert (state.properties["name"].endswith(state.inputs["endpointId"]), len(polls)) == (True, 1)
