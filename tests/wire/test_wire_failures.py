"""Create, update and delete that fail before, during and after: what the engine is told to record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.wire.harness import InitFailedError, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, changed, collection, endpoint, model
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator


@dataclass(frozen=True)
class Made:
    """One resource and how Google makes it."""

    token: str
    args: dict[str, Any]
    method: str
    operation: str
    """What follows the call, in the emulator's words."""

    @property
    def get(self) -> str:
        return self.method.replace("Upload", "Get").replace("Create", "Get")

    @property
    def delete(self) -> str:
        return self.method.replace("Upload", "Delete").replace("Create", "Delete")


RESOURCES = [
    Made(QUEUED_RESOURCE, collection(), "CreateQueuedResource", "qr_waiting"),
    Made(MODEL, model(), "UploadModel", "upload_model"),
    Made(ENDPOINT, endpoint(), "CreateEndpoint", "create_endpoint"),
]
each_resource = pytest.mark.parametrize("made", RESOURCES, ids=[made.token.rsplit(":", 1)[-1] for made in RESOURCES])
KINDS = {QUEUED_RESOURCE: "queuedResources", MODEL: "models", ENDPOINT: "endpoints"}
REFUSALS = ("INVALID_ARGUMENT", "PERMISSION_DENIED", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED")


@each_resource
@pytest.mark.parametrize("code", REFUSALS)
async def test_refused_create_leaves_no_state(stack: Stack, emulator: Emulator, made: Made, code: str) -> None:
    emulator.control.fail(made.method, code, "no")

    with pytest.raises(WireError, match=f"Google answered {code} to {made.method}: no"):
        await stack.up(made.token, "r", made.args)


@each_resource
async def test_create_whose_answer_is_lost_finds_the_object(stack: Stack, emulator: Emulator, made: Made) -> None:
    emulator.control.fail(made.method, "UNAVAILABLE", "lost", phase="after")

    await stack.up(made.token, "r", made.args)

    assert len(emulator.control.objects()[KINDS[made.token]]) == 1


@each_resource
async def test_failed_operation_is_told_and_the_next_run_converges(
    stack: Stack, emulator: Emulator, made: Made
) -> None:
    emulator.control.fail_operation(made.operation, "INTERNAL", "broken", times=3)
    with pytest.raises((WireError, InitFailedError), match="broken"):
        await stack.up(made.token, "r", made.args)

    await until_done(stack, made)

    assert len(emulator.control.objects()[KINDS[made.token]]) == 1


async def until_done(stack: Stack, made: Made) -> None:
    """Runs until one succeeds; faults that are left wear off."""
    for _ in range(3):
        try:
            await stack.up(made.token, "r", made.args)
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
async def test_read_that_is_refused_never_means_gone(stack: Stack, emulator: Emulator, made: Made, code: str) -> None:
    await stack.up(made.token, "r", made.args)
    emulator.control.fail(made.get, code, "no", times=-1)

    with pytest.raises(WireError, match=code):
        await stack.refresh(made.token, "r")


@each_resource
async def test_delete_that_fails_is_an_error(stack: Stack, emulator: Emulator, made: Made) -> None:
    await stack.up(made.token, "r", made.args)
    emulator.control.fail(made.delete, "PERMISSION_DENIED", "no", times=-1)

    with pytest.raises(WireError, match="PERMISSION_DENIED"):
        await stack.remove(made.token, "r")


@each_resource
async def test_delete_whose_answer_is_lost_succeeds(stack: Stack, emulator: Emulator, made: Made) -> None:
    await stack.up(made.token, "r", made.args)
    emulator.control.fail(made.delete, "UNAVAILABLE", "lost", phase="after")

    await stack.remove(made.token, "r")

    assert emulator.control.objects()[KINDS[made.token]] == []


async def test_model_that_is_deployed_is_not_deleted_under_it(stack: Stack, emulator: Emulator) -> None:
    await served(stack)

    with pytest.raises(WireError, match="still serves"):
        await stack.remove(ENDPOINT, "e")


async def test_deployment_of_a_model_that_does_not_exist_names_the_path(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    missing = state.inputs["deployedModels"]["stable"]["model"].split("/models/")[0] + "/models/none@champion"
    args = changed(state.inputs, {"deployedModels.stable.model": missing})

    with pytest.raises(InitFailedError, match=r"deployedModels.stable.model: .*none@champion does not exist"):
        await stack.up(DEPLOYMENT, "d", args)


async def test_timeout_keeps_what_was_created(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    urn = urn_of(QUEUED_RESOURCE, "r")
    inputs = await stack.wire.checked(urn, collection())

    with pytest.raises(InitFailedError, match="customTimeouts") as failed:
        await stack.wire.create(urn, inputs, seconds=0.5)

    assert failed.value.state.id.endswith(inputs["queuedResourceId"])


async def test_failed_update_never_loses_the_id(stack: Stack, emulator: Emulator) -> None:
    """The endpoint is gone and may not be made anew: the state keeps speaking of it."""
    state = await stack.up(ENDPOINT, "e", endpoint())
    emulator.control.reset()
    emulator.control.fail("CreateEndpoint", "PERMISSION_DENIED", "no")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(ENDPOINT, "e", endpoint(description="text"))

    assert failed.value.state.id == state.id
