"""Pairs of programs that a generated case once found to end wrong (tests/generated), each as small as it was made."""

from __future__ import annotations

from tests.wire.programs import DEPLOYMENT, QUEUED_RESOURCE, changed, collection
from tests.wire.stack import Stack, served, urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator

STABLE = "deployedModels.stable."


async def test_an_alias_given_by_a_url_is_read_back_as_it_was_given(stack: Stack, emulator: Emulator) -> None:
    first = await served(stack)
    model = first.inputs["deployedModels"]["stable"]["model"].partition("@")[0]
    args = changed(first.inputs, {f"{STABLE}model": f"https://us-east5-aiplatform.googleapis.com/v1/{model}@default"})
    await stack.up(DEPLOYMENT, "d", args)

    read = await stack.refresh(DEPLOYMENT, "d")

    assert read is not None
    assert read.inputs["deployedModels"] == args["deployedModels"]


async def test_a_promoted_variant_goes_back_to_defaults_that_its_former_name_had_changed(
    stack: Stack, emulator: Emulator
) -> None:
    counts = {f"{STABLE}dedicatedResources.{name}ReplicaCount": n for name, n in (("min", 2), ("required", 1))}
    first = await served(stack, "i:1", **counts)
    variant = changed(first.inputs["deployedModels"]["stable"], {"dedicatedResources.requiredReplicaCount": None})

    second = await stack.up(DEPLOYMENT, "d", changed(first.inputs, {"deployedModels": {"promoted": variant}}))

    endpoint = await google(stack, "GetEndpoint", second.properties["endpointName"])
    assert [item["dedicatedResources"].get("requiredReplicaCount", 2) for item in endpoint["deployedModels"]] == [2]


async def test_a_preview_does_not_know_the_id_of_a_variant_from_which_an_argument_is_taken(
    stack: Stack, emulator: Emulator
) -> None:
    first = await served(stack, **{f"{STABLE}displayName": "digits"})
    args = changed(first.inputs, {f"{STABLE}displayName": None})

    foretold = await stack.wire.update(urn_of(DEPLOYMENT, "d"), first, args, preview=True)
    second = await stack.up(DEPLOYMENT, "d", args)

    known = foretold.properties["deployedModelStatus"]["stable"]["id"]
    ids = [state.properties["deployedModelStatus"]["stable"]["id"] for state in (first, second)]
    assert (known in ids, ids[0] == ids[1]) == (False, False)


async def test_an_imported_request_of_a_tier_is_not_to_be_replaced(stack: Stack, emulator: Emulator) -> None:
    made = await stack.up(QUEUED_RESOURCE, "q", collection(spot={}))

    imported = await stack.import_(QUEUED_RESOURCE, "i", made.id)

    assert imported is not None
    assert list((await stack.wire.diff(urn_of(QUEUED_RESOURCE, "i"), imported, made.inputs)).replaces) == []


async def test_an_empty_part_of_an_imported_slice_is_kept(stack: Stack, emulator: Emulator) -> None:
    args = collection(**{"tpu.nodeSpec.0.node.networkConfig": {}})
    made = await stack.up(QUEUED_RESOURCE, "q", args)

    imported = await stack.import_(QUEUED_RESOURCE, "i", made.id)

    assert imported is not None
    assert list((await stack.wire.diff(urn_of(QUEUED_RESOURCE, "i"), imported, made.inputs)).replaces) == []


async def test_a_preview_does_not_know_what_a_request_on_its_way_will_be(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    first = await stack.up(QUEUED_RESOURCE, "q", collection(waitFor="WAITING_FOR_RESOURCES"))
    inputs = await stack.wire.checked(urn_of(QUEUED_RESOURCE, "q"), collection(), first)

    foretold = await stack.wire.update(urn_of(QUEUED_RESOURCE, "q"), first, inputs, preview=True)

    assert (foretold.properties["state"], foretold.properties["nodes"]) == (UNKNOWN, UNKNOWN)


async def test_another_spelling_of_a_model_is_no_outage_to_agree_to(stack: Stack, emulator: Emulator) -> None:
    first = await served(stack, "i:1", **{f"{STABLE}strategy": "UNDEPLOY_FIRST"})
    model = first.inputs["deployedModels"]["stable"]["model"]
    args = changed(first.inputs, {f"{STABLE}model": f"https://us-east5-aiplatform.googleapis.com/v1/{model}"})

    answer = await stack.wire.check(urn_of(DEPLOYMENT, "d"), args, first)

    assert answer.failures == {}


async def google(stack: Stack, method: str, name: str) -> dict:
    assert stack.wire.provider is not None
    return await stack.wire.provider.google.call(method, {"name": name}, "us-east5")
