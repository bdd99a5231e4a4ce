"""Operations that an earlier, killed run left running: they are waited for before the first look."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, deployment, endpoint, model, variant
from tests.wire.serving import PARENT, ids, methods, version
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator
from tpuserve.provider.model.versions import specification_alias
from tpuserve.provider.ownership import Identity
from tpuserve.testing.wire import State

IDENTITY = Identity(programs.OWNER, urn_of(DEPLOYMENT, "d"))


async def begin(stack: Stack, method: str, request: dict[str, Any]) -> None:
    """What the killed run asked for, and did not see the end of."""
    assert stack.wire.provider is not None
    await stack.wire.provider.google.call(method, request, programs.LOCATION)


async def once_waited_for(emulator: Emulator, kind: str, step: Awaitable[Any]) -> Any:
    """The end of `step`, during which the operations of `kind` go on as soon as it waits for one."""
    ended = asyncio.ensure_future(step)
    emulator.control.clear_calls()
    while not ended.done() and not any(call["method"] == "WaitOperation" for call in emulator.control.calls()):
        await asyncio.wait([ended], timeout=0.01)
    emulator.control.release(kind)
    return await ended


async def begun_endpoint(stack: Stack, emulator: Emulator) -> State:
    """The state of an endpoint whose create was killed while Google makes it."""
    args = await stack.wire.checked(urn_of(ENDPOINT, "e"), endpoint(endpointId="mine"))
    emulator.control.hold("create_endpoint")
    body = {"displayName": args["displayName"], "labels": Identity(programs.OWNER, urn_of(ENDPOINT, "e")).labels()}
    await begin(stack, "CreateEndpoint", {"parent": PARENT, "endpoint": body, "endpointId": "mine"})
    state = State(f"{PARENT}/endpoints/mine", {"origin": urn_of(ENDPOINT, "e")}, args, ("killed",))
    stack.states[urn_of(ENDPOINT, "e")] = state
    return state


async def test_endpoint_that_is_being_made_is_not_asked_for_again(stack: Stack, emulator: Emulator) -> None:
    await begun_endpoint(stack, emulator)

    await once_waited_for(emulator, "create_endpoint", stack.up(ENDPOINT, "e", endpoint(endpointId="mine")))

    assert "CreateEndpoint" not in methods(emulator)


async def test_endpoint_that_is_being_made_is_deleted_once_it_is_there(stack: Stack, emulator: Emulator) -> None:
    await begun_endpoint(stack, emulator)

    await once_waited_for(emulator, "create_endpoint", stack.remove(ENDPOINT, "e"))

    assert emulator.control.objects()["endpoints"] == []


async def test_deployment_waits_for_its_endpoint_that_is_being_made(stack: Stack, emulator: Emulator) -> None:
    made = await version(stack, 1)
    place = (await begun_endpoint(stack, emulator)).id

    await once_waited_for(emulator, "create_endpoint", stack.up(DEPLOYMENT, "d", deployment(place, made)))

    assert len(ids(emulator)) == 1


async def test_model_that_is_being_uploaded_is_not_uploaded_again(stack: Stack, emulator: Emulator) -> None:
    urn = urn_of(MODEL, "m")
    args = await stack.wire.checked(urn, model(modelId="mine"))
    emulator.control.hold("upload_model")
    given = model(labels=Identity(programs.OWNER, urn).labels(), versionAliases=[specification_alias(args)])
    await begin(stack, "UploadModel", {"parent": PARENT, "modelId": "mine", "model": given})

    await once_waited_for(emulator, "upload_model", stack.up(MODEL, "m", model(modelId="mine")))

    assert "UploadModel" not in methods(emulator)


async def test_model_that_is_being_deployed_is_undeployed_with_its_deployment(stack: Stack, emulator: Emulator) -> None:
    state = await served(stack)
    emulator.control.hold("deploy_model")
    given = variant(state.inputs["deployedModels"]["stable"]["model"])
    deployed = {**given, "displayName": f"canary{IDENTITY.mark('0' * 12)}"}
    await begin(stack, "DeployModel", {"endpoint": state.properties["endpointName"], "deployedModel": deployed})

    await once_waited_for(emulator, "deploy_model", stack.remove(DEPLOYMENT, "d"))

    assert ids(emulator) == []
