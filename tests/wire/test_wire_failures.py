"""Create, update and delete that fail before, during and after: what the engine is told to record."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire.harness import InitFailedError, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator

# token, arguments, the call that creates, the operation that follows
RESOURCES = [
    (QUEUED_RESOURCE, collection(), "CreateQueuedResource", "qr_waiting"),
    (MODEL, model(), "UploadModel", "upload_model"),
    (ENDPOINT, endpoint(), "CreateEndpoint", "create_endpoint"),
]
each_resource = pytest.mark.parametrize(
    ("token", "args", "method", "operation"), RESOURCES, ids=[row[0].rsplit(":")[-1] for row in RESOURCES]
)
KINDS = {QUEUED_RESOURCE: "queuedResources", MODEL: "models", ENDPOINT: "endpoints"}
REFUSALS = ("INVALID_ARGUMENT", "PERMISSION_DENIED", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED")


@each_resource
@pytest.mark.parametrize("code", REFUSALS)
async def test_refused_create_leaves_no_state(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str, code: str
) -> None:
    emulator.control.fail(method, code, "no")

    with pytest.raises(WireError, match=f"Google answered {code} to {method}: no"):
        await stack.up(token, "r", args)


@each_resource
async def test_create_whose_answer_is_lost_finds_the_object(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str
) -> None:
    emulator.control.fail(method, "UNAVAILABLE", "lost", phase="after")

    await stack.up(token, "r", args)

    assert len(emulator.control.objects()[KINDS[token]]) == 1


@each_resource
async def test_failed_operation_is_told_and_the_next_run_converges(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str
) -> None:
    emulator.control.fail_operation(operation, "INTERNAL", "broken", times=3)
    with pytest.raises((WireError, InitFailedError), match="broken"):
        await stack.up(token, "r", args)
    emulator.control.set("health_timeout", 30.0)

    await until_done(stack, token, args)

    assert len(emulator.control.objects()[KINDS[token]]) == 1


async def until_done(stack: Stack, token: str, args: Any) -> None:
    """Runs until one succeeds; faults that are left wear off."""
    for _ in range(3):
        try:
            await stack.up(token, "r", args)
        except (WireError, InitFailedError):
            continue
        return
    pytest.fail("did not converge in three runs")


async def test_failed_collection_stays_in_the_state_with_its_cause(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("qr_waiting", "RESOURCE_EXHAUSTED", "no more capacity")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (failed.value.state.properties["state"]["state"], "no more capacity" in failed.value.state.failed[0]) == (
        "FAILED",
        True,
    )


async def test_failed_collection_is_asked_for_again_under_its_id(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("qr_waiting", "RESOURCE_EXHAUSTED", "no more capacity")
    with pytest.raises(InitFailedError) as failed:
        await stack.up(QUEUED_RESOURCE, "r", collection())

    again = await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (stack.steps[-1], again.id, again.properties["state"]["state"]) == (
        "update",
        failed.value.state.id,
        "ACTIVE",
    )


async def test_partial_state_sets_refresh_before_update(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("qr_waiting", "RESOURCE_EXHAUSTED", "no more capacity")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(QUEUED_RESOURCE, "r", collection())

    assert failed.value.state.refresh_first


@each_resource
@pytest.mark.parametrize("code", ["PERMISSION_DENIED", "UNAUTHENTICATED", "INTERNAL"])
async def test_read_that_is_refused_never_means_gone(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str, code: str
) -> None:
    await stack.up(token, "r", args)
    emulator.control.fail(method.replace("Upload", "Get").replace("Create", "Get"), code, "no", times=-1)

    with pytest.raises(WireError, match=code):
        await stack.refresh(token, "r")


@each_resource
async def test_delete_that_fails_is_an_error(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str
) -> None:
    await stack.up(token, "r", args)
    delete = method.replace("Upload", "Delete").replace("Create", "Delete")
    emulator.control.fail(delete, "PERMISSION_DENIED", "no", times=-1)

    with pytest.raises(WireError, match="PERMISSION_DENIED"):
        await stack.remove(token, "r")


@each_resource
async def test_delete_whose_answer_is_lost_succeeds(
    stack: Stack, emulator: Emulator, token: str, args: Any, method: str, operation: str
) -> None:
    await stack.up(token, "r", args)
    delete = method.replace("Upload", "Delete").replace("Create", "Delete")
    emulator.control.fail(delete, "UNAVAILABLE", "lost", phase="after")

    await stack.remove(token, "r")

    assert emulator.control.objects()[KINDS[token]] == []


async def test_model_that_is_deployed_is_not_deleted_under_it(stack: Stack, emulator: Emulator) -> None:
    await served(stack)

    with pytest.raises(WireError, match="still serves"):
        await stack.remove(ENDPOINT, "e")


async def test_deployment_of_a_model_that_does_not_exist_names_the_path(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    missing = state.inputs["deployedModels"]["stable"]["model"].split("/models/")[0] + "/models/none@champion"
    args = {**state.inputs, "deployedModels": {"stable": {**state.inputs["deployedModels"]["stable"], "model": missing}}}

    with pytest.raises(InitFailedError, match=r"deployedModels.stable.model: .*none@champion does not exist"):
        await stack.up(DEPLOYMENT, "d", args)


async def test_timeout_keeps_what_was_created(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    urn = urn_of(QUEUED_RESOURCE, "r")
    inputs = await stack.wire.checked(urn, collection())

    with pytest.raises(InitFailedError, match="customTimeouts") as failed:
        await stack.wire.create(urn, inputs, timeout=0.5)

    assert failed.value.state.id.endswith(inputs["queuedResourceId"])
