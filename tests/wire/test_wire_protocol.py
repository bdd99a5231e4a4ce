"""The rest of the protocol: what the plugin says of itself, and what it does not have."""

from __future__ import annotations

import json

import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from tests.golden.write_schema import GOLDEN
from tests.wire import programs
from tests.wire.conftest import settings
from tests.wire.harness import InitFailedError, Wire, WireError, connected
from tests.wire.processes import address_of, listening, started
from tests.wire.programs import ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.properties import to_wire
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

NONE = provider_pb2.DiffResponse.DIFF_NONE


async def test_schema_is_the_golden(wire: Wire) -> None:
    answer = await wire.call("GetSchema", provider_pb2.GetSchemaRequest())

    assert json.loads(answer.schema) == json.loads(GOLDEN.read_text(encoding="utf-8"))


async def test_secrets_are_accepted(wire: Wire) -> None:
    answer = await wire.call("Handshake", provider_pb2.ProviderHandshakeRequest())

    assert (answer.accept_secrets, answer.accept_resources, answer.accept_outputs) == (True, False, False)


async def test_previews_and_autonaming_are_supported(wire: Wire) -> None:
    request = provider_pb2.ConfigureRequest(args=to_wire(wire.settings))

    answer = await wire.call("Configure", request)

    assert (answer.supportsPreview, answer.supports_autonaming_configuration) == (True, True)


async def test_plugin_has_a_version(wire: Wire) -> None:
    assert (await wire.call("GetPluginInfo", empty_pb2.Empty())).version == "0.1.0"


@pytest.mark.parametrize("changes", [{"project": "another"}, {"location": "us-west1"}, {"ownerId": "b" * 20}])
async def test_another_configuration_never_replaces_the_provider(wire: Wire, changes: dict[str, str]) -> None:
    request = provider_pb2.DiffRequest(olds=to_wire(wire.settings), news=to_wire(wire.settings | changes))

    answer = await wire.call("DiffConfig", request)

    assert (answer.changes != NONE, list(answer.replaces)) == (True, [])


async def test_same_configuration_is_no_difference(wire: Wire) -> None:
    request = provider_pb2.DiffRequest(olds=to_wire(wire.settings), news=to_wire(wire.settings))

    assert (await wire.call("DiffConfig", request)).changes == NONE


async def test_resource_that_does_not_exist_names_those_that_do(wire: Wire) -> None:
    with pytest.raises(WireError, match=r"tpuserve:vertex:Modle is not a resource of tpuserve; it has .*vertex:Model"):
        await wire.check(urn_of("tpuserve:vertex:Modle", "m"), {})


async def test_resource_below_a_component_is_known_by_its_own_type(wire: Wire) -> None:
    urn = "urn:pulumi:local::project::tpuserve:index:ServingModel$tpuserve:vertex:Model::m"

    assert (await wire.check(urn, model())).failures == {}


@pytest.mark.parametrize(
    ("token", "shape"),
    [
        (QUEUED_RESOURCE, "projects/PROJECT/locations/ZONE/queuedResources/ID"),
        (MODEL, "projects/PROJECT/locations/LOCATION/models/ID"),
        (ENDPOINT, "projects/PROJECT/locations/LOCATION/endpoints/ID"),
        (programs.DEPLOYMENT, "projects/PROJECT/locations/LOCATION/endpoints/ID"),
    ],
)
async def test_import_of_a_bad_id_says_what_one_looks_like(wire: Wire, token: str, shape: str) -> None:
    with pytest.raises(WireError, match=shape):
        await wire.read(urn_of(token, "r"), "nonsense")


@pytest.mark.parametrize(
    ("token", "collection"), [(QUEUED_RESOURCE, "queuedResources"), (MODEL, "models"), (ENDPOINT, "endpoints")]
)
async def test_import_of_what_is_not_there_is_an_empty_id(wire: Wire, token: str, collection: str) -> None:
    place = programs.ZONE if token == QUEUED_RESOURCE else programs.LOCATION

    found = await wire.read(urn_of(token, "r"), f"projects/{programs.PROJECT}/locations/{place}/{collection}/none")

    assert found is None


@pytest.mark.parametrize(("token", "expected"), [(QUEUED_RESOURCE, True), (ENDPOINT, True), (MODEL, False)])
async def test_refresh_before_update(stack: Stack, token: str, expected: bool) -> None:
    args = {QUEUED_RESOURCE: collection(), ENDPOINT: endpoint(), MODEL: model()}[token]
    made = await stack.up(token, "r", args)
    read = await stack.wire.read(urn_of(token, "r"), made.id, made)

    assert read is not None
    assert (made.refresh_first, read.refresh_first) == (expected, expected)


async def test_project_by_number_is_the_same_project_in_the_next_run(stack: Stack) -> None:
    """The number came in Google's answer, which the state holds."""
    await stack.up(ENDPOINT, "e", endpoint())
    assert stack.wire.provider is not None
    stack.wire.provider.numbers.clear()

    await stack.up(ENDPOINT, "e", endpoint(project=programs.NUMBER))

    assert stack.steps == ["create", "same"]


async def test_hand_changed_label_is_seen_and_put_right(stack: Stack, emulator: Emulator) -> None:
    state = await stack.up(ENDPOINT, "e", endpoint())
    provider = stack.wire.provider
    assert provider is not None
    body = {"name": state.id, "labels": {"team": "other"}}
    await provider.google.call("UpdateEndpoint", {"endpoint": body, "updateMask": "labels"}, programs.LOCATION)
    await stack.refresh(ENDPOINT, "e")

    await stack.up(ENDPOINT, "e", endpoint())

    labels = emulator.control.objects()["endpoints"][0]["labels"]
    assert (labels["team"], labels["tpuserve-owner"]) == ("a", programs.OWNER)


async def test_suspended_collection_is_replaced_where_that_is_wanted(stack: Stack, emulator: Emulator) -> None:
    args = collection(onSuspended="REPLACE")
    state = await stack.up(QUEUED_RESOURCE, "r", args)
    emulator.control.preempt(state.properties["name"])
    await stack.refresh(QUEUED_RESOURCE, "r")

    await stack.up(QUEUED_RESOURCE, "r", args)

    assert stack.steps == ["create", "delete-replaced", "create"]


async def test_suspended_collection_is_kept_where_nothing_is_said(stack: Stack, emulator: Emulator) -> None:
    state = await stack.up(QUEUED_RESOURCE, "r", collection())
    emulator.control.preempt(state.properties["name"])
    found = await stack.refresh(QUEUED_RESOURCE, "r")
    assert found is not None

    await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (found.properties["state"]["state"], stack.steps) == ("SUSPENDED", ["create", "same"])


async def test_second_process_of_one_engine_keeps_what_the_first_one_made(emulator: Emulator) -> None:
    """The engine starts several processes of one plugin: one creates, another deletes the old entry."""
    urn = urn_of(ENDPOINT, "e")
    with listening() as server, started(address_of(server)) as first, started(address_of(server)) as second:
        async with connected(first.port) as creating, connected(second.port) as deleting:
            for wire in (creating, deleting):
                await wire.configure(**settings(emulator))
            old = await creating.create(urn, await creating.checked(urn, endpoint()))
            await creating.create(urn, await creating.checked(urn, endpoint(), old))
            await deleting.delete(urn, old)

            assert await deleting.read(urn, old.id) is not None


async def test_slice_name_that_another_request_has_is_an_error_that_names_it(stack: Stack) -> None:
    prefix = {"tpu.nodeSpec.0.multiNodeParams.nodeIdPrefix": "digits"}
    await stack.up(QUEUED_RESOURCE, "first", collection(**prefix))

    with pytest.raises((WireError, InitFailedError), match=r"digits-0.*exists already and was not taken"):
        await stack.up(QUEUED_RESOURCE, "second", collection(**prefix))


@pytest.mark.parametrize(("setting", "read_first"), [(None, True), ("true", True), ("false", False), (False, False)])
async def test_reading_before_an_update_can_be_turned_off(wire: Wire, setting: object, read_first: bool) -> None:
    await wire.configure(refreshBeforeUpdate=setting)
    urn = urn_of(ENDPOINT, "e")

    created = await wire.create(urn, await wire.checked(urn, endpoint()))

    assert created.refresh_first is read_first
