"""A model on the wire: its container in full, texts and labels, outputs, imports, and its end while it is deployed."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import State, WireError
from tests.wire.models import URN, asked, by_hand, changing, give, up
from tests.wire.programs import DEPLOYMENT, ENDPOINT, LOCATION, MODEL, PROJECT, model
from tests.wire.properties import Secret
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator
from tpuserve.google import CloudError
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.model.lifecycle import ModelLifecycle

KEY = f"projects/{PROJECT}/locations/{LOCATION}/keyRings/r/cryptoKeys/k"
PROBE = {
    "periodSeconds": 5,
    "timeoutSeconds": 6,
    "failureThreshold": 2,
    "successThreshold": 1,
    "initialDelaySeconds": 3,
}
CONTAINER = {
    "imageUri": "registry/digits:1",
    "command": ["serve"],
    "args": ["--port", "$(AIP_HTTP_PORT)"],
    "env": [{"name": "A", "value": "b"}],
    "ports": [{"containerPort": 8080}],
    "grpcPorts": [{"containerPort": 8500}],
    "predictRoute": "/predict",
    "healthRoute": "/health",
    "deploymentTimeout": "3600s",
    "sharedMemorySizeMb": 16384,
    "startupProbe": {"exec": {"command": ["/ready", "--now"]}, **PROBE},
    "healthProbe": {
        "httpGet": {
            "path": "/health",
            "port": 8080,
            "host": "127.0.0.1",
            "scheme": "HTTP",
            "httpHeaders": [{"name": "X-Probe", "value": "1"}],
        },
        **PROBE,
    },
    "livenessProbe": {"grpc": {"port": 8500, "service": "digits"}, **PROBE},
}
BODY = {
    "displayName": "digits",
    "description": "of people",
    "versionDescription": "faster",
    "labels": {"team": "a"},
    "artifactUri": "gs://bucket/model",
    "encryptionSpec": {"kmsKeyName": KEY},
}
WHOLE = {**BODY, "containerSpec": CONTAINER}
HANDLERS = {
    "exec": {"command": ["true"]},
    "httpGet": {"path": "/h", "port": 80},
    "tcpSocket": {"port": 80, "host": "127.0.0.1"},
    "grpc": {"port": 80},
}
both_ways = pytest.mark.parametrize("returned", [False, True], ids=["container not returned", "container returned"])


async def imported(stack: Stack, made: State, urn: str = URN) -> State:
    found = await stack.wire.read(urn, made.id)
    assert found is not None
    return found


async def rows(stack: Stack, state: State, args: dict[str, Any], urn: str = URN) -> list[str]:
    """What a preview of these arguments shows."""
    return list((await stack.wire.diff(urn, state, await stack.wire.checked(urn, args, state))).detailedDiff)


# --- what is sent ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(CONTAINER))
async def test_field_of_the_container_arrives(stack: Stack, emulator: Emulator, name: str) -> None:
    await stack.up(MODEL, "m", WHOLE)

    emulator.control.set("returns_container_spec", True)
    kept = (await by_hand(stack, "GetModel", name=stack.states[URN].id))["containerSpec"][name]
    assert kept == ("16384" if name == "sharedMemorySizeMb" else CONTAINER[name])  # int64 is text in JSON


@pytest.mark.parametrize("name", [name for name in BODY if name != "labels"])
async def test_field_of_the_model_arrives(stack: Stack, emulator: Emulator, name: str) -> None:
    await stack.up(MODEL, "m", WHOLE)

    assert asked(emulator, "UploadModel")[0]["model"][name] == BODY[name]


@pytest.mark.parametrize("name", list(HANDLERS))
async def test_handler_of_a_probe_is_taken(stack: Stack, emulator: Emulator, name: str) -> None:
    await stack.up(MODEL, "m", model(**{"containerSpec.startupProbe": {name: HANDLERS[name]}}))

    assert asked(emulator, "UploadModel")[0]["model"]["containerSpec"]["startupProbe"] == {name: HANDLERS[name]}


async def test_what_steers_the_provider_is_not_sent(stack: Stack, emulator: Emulator) -> None:
    await up(stack, 1, ["champion"], retainVersions=1, contentVersion="1")

    (body,) = [request["model"] for request in asked(emulator, "UploadModel")]
    assert {*body} == {"displayName", "containerSpec", "labels", "versionAliases"}
    assert body["versionAliases"] != ["champion"]


# --- an image and weights are taken in at the upload ---------------------------------------------------------------


async def test_tag_that_moved_is_no_change(stack: Stack) -> None:
    """ModelContainerSpec.image_uri: "ingested upon UploadModel ... this original path is afterwards not used"."""
    for _ in range(2):
        await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:latest"}))

    assert stack.steps == ["create", "same"]


async def test_content_version_uploads_the_same_image_again(stack: Stack, emulator: Emulator) -> None:
    for content in ("1", "2"):
        state = await up(stack, contentVersion=content)

    assert state.properties["versionId"] == "2"
    first, second = [request["model"]["containerSpec"] for request in asked(emulator, "UploadModel")]
    assert first == second


@pytest.mark.parametrize("field", ["predictRoute", "healthRoute", "ports", "deploymentTimeout"])
async def test_what_is_left_out_is_left_to_google_s_default(stack: Stack, emulator: Emulator, field: str) -> None:
    await stack.up(MODEL, "m", {"displayName": "m", "containerSpec": {"imageUri": "i:1"}})

    assert field not in asked(emulator, "UploadModel")[0]["model"]["containerSpec"]


@pytest.mark.parametrize("name", [name for name in CONTAINER if name != "imageUri"])
async def test_every_field_of_the_container_is_a_new_version(stack: Stack, name: str) -> None:
    """ModelContainerSpec: "Immutable." on each."""
    await stack.up(MODEL, "m", WHOLE)

    less = {key: value for key, value in CONTAINER.items() if key != name}
    state = await stack.up(MODEL, "m", {**WHOLE, "containerSpec": less})

    assert state.properties["versionId"] == "2"


# --- texts and labels --------------------------------------------------------------------------------------------


async def test_version_description_changes_on_the_version(stack: Stack, emulator: Emulator) -> None:
    state = await up(stack, versionDescription="one")
    emulator.control.clear_calls()

    await up(stack, versionDescription="two")

    (request,) = asked(emulator, "UpdateModel")
    assert (request["model"]["name"], request["updateMask"]) == (f"{state.id}@1", "versionDescription")


async def test_description_and_version_description_are_two_requests(stack: Stack, emulator: Emulator) -> None:
    await up(stack)
    emulator.control.clear_calls()

    await up(stack, description="a", versionDescription="b")

    assert [request["updateMask"] for request in asked(emulator, "UpdateModel")] == [
        "description",
        "versionDescription",
    ]


async def test_version_description_changed_by_hand_is_drift(stack: Stack) -> None:
    state = await up(stack, versionDescription="one")
    body = {"name": f"{state.id}@1", "versionDescription": "theirs"}
    await by_hand(stack, "UpdateModel", model=body, updateMask="versionDescription")

    found = await stack.refresh(MODEL, "m")

    assert found is not None
    assert await rows(stack, found, model(versionDescription="one")) == ["versionDescription"]


async def test_labels_that_a_version_has_of_its_own_are_put_right(stack: Stack) -> None:
    state = await up(stack, labels={"team": "a"})
    body = {"name": f"{state.id}@1", "labels": {"team": "b", "stage": "live"}}
    await by_hand(stack, "UpdateModel", model=body, updateMask="labels")
    await stack.refresh(MODEL, "m")

    await up(stack, labels={"team": "a"})

    found = await stack.refresh(MODEL, "m")
    assert found is not None
    assert found.inputs["labels"] == {"team": "a"}


# --- read, import and preview, whether Google returns the container or not ----------------------------------------


@both_ways
async def test_refresh_of_everything_finds_no_drift(stack: Stack, emulator: Emulator, returned: bool) -> None:
    emulator.control.set("returns_container_spec", returned)
    before = await stack.up(MODEL, "m", WHOLE)

    assert await stack.refresh(MODEL, "m") == before


@both_ways
async def test_import_of_everything_needs_no_change(stack: Stack, emulator: Emulator, returned: bool) -> None:
    emulator.control.set("returns_container_spec", returned)
    args = {**WHOLE, "versionAliases": ["champion"]}
    found = await imported(stack, await stack.up(MODEL, "m", args))

    assert await rows(stack, found, {**args, "modelId": found.inputs["modelId"]}) == []


@both_ways
async def test_import_with_another_image_is_a_new_version(stack: Stack, emulator: Emulator, returned: bool) -> None:
    emulator.control.set("returns_container_spec", returned)
    made = await up(stack)
    stack.states[URN] = await imported(stack, made)

    state = await up(stack, 2, modelId=made.inputs["modelId"])

    assert state.properties["versionId"] == "2"


@both_ways
async def test_import_with_another_secret_is_a_new_version(stack: Stack, emulator: Emulator, returned: bool) -> None:
    """The mark of a version does not tell its secrets."""
    emulator.control.set("returns_container_spec", returned)
    secret = {"containerSpec.env": [{"name": "TOKEN", "value": Secret("s3cr3t-one")}]}
    made = await stack.up(MODEL, "m", model(**secret))
    stack.states[URN] = await imported(stack, made)
    secret = {"containerSpec.env": [{"name": "TOKEN", "value": Secret("s3cr3t-two")}]}

    state = await stack.up(MODEL, "m", model(**secret, modelId=made.inputs["modelId"]))

    assert state.properties["versionId"] == "2"


async def test_import_keeps_what_may_be_secret_so(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("returns_container_spec", True)
    env = [{"name": "TOKEN", "value": Secret("s3cr3t-one")}]
    made = await stack.up(MODEL, "m", model(**{"containerSpec.env": env}))

    found = await imported(stack, made)

    assert found.inputs["containerSpec"]["env"] == found.properties["containerSpec"]["env"] == env


async def test_import_takes_the_aliases_over(stack: Stack, emulator: Emulator) -> None:
    made = await up(stack)
    await give(stack, 1, "theirs")
    stack.states[URN] = await imported(stack, made)

    state = await up(stack, 1, ["mine"], modelId=made.inputs["modelId"])

    assert (state.properties["versionId"], [*state.properties["givenAliases"]]) == ("1", ["mine"])
    assert "theirs" not in state.properties["versionAliases"]


async def test_import_of_a_version_says_what_to_import(stack: Stack) -> None:
    made = await up(stack)

    with pytest.raises(WireError, match=r"@1' is a version, .* import projects/.*, which takes its default version"):
        await stack.wire.read(URN, f"{made.id}@1")


# --- a model of others -------------------------------------------------------------------------------------------


async def strange(stack: Stack, **changes: Any) -> State:
    """A model that somebody else uploaded, imported under the URN."""
    parent = f"projects/{PROJECT}/locations/{LOCATION}"
    await by_hand(stack, "UploadModel", parent=parent, modelId="theirs", model=model(**changes))
    found = await stack.wire.read(URN, f"{parent}/models/theirs")
    assert found is not None
    stack.states[URN] = found
    return found


async def test_version_of_others_that_is_equal_gets_the_mark(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("returns_container_spec", True)
    await strange(stack)
    emulator.control.clear_calls()

    state = await up(stack, labels={"team": "a"}, modelId="theirs")

    assert (state.properties["versionId"], changing(emulator)) == ("1", ["UpdateModel", "MergeVersionAliases"])


async def test_version_of_others_that_cannot_be_read_is_not_guessed_at(stack: Stack) -> None:
    found = await strange(stack)

    answer = await stack.wire.check(URN, model(modelId="theirs"), found)

    assert [*answer.failures] == ["contentVersion"]
    assert "theirs@1 was uploaded by something other than tpuserve" in answer.failures["contentVersion"]


async def test_version_of_others_that_cannot_be_read_may_be_left_behind(stack: Stack) -> None:
    await strange(stack)

    state = await up(stack, modelId="theirs", contentVersion="ours")

    assert state.properties["versionId"] == "2"


SPELLINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"containerSpec.deploymentTimeout": "600s"}, {"containerSpec.deploymentTimeout": "600.0s"}),
    ({}, {"containerSpec.sharedMemorySizeMb": 0}),
    ({}, {"containerSpec.args": []}),
]


@pytest.mark.parametrize(("before", "after"), SPELLINGS)
async def test_another_spelling_beside_another_change_is_no_new_version(
    stack: Stack, before: dict[str, Any], after: dict[str, Any]
) -> None:
    await up(stack, **before)

    state = await up(stack, description="text", **after)

    assert state.properties["versionId"] == "1"


async def test_version_that_was_uploaded_again_is_found_by_a_state_of_before(stack: Stack, emulator: Emulator) -> None:
    """The state was restored from a backup: its version is gone, one of the same specification is there."""
    await up(stack)
    other: dict[str, Any] = {"containerSpec.imageUri": "registry/digits:2"}
    before = await up(stack, **other)
    await by_hand(stack, "DeleteModelVersion", name=before.properties["versionName"])
    await stack.refresh(MODEL, "m")
    again = await up(stack, **other)
    stack.states[URN] = before

    state = await up(stack, description="text", **other)

    assert state.properties["versionId"] == again.properties["versionId"]


# --- outputs -----------------------------------------------------------------------------------------------------


async def test_outputs_of_a_create_are_those_of_a_read(stack: Stack) -> None:
    made = await up(stack, 1, ["champion"], versionDescription="text")

    found = await stack.refresh(MODEL, "m")

    assert found is not None
    assert found.properties == made.properties


async def test_preview_of_a_new_version_knows_neither_its_number_nor_its_aliases(stack: Stack) -> None:
    state = await up(stack)
    args = model(**{"containerSpec.imageUri": "registry/digits:2"})

    shown = await stack.wire.update(URN, state, await stack.wire.checked(URN, args, state), preview=True)

    kept = {name for name, value in shown.properties.items() if value == state.properties.get(name)}
    assert {"name", "createTime", "origin"} <= kept
    assert not {"versionId", "versionName", "versionAliases", "givenAliases", "deployedModels"} & kept


async def test_preview_of_a_text_knows_the_version(stack: Stack) -> None:
    state = await up(stack)

    inputs = await stack.wire.checked(URN, model(description="text"), state)
    shown = await stack.wire.update(URN, state, inputs, preview=True)

    assert shown.properties["versionName"] == state.properties["versionName"]


async def test_outputs_say_where_the_version_is_deployed(stack: Stack) -> None:
    deployed = await served(stack)

    found = await stack.refresh(MODEL, "m")

    assert found is not None
    (place,) = found.properties["deployedModels"]
    status = deployed.properties["deployedModelStatus"]["stable"]
    assert place == {"endpoint": deployed.properties["endpointName"], "deployedModelId": status["id"]}


# --- one model, two variants -------------------------------------------------------------------------------------


async def a_and_b(stack: Stack, canary: str) -> State:
    """`stable` of version 1 and `canary` of what is given, half of the requests each."""
    endpoint = await stack.up(ENDPOINT, "e", programs.endpoint())
    name = stack.states[URN].properties["name"]
    args = programs.deployment(endpoint.properties["name"], f"{name}@1", trafficSplit={"stable": 50, "canary": 50})
    args["deployedModels"]["canary"] = programs.variant(f"{name}@{canary}")
    return await stack.up(DEPLOYMENT, "d", args)


def deployed_versions(state: State) -> dict[str, str]:
    return {name: found["modelVersionId"] for name, found in state.properties["deployedModelStatus"].items()}


@pytest.mark.parametrize("canary", ["2", "canary"])
async def test_two_variants_of_one_model(stack: Stack, emulator: Emulator, canary: str) -> None:
    await up(stack, 1, ["canary"])
    await up(stack, 2, ["canary"])

    state = await a_and_b(stack, canary)

    (endpoint,) = emulator.control.objects()["endpoints"]
    assert deployed_versions(state) == {"stable": "1", "canary": "2"}
    assert [*endpoint["trafficSplit"].values()] == [50, 50]


async def test_moved_alias_deploys_its_variant_anew_and_no_other(stack: Stack) -> None:
    for image in (1, 2):
        await up(stack, image, ["canary"])
    first = await a_and_b(stack, "canary")
    await up(stack, 3, ["canary"])

    second = await a_and_b(stack, "canary")

    assert deployed_versions(second) == {"stable": "1", "canary": "3"}
    status = "deployedModelStatus"
    assert second.properties[status]["stable"]["id"] == first.properties[status]["stable"]["id"]


async def test_first_upload_needs_no_list_of_operations(stack: Stack, emulator: Emulator) -> None:
    """What Google answers for a model that does not exist yet is not known."""
    emulator.control.fail("ListOperations", "NOT_FOUND", "no such model", times=-1)

    state = await stack.up(MODEL, "m", model())

    assert state.properties["versionId"] == "1"


async def test_model_deleted_by_hand_is_made_again_by_the_next_version(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())
    assert stack.wire.provider is not None
    await stack.wire.provider.google.call("DeleteModel", {"name": stack.states[URN].id}, LOCATION)

    state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    assert [found["name"] for found in emulator.control.objects()["models"]] == [state.properties["name"]]


# --- its end -----------------------------------------------------------------------------------------------------


async def test_delete_of_a_deployed_model_names_where(stack: Stack) -> None:
    deployed = await served(stack)
    place, status = deployed.properties["endpointName"], deployed.properties["deployedModelStatus"]["stable"]

    with pytest.raises(ResourceError) as failed:
        await ModelLifecycle().delete(impatient(stack), stack.states[URN].id, {}, frozenset())

    assert f"{place} (deployed model {status['id']}, version 1). Take it out of" in str(failed.value)


async def test_delete_that_may_not_look_where_has_google_s_words(stack: Stack, emulator: Emulator) -> None:
    await served(stack)
    emulator.control.fail("ListModelVersions", "PERMISSION_DENIED", "no", times=-1)

    with pytest.raises(CloudError, match="is deployed to") as failed:
        await ModelLifecycle().delete(impatient(stack), stack.states[URN].id, {}, frozenset())

    assert failed.value.code == "FAILED_PRECONDITION"


def impatient(stack: Stack) -> Call:
    """A request for which all the time that a delete is repeated passes at once."""
    provider = stack.wire.provider
    assert provider is not None

    async def say(line: str, ephemeral: bool) -> None: ...

    def clock() -> float:
        return time.monotonic() * 1e6

    return Call(URN, provider.checker.config, provider.google, say, provider.cancelled, 1e12, clock=clock)


async def test_replacement_of_the_key_is_another_model(stack: Stack, emulator: Emulator) -> None:
    first = await stack.up(MODEL, "m", WHOLE)

    second = await stack.up(MODEL, "m", {**WHOLE, "encryptionSpec": {"kmsKeyName": f"{KEY}2"}})

    assert second.id != first.id


async def test_another_spelling_of_the_key_is_no_change(stack: Stack) -> None:
    state = await stack.up(MODEL, "m", WHOLE)
    number = state.properties["name"].split("/")[1]

    key = {"kmsKeyName": KEY.replace(PROJECT, number)}
    assert await rows(stack, state, {**WHOLE, "encryptionSpec": key}, urn_of(MODEL, "m")) == []
