"""Invoke: what is found, what is refused, and that nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.emulator.google import HERE, LOCATION, THERE, TPU_MACHINE, Google
from tests.emulator.google import google as clients
from tests.wire import programs
from tests.wire.harness import Wire, WireError
from tests.wire.stack import Stack
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator
from tpuserve.provider.functions import LOOKS
from tpuserve.resources.functions import FUNCTIONS

MODEL_VERSION, MODEL = "tpuserve:vertex:getModelVersion", "tpuserve:vertex:getModel"
ENDPOINT = "tpuserve:vertex:getEndpoint"
ACCELERATOR_TYPES, RUNTIME_VERSIONS = "tpuserve:tpu:getAcceleratorTypes", "tpuserve:tpu:getRuntimeVersions"


@pytest.fixture
def hand(emulator: Emulator) -> Iterator[Google]:
    """Somebody else's hand: Google's own clients."""
    with clients(emulator) as google:
        yield google


@pytest.fixture
def digits(hand: Google) -> str:
    """A model that others uploaded, in three versions: `prod` is the second."""
    hand.upload(model_fields={"labels": {"team": "others"}, "description": "reads digits"})
    hand.upload(parent_model=f"{LOCATION}/models/digits", model_fields={"version_aliases": ["prod", "stable"]})
    hand.upload(parent_model=f"{LOCATION}/models/digits", model_fields={"version_description": "newest"})
    return f"{LOCATION}/models/digits"


async def result(wire: Wire, token: str, **arguments: Any) -> dict[str, Any]:
    """The answer to an Invoke that must find no fault."""
    found = await wire.invoke(token, **arguments)
    assert found.failures == {}
    return found.result


def test_each_function_of_the_schema_is_answered() -> None:
    assert set(LOOKS) == set(FUNCTIONS)


# --- getModelVersion ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "version"),
    [({}, "1"), ({"alias": "prod"}, "2"), ({"version": "3"}, "3"), ({"alias": "default"}, "1")],
    ids=["default version", "alias", "number", "alias default"],
)
async def test_version_is_found(wire: Wire, digits: str, asked: dict[str, str], version: str) -> None:
    found = await result(wire, MODEL_VERSION, model=digits, **asked)

    assert (found["versionId"], found["versionName"]) == (version, f"{HERE}/models/digits@{version}")


async def test_every_field_of_a_version(wire: Wire, digits: str) -> None:
    found = await result(wire, MODEL_VERSION, model=digits, version="2")

    times = {name: found.pop(name) for name in ("createTime", "versionCreateTime", "versionUpdateTime")}
    assert all(times.values())
    assert found == {
        "name": f"{HERE}/models/digits",
        "modelId": "digits",
        "versionId": "2",
        "versionName": f"{HERE}/models/digits@2",
        "versionAliases": ["prod", "stable"],
        "displayName": "digits",
        "description": "reads digits",
        "versionDescription": "",
        "labels": {"team": "others"},
        "artifactUri": "",
    }


async def test_id_is_looked_up_in_the_providers_place(wire: Wire, digits: str) -> None:
    found = await result(wire, MODEL_VERSION, model="digits")

    assert found["name"] == f"{HERE}/models/digits"


async def test_id_is_looked_up_in_the_place_given(wire: Wire, digits: str) -> None:
    found = await wire.invoke(MODEL_VERSION, model="digits", location="europe-west4")

    assert found.failures == {
        "model": f"projects/{programs.PROJECT}/locations/europe-west4/models/digits does not exist"
    }


async def test_moved_alias_is_seen_at_once(wire: Wire, hand: Google, digits: str) -> None:
    before = await result(wire, MODEL_VERSION, model=digits, alias="prod")

    hand.models.merge_version_aliases(name=f"{digits}@3", version_aliases=["prod"])

    after = await result(wire, MODEL_VERSION, model=digits, alias="prod")
    assert (before["versionId"], after["versionId"]) == ("2", "3")


async def test_deployment_takes_version_name(stack: Stack, digits: str) -> None:
    version = await result(stack.wire, MODEL_VERSION, model=digits, alias="prod")
    place = await stack.up(programs.ENDPOINT, "e", programs.endpoint())

    args = programs.deployment(place.properties["name"], version["versionName"])
    made = await stack.up(programs.DEPLOYMENT, "d", args)

    assert made.properties["deployedModelStatus"]["stable"]["modelVersionId"] == "2"


async def test_version_of_an_uploaded_model_is_the_resources_own(stack: Stack) -> None:
    made = await stack.up(programs.MODEL, "m", programs.model())

    found = await result(stack.wire, MODEL_VERSION, model=made.id)

    assert found["versionName"] == made.properties["versionName"]


async def test_missing_version_names_those_there_are(wire: Wire, digits: str) -> None:
    found = await wire.invoke(MODEL_VERSION, model=digits, alias="canary")

    assert found.failures == {"alias": f"{digits} has no version 'canary'; it has 1 (default), 2 (prod, stable), 3"}


async def test_missing_model_is_a_fault_of_its_argument(wire: Wire) -> None:
    found = await wire.invoke(MODEL_VERSION, model=f"{LOCATION}/models/none", version="1")

    assert found.failures == {"model": f"{LOCATION}/models/none does not exist"}


# --- the others -----------------------------------------------------------------------------------------------------


async def test_model_has_all_its_versions(wire: Wire, digits: str) -> None:
    found = await result(wire, MODEL, model=digits)

    told = [(each["versionName"], each["versionAliases"], each["versionDescription"]) for each in found["versions"]]
    name = f"{HERE}/models/digits"
    assert found["name"] == name
    assert told == [
        (f"{name}@1", ["default"], ""),
        (f"{name}@2", ["prod", "stable"], ""),
        (f"{name}@3", [], "newest"),
    ]


async def test_versions_are_sorted_by_number(wire: Wire, hand: Google) -> None:
    hand.upload()
    for _ in range(10):
        hand.upload(parent_model=f"{LOCATION}/models/digits")

    found = await result(wire, MODEL, model="digits")

    assert [each["versionId"] for each in found["versions"]] == [str(number) for number in range(1, 12)]


async def test_endpoint_has_what_is_deployed_on_it(wire: Wire, hand: Google) -> None:
    endpoint, model, deployed = hand.serving()

    found = await result(wire, ENDPOINT, endpoint="serving")

    assert (found["name"], found["endpointId"], found["trafficSplit"]) == (endpoint, "serving", {deployed: 100})
    [one] = found["deployedModels"]
    assert (one["id"], one["model"], one["modelVersionId"]) == (deployed, *model.split("@"))


async def test_empty_endpoint_has_every_field(wire: Wire, hand: Google) -> None:
    hand.endpoint()

    found = await result(wire, ENDPOINT, endpoint=f"{LOCATION}/endpoints/serving")

    empty = {name: found[name] for name in ("description", "labels", "trafficSplit", "deployedModels", "network")}
    assert empty == {"description": "", "labels": {}, "trafficSplit": {}, "deployedModels": [], "network": ""}
    assert found["dedicatedEndpointEnabled"] is False


async def test_missing_endpoint_is_a_fault_of_its_argument(wire: Wire) -> None:
    found = await wire.invoke(ENDPOINT, endpoint="none")

    assert found.failures == {"endpoint": f"{LOCATION}/endpoints/none does not exist"}


async def test_accelerator_types_of_the_providers_zone(wire: Wire) -> None:
    found = await result(wire, ACCELERATOR_TYPES)

    assert {
        "name": f"{THERE}/acceleratorTypes/v6e-8",
        "type": "v6e-8",
        "acceleratorConfigs": [{"type": "V6E", "topology": "2x4"}],
    } in found["acceleratorTypes"]


async def test_accelerator_types_of_a_zone_without_tpus(wire: Wire) -> None:
    assert await result(wire, ACCELERATOR_TYPES, zone="us-west9-a") == {"acceleratorTypes": []}


async def test_runtime_versions_of_a_zone(wire: Wire) -> None:
    found = await result(wire, RUNTIME_VERSIONS, zone=programs.ZONE)

    name = f"{THERE}/runtimeVersions/v2-alpha-tpuv6e"
    assert {"name": name, "version": "v2-alpha-tpuv6e"} in found["runtimeVersions"]


async def test_an_accelerator_type_that_is_offered_can_be_asked_for(stack: Stack) -> None:
    offered = await result(stack.wire, ACCELERATOR_TYPES)
    found = [each["type"] for each in offered["acceleratorTypes"] if each["type"] == "v6e-4"]

    args = programs.collection(**{"tpu.nodeSpec.0.node.acceleratorType": found[0]})
    made = await stack.up(programs.QUEUED_RESOURCE, "q", args)

    assert made.properties["state"]["state"] == "ACTIVE"


# --- what they share ------------------------------------------------------------------------------------------------

MODEL_ID = "projects/PROJECT/locations/LOCATION/models/ID"
FAULTS = [
    (MODEL_VERSION, {}, "model", "is required and was not given"),
    (MODEL_VERSION, {"model": "a b"}, "model", f"'a b' is neither an id nor a full name; give ID or {MODEL_ID}"),
    (MODEL_VERSION, {"model": "models/m"}, "model", f"'models/m' is not a full name; give {MODEL_ID}"),
    (
        MODEL_VERSION,
        {"model": "m@3"},
        "model",
        "'m@3' names a version: give 'm' here, and '3' as the version or the alias",
    ),
    (
        MODEL_VERSION,
        {"model": "m", "alias": "prod", "version": "3"},
        "version",
        "alias is given as well: give one of the two, or neither for the default version",
    ),
    (MODEL_VERSION, {"model": "m", "version": 3}, "version", "expected a string, got 3 (a whole number)"),
    (
        MODEL_VERSION,
        {"model": "m", "version": "prod"},
        "version",
        "'prod' is not a valid version number; allowed: digits, such as 3; a word is an alias",
    ),
    (
        MODEL,
        {"model": f"{LOCATION}/models/m", "location": "us-east5"},
        "location",
        f"is part of the full name '{LOCATION}/models/m' already: leave it out, or give the id alone",
    ),
    (ENDPOINT, {"endpoint": f"{LOCATION}/models/m"}, "endpoint", "projects/PROJECT/locations/LOCATION/endpoints/ID"),
    (ACCELERATOR_TYPES, {"zone": "us-east5"}, "zone", "a region and a zone in it"),
    (
        RUNTIME_VERSIONS,
        {"zon": "us-east5-b"},
        "zon",
        "is not an argument here; did you mean zone? Known: project, zone",
    ),
]


# Arguments of each function that it accepts, together all of them.
ACCEPTED = [
    (MODEL_VERSION, {"model": "m", "version": "3", "project": "another-project", "location": "europe-west4"}),
    (MODEL_VERSION, {"model": "m", "alias": "prod", "project": "another-project", "location": "europe-west4"}),
    (MODEL, {"model": "m", "project": "another-project", "location": "europe-west4"}),
    (ENDPOINT, {"endpoint": "e", "project": "another-project", "location": "europe-west4"}),
    (ACCELERATOR_TYPES, {"project": "another-project", "zone": "europe-west4-a"}),
    (RUNTIME_VERSIONS, {"project": "another-project", "zone": "europe-west4-a"}),
]


def test_the_accepted_hold_every_argument() -> None:
    held = {(token, name) for token, arguments in ACCEPTED for name in arguments}

    assert held == {(each.token, name) for each in FUNCTIONS for name in each.shape.by_wire()}


@pytest.mark.parametrize(("token", "arguments"), ACCEPTED)
async def test_place_given_is_the_place_asked(
    wire: Wire, emulator: Emulator, token: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(WireError, match="no such project"):
        await wire.invoke(token, **arguments)

    [asked] = [call["request"] for call in emulator.control.calls()]
    place = f"projects/another-project/locations/{arguments.get('location') or arguments['zone']}"
    assert [value for value in asked.values() if value.startswith(place)] != []


@pytest.mark.parametrize(
    ("token", "arguments", "name"), [(token, arguments, name) for token, arguments in ACCEPTED for name in arguments]
)
async def test_what_it_cannot_be_is_refused_at_its_argument(
    wire: Wire, token: str, arguments: dict[str, Any], name: str
) -> None:
    found = await wire.invoke(token, **{**arguments, name: "no \n way!"})

    assert list(found.failures) == [name]


@pytest.mark.parametrize(("token", "arguments", "path", "message"), FAULTS)
async def test_fault_is_told_at_its_path(
    wire: Wire, token: str, arguments: dict[str, Any], path: str, message: str
) -> None:
    found = await wire.invoke(token, **arguments)

    assert list(found.failures) == [path]
    assert message in found.failures[path]


async def test_nothing_is_asked_with_a_fault(wire: Wire, emulator: Emulator) -> None:
    await wire.invoke(MODEL_VERSION, model="digits", version="prod")

    assert emulator.control.calls() == []


async def test_all_faults_come_at_once_in_the_one_that_the_sdk_shows(wire: Wire) -> None:
    found = await wire.invoke(MODEL_VERSION, alias="P", version="x")

    assert list(found.failures) == ["model"]
    message = found.failures["model"]
    assert [
        path for path in ("alias: 'P' is not", "version: 'x' is not", "one of the two") if path not in message
    ] == []


@pytest.mark.parametrize("name", ["project", "zone"])
async def test_place_that_nobody_gives(wire: Wire, name: str) -> None:
    await wire.configure(**{name: None})

    found = await wire.invoke(ACCELERATOR_TYPES)

    assert list(found.failures) == [name]


async def test_unknown_argument_makes_an_unknown_result(wire: Wire, emulator: Emulator) -> None:
    found = await result(wire, MODEL_VERSION, model=UNKNOWN, alias="prod")

    assert set(found.values()) == {UNKNOWN}
    assert emulator.control.calls() == []


async def test_known_faults_beside_an_unknown_argument_are_told(wire: Wire) -> None:
    found = await wire.invoke(MODEL_VERSION, model=UNKNOWN, alias="P")

    assert list(found.failures) == ["alias"]


async def test_refusal_of_google_is_an_error_with_its_cause(wire: Wire, emulator: Emulator) -> None:
    emulator.control.fail("GetEndpoint", "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.get' denied")

    with pytest.raises(WireError, match=r"'aiplatform\.endpoints\.get' denied\. Cause: permission; grant the named"):
        await wire.invoke(ENDPOINT, endpoint="e")


async def test_function_that_does_not_exist_is_named_with_those_that_do(wire: Wire) -> None:
    with pytest.raises(WireError, match=r"tpuserve:vertex:getNode is not a function of tpuserve; it has .*getModel, "):
        await wire.invoke("tpuserve:vertex:getNode")


@pytest.mark.parametrize(
    ("token", "arguments"),
    [
        (MODEL_VERSION, {"model": "digits"}),
        (MODEL, {"model": "digits"}),
        (ENDPOINT, {"endpoint": "serving"}),
        (ACCELERATOR_TYPES, {}),
        (RUNTIME_VERSIONS, {}),
    ],
)
async def test_functions_only_read(
    wire: Wire, hand: Google, emulator: Emulator, token: str, arguments: dict[str, str]
) -> None:
    hand.deploy(hand.endpoint(), hand.upload(), machine={"machine_type": TPU_MACHINE})
    emulator.control.clear_calls()

    await result(wire, token, **arguments)

    assert emulator.control.calls() != []
    assert emulator.control.calls(mutating_only=True) == []
