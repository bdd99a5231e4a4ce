"""Delete takes away what the old entry lists, less what the current entry of that URN is known to hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator
from tpuserve.provider.memory import Memory

RESOURCES = [(QUEUED_RESOURCE, collection()), (MODEL, model()), (ENDPOINT, endpoint())]
each_resource = pytest.mark.parametrize(("token", "args"), RESOURCES, ids=[row[0].rsplit(":")[-1] for row in RESOURCES])
KINDS = ("queuedResources", "nodes", "models", "endpoints")


def there(emulator: Emulator) -> dict[str, Any]:
    objects = emulator.control.objects()
    return {kind: objects[kind] for kind in KINDS}


def mutations(emulator: Emulator) -> list[str]:
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


@each_resource
async def test_forced_replacement_adopts(stack: Stack, emulator: Emulator, token: str, args: Any) -> None:
    first = await stack.up(token, "r", args)
    before = there(emulator)

    second = await stack.replace(token, "r", args)

    assert (second.id, there(emulator)) == (first.id, before)


@each_resource
async def test_forced_replacement_deletes_nothing(stack: Stack, emulator: Emulator, token: str, args: Any) -> None:
    await stack.up(token, "r", args)

    await stack.replace(token, "r", args)

    assert not [name for name in mutations(emulator) if name.startswith("Delete")]


async def test_forced_replacement_of_a_deployment_neither_deploys_nor_undeploys(
    stack: Stack, emulator: Emulator
) -> None:
    state = await served(stack)
    emulator.control.clear_calls()

    await stack.replace(DEPLOYMENT, "d", state.inputs)

    assert mutations(emulator) == []


@each_resource
async def test_delete_after_a_kill_and_a_further_run_keeps_what_is_current(
    stack: Stack, emulator: Emulator, token: str, args: Any
) -> None:
    """Killed after Create and before Delete: the next run checks, finds no difference, and deletes the old entry."""
    old = await stack.up(token, "r", args)
    urn = urn_of(token, "r")
    stack.new_run()
    current = await stack.wire.create(urn, await stack.wire.checked(urn, args, old))
    stack.new_run()
    await stack.wire.diff(urn, current, await stack.wire.checked(urn, args, current))

    await stack.wire.delete(urn, old)

    assert await stack.wire.read(urn, current.id) is not None


async def test_delete_after_a_kill_and_a_further_run_keeps_the_deployment(stack: Stack, emulator: Emulator) -> None:
    old = await served(stack)
    urn = urn_of(DEPLOYMENT, "d")
    stack.new_run()
    await stack.wire.diff(urn, old, await stack.wire.checked(urn, old.inputs, old))

    await stack.wire.delete(urn, old)

    assert len(emulator.control.objects()["endpoints"][0]["deployedModels"]) == 1


@each_resource
async def test_removed_from_the_program_goes(stack: Stack, emulator: Emulator, token: str, args: Any) -> None:
    """No Check in this run: nothing is known to be held."""
    state = await stack.up(token, "r", args)
    urn = urn_of(token, "r")
    stack.new_run()
    await stack.wire.diff(urn, state, state.inputs)

    await stack.wire.delete(urn, state)

    assert await stack.wire.read(urn, state.id) is None


@each_resource
async def test_another_process_of_the_same_engine_knows_what_is_held(
    stack: Stack, tmp_path: Any, token: str, args: Any
) -> None:
    old = await stack.up(token, "r", args)
    urn, provider = urn_of(token, "r"), stack.wire.provider
    assert provider is not None
    provider.memory = Memory(tmp_path / "memory.jsonl")
    current = await stack.wire.create(urn, await stack.wire.checked(urn, args, old))
    provider.memory = Memory(tmp_path / "memory.jsonl")

    await stack.wire.delete(urn, old)

    assert await stack.wire.read(urn, current.id) is not None


async def test_real_replacement_with_a_fixed_id_deletes_first(stack: Stack) -> None:
    await stack.up(QUEUED_RESOURCE, "r", collection(queuedResourceId="mine"))

    await stack.up(
        QUEUED_RESOURCE, "r", collection(queuedResourceId="mine", **{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2})
    )

    assert stack.steps == ["create", "delete-replaced", "create"]


async def test_real_replacement_with_a_fixed_node_prefix_deletes_first(stack: Stack) -> None:
    prefix = {"tpu.nodeSpec.0.multiNodeParams.nodeIdPrefix": "mine"}
    await stack.up(QUEUED_RESOURCE, "r", collection(**prefix))

    await stack.up(QUEUED_RESOURCE, "r", collection(**prefix, **{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2}))

    assert stack.steps == ["create", "delete-replaced", "create"]


async def test_real_replacement_with_ids_of_ours_creates_first(stack: Stack) -> None:
    await stack.up(QUEUED_RESOURCE, "r", collection())

    await stack.up(QUEUED_RESOURCE, "r", collection(**{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2}))

    assert stack.steps == ["create", "create", "delete-replaced"]


@each_resource
async def test_second_backend_with_the_same_owner_adopts(
    stack: Stack, emulator: Emulator, token: str, args: Any
) -> None:
    first = await stack.up(token, "r", args)
    stack.states.clear()

    assert (await stack.up(token, "r", args)).id == first.id


@each_resource
async def test_another_owner_is_refused_and_told_whose_it_is(
    stack: Stack, emulator: Emulator, token: str, args: Any
) -> None:
    argument = {QUEUED_RESOURCE: "queuedResourceId", MODEL: "modelId", ENDPOINT: "endpointId"}[token]
    await stack.up(token, "r", {**args, argument: "taken"})
    stack.states.clear()
    await stack.wire.configure(ownerId=programs.OTHER_OWNER)

    with pytest.raises(WireError, match=f"belongs to the stack with owner id '{programs.OWNER}'"):
        await stack.up(token, "r", {**args, argument: "taken"})


@each_resource
async def test_without_an_owner_nothing_is_adopted_and_the_error_says_what_to_set(
    stack: Stack, emulator: Emulator, token: str, args: Any
) -> None:
    await stack.wire.configure(ownerId=None)
    await stack.up(token, "r", args)
    stack.states.clear()

    with pytest.raises(WireError, match="set tpuserve:ownerId"):
        await stack.up(token, "r", args)


async def test_replacement_found_after_a_preview_that_saw_none_takes_the_old_one_away(stack: Stack) -> None:
    """Preview and update may be one process: what was held is about to be replaced."""
    old = await stack.up(QUEUED_RESOURCE, "r", collection(queuedResourceId="mine"))
    urn = urn_of(QUEUED_RESOURCE, "r")
    stack.new_run()
    await stack.wire.diff(urn, old, await stack.wire.checked(urn, old.inputs, old))
    other = collection(queuedResourceId="mine", **{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2})
    await stack.wire.diff(urn, old, await stack.wire.checked(urn, other, old))

    await stack.wire.delete(urn, old)

    assert await stack.wire.read(urn, old.id) is None
