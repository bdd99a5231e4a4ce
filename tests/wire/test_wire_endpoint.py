"""Every argument of an endpoint: what is refused, what is sent and by which method, what a Read finds."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.emulator.google import google
from tests.wire import conftest
from tests.wire.harness import InitFailedError, Wire, plugin
from tests.wire.programs import ENDPOINT, LOCATION, NUMBER, changed, endpoint
from tests.wire.stack import Stack, urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator

URN = urn_of(ENDPOINT, "r")
LOGGING, CONNECTION = "predictRequestResponseLoggingConfig", "clientConnectionConfig"
NETWORK = f"projects/{NUMBER}/global/networks/n"
CONNECTED = {"enablePrivateServiceConnect": True, "projectAllowlist": ["p-1234", "123"]}
KEY = f"projects/p-1234/locations/{LOCATION}/keyRings/r/cryptoKeys/k"
LOGGED = {"enabled": True, "samplingRate": 0.1, "bigqueryDestination": {"outputUri": "bq://p-1234.d.t"}}
DEDICATED = endpoint(dedicatedEndpointEnabled=True)


def methods(emulator: Emulator) -> list[str]:
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


def requests(emulator: Emulator, method: str) -> list[dict[str, Any]]:
    return [call["request"] for call in emulator.control.calls() if call["method"] == method]


def by_hand(emulator: Emulator, name: str, fields: dict[str, Any]) -> None:
    """Somebody else updates one field."""
    with google(emulator) as hand:
        given = {"name": name, **fields}
        if "client_connection_config" in fields:
            hand.done(hand.endpoints.update_endpoint_long_running(endpoint=given))
        else:
            hand.endpoints.update_endpoint(endpoint=given, update_mask={"paths": list(fields)})


def live(emulator: Emulator) -> dict[str, Any]:
    """The only endpoint there is."""
    (named,) = emulator.control.objects()["endpoints"]
    with google(emulator) as hand:
        found = hand.endpoints.get_endpoint(name=named["name"])
    return MessageToDict(type(found).pb(found))


# --- Check -----------------------------------------------------------------------------------------------------------

ONE_KIND = "an endpoint is of one kind"
REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("network without its project", {"network": "n"}, "network", "PROJECT_NUMBER"),
    (
        "network of a project's id",
        {"network": "projects/p-1234/global/networks/n"},
        "network",
        "number in place of its id",
    ),
    (
        "network and Private Service Connect",
        {"network": NETWORK, "privateServiceConnectConfig": CONNECTED},
        "network",
        ONE_KIND,
    ),
    (
        "network and host name",
        {"network": NETWORK, "dedicatedEndpointEnabled": True},
        "dedicatedEndpointEnabled",
        ONE_KIND,
    ),
    (
        "host name and Private Service Connect",
        {"dedicatedEndpointEnabled": True, "privateServiceConnectConfig": CONNECTED},
        "privateServiceConnectConfig",
        ONE_KIND,
    ),
    (
        "Private Service Connect turned off",
        {"privateServiceConnectConfig": {"enablePrivateServiceConnect": False}},
        "privateServiceConnectConfig.enablePrivateServiceConnect",
        "leave privateServiceConnectConfig out",
    ),
    (
        "Private Service Connect without saying so",
        {"privateServiceConnectConfig": {}},
        "privateServiceConnectConfig.enablePrivateServiceConnect",
        "is required",
    ),
    (
        "a project that is none",
        {"privateServiceConnectConfig": {**CONNECTED, "projectAllowlist": ["p-1234", "P"]}},
        "privateServiceConnectConfig.projectAllowlist",
        "'P' is not a valid project",
    ),
    ("a key's short name", {"encryptionSpec": {"kmsKeyName": "k"}}, "encryptionSpec.kmsKeyName", "keyRings/RING"),
    (
        "a key of another region",
        {"encryptionSpec": {"kmsKeyName": KEY.replace(LOCATION, "us-east1")}},
        "encryptionSpec.kmsKeyName",
        f"give one in '{LOCATION}'",
    ),
    ("more than every request", {LOGGING: {**LOGGED, "samplingRate": 2}}, f"{LOGGING}.samplingRate", "from 0 to 1"),
    ("no request logged", {LOGGING: {**LOGGED, "samplingRate": 0}}, f"{LOGGING}.samplingRate", "more than 0"),
    (
        "a log elsewhere",
        {LOGGING: {**LOGGED, "bigqueryDestination": {"outputUri": "gs://b/f"}}},
        f"{LOGGING}.bigqueryDestination.outputUri",
        "bq://PROJECT.DATASET.TABLE",
    ),
    (
        "a log nowhere",
        {LOGGING: {**LOGGED, "bigqueryDestination": {}}},
        f"{LOGGING}.bigqueryDestination.outputUri",
        "is required",
    ),
    ("a log in a network", {LOGGING: LOGGED, "network": NETWORK}, f"{LOGGING}.enabled", "cannot log its requests"),
    (
        "a timeout of a shared endpoint",
        {CONNECTION: {"inferenceTimeout": "90s"}},
        f"{CONNECTION}.inferenceTimeout",
        "give dedicatedEndpointEnabled or privateServiceConnectConfig too",
    ),
    (
        "a timeout in a network",
        {CONNECTION: {"inferenceTimeout": "90s"}, "network": NETWORK},
        f"{CONNECTION}.inferenceTimeout",
        "always has 60s",
    ),
    (
        "a timeout of more than an hour",
        {CONNECTION: {"inferenceTimeout": "3601s"}, "dedicatedEndpointEnabled": True},
        f"{CONNECTION}.inferenceTimeout",
        "at most 3600s",
    ),
    (
        "a timeout of nothing",
        {CONNECTION: {"inferenceTimeout": "0s"}, "dedicatedEndpointEnabled": True},
        f"{CONNECTION}.inferenceTimeout",
        "more than 0s",
    ),
    (
        "a timeout that is no duration",
        {CONNECTION: {"inferenceTimeout": "90"}, "dedicatedEndpointEnabled": True},
        f"{CONNECTION}.inferenceTimeout",
        "is not a duration",
    ),
    ("a long name", {"displayName": "n" * 129}, "displayName", "1 to 128 characters"),
]


@pytest.mark.parametrize(("args", "path", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
async def test_refused(wire: Wire, args: dict[str, Any], path: str, words: str) -> None:
    answer = await wire.check(URN, endpoint(**args))

    assert words in answer.failures[path]


@pytest.mark.parametrize("given", ["e", "my-endpoint-1", "1", "123456789", "e" * 63])
async def test_endpoint_id_begins_with_a_letter_or_is_a_short_number(wire: Wire, given: str) -> None:
    assert (await wire.check(URN, endpoint(endpointId=given))).failures == {}


@pytest.mark.parametrize("given", ["E", "1a", "012", "1234567890", "e-", "e" * 64, "e_f"])
async def test_other_endpoint_ids_are_refused(wire: Wire, given: str) -> None:
    assert list((await wire.check(URN, endpoint(endpointId=given))).failures) == ["endpointId"]


UNKNOWNS = ["network", "dedicatedEndpointEnabled", "privateServiceConnectConfig", "encryptionSpec", LOGGING, CONNECTION]


@pytest.mark.parametrize("path", UNKNOWNS)
async def test_what_is_not_known_yet_is_no_fault(wire: Wire, path: str) -> None:
    """Of what kind the endpoint is decides whether it has a timeout and a log."""
    given = {LOGGING: LOGGED, CONNECTION: {"inferenceTimeout": "90s"}, "dedicatedEndpointEnabled": True}
    if path in ("network", "privateServiceConnectConfig"):
        given.pop("dedicatedEndpointEnabled")

    assert (await wire.check(URN, endpoint(**{**given, path: UNKNOWN}))).failures == {}


# --- Create and outputs ----------------------------------------------------------------------------------------------


async def test_outputs_of_a_dedicated_endpoint(stack: Stack) -> None:
    made = await stack.up(ENDPOINT, "r", endpoint(endpointId="mine", dedicatedEndpointEnabled=True))

    dns = f"https://mine.{LOCATION}-{NUMBER}.prediction.vertexai.goog"
    assert made.properties["dedicatedEndpointDns"] == dns
    assert made.properties["endpointId"] == "mine"
    assert made.properties["updateTime"] >= made.properties["createTime"] > ""


async def test_etag_is_never_in_the_state(stack: Stack) -> None:
    made = await stack.up(ENDPOINT, "r", DEDICATED)
    read = await stack.refresh(ENDPOINT, "r")

    assert read is not None
    assert "etag" not in {*made.properties, *made.inputs, *read.properties, *read.inputs}


async def test_preview_of_a_create_knows_the_id_and_not_the_host_name(wire: Wire) -> None:
    inputs = await wire.checked(URN, endpoint(endpointId="mine", dedicatedEndpointEnabled=True))

    shown = await wire.create(URN, inputs, preview=True)

    assert (shown.properties["endpointId"], shown.properties["dedicatedEndpointDns"]) == ("mine", UNKNOWN)


async def test_preview_of_an_update_does_not_promise_its_time(stack: Stack) -> None:
    made = await stack.up(ENDPOINT, "r", endpoint())
    inputs = await stack.wire.checked(URN, endpoint(description="text"), made)

    shown = await stack.wire.update(URN, made, inputs, preview=True)

    assert shown.properties["updateTime"] is UNKNOWN


async def test_adopted_endpoint_has_the_kind_that_is_asked_for(stack: Stack) -> None:
    """A state was lost, and the program asks for something else under the same id meanwhile."""
    await stack.up(ENDPOINT, "r", endpoint(endpointId="mine"))
    stack.states.clear()

    with pytest.raises(Exception, match="was made by this stack and has another network than these arguments ask for"):
        await stack.up(ENDPOINT, "r", endpoint(endpointId="mine", network=NETWORK))


async def test_key_is_the_same_by_its_projects_number(stack: Stack, emulator: Emulator) -> None:
    """An adopted endpoint may tell its key's project in the other way."""
    await stack.up(ENDPOINT, "r", endpoint(endpointId="mine", encryptionSpec={"kmsKeyName": KEY}))
    stack.states.clear()
    spelled = {"kmsKeyName": KEY.replace("p-1234", "1234")}

    assert (await stack.up(ENDPOINT, "r", endpoint(endpointId="mine", encryptionSpec=spelled))).id.endswith("/mine")


# --- Update ----------------------------------------------------------------------------------------------------------


async def test_timeout_changes_by_its_own_update_alone(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "r", DEDICATED)
    emulator.control.clear_calls()

    state = await stack.up(ENDPOINT, "r", changed(DEDICATED, {CONNECTION: {"inferenceTimeout": "90s"}}))

    assert methods(emulator) == ["UpdateEndpointLongRunning"]
    sent = requests(emulator, "UpdateEndpointLongRunning")[0]["endpoint"]
    assert sent == {"name": state.id, CONNECTION: {"inferenceTimeout": "90s"}}


async def test_timeout_that_is_taken_out_is_googles_again(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "r", changed(DEDICATED, {CONNECTION: {"inferenceTimeout": "90s"}}))

    await stack.up(ENDPOINT, "r", DEDICATED)

    found = live(emulator)
    assert found.get(CONNECTION, {}) == {}


async def test_all_else_changes_before_the_timeout(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "r", DEDICATED)
    emulator.control.clear_calls()

    await stack.up(
        ENDPOINT,
        "r",
        changed(DEDICATED, {CONNECTION: {"inferenceTimeout": "90s"}, "description": "t", LOGGING: LOGGED}),
    )

    assert methods(emulator) == ["UpdateEndpoint", "UpdateEndpointLongRunning"]
    assert requests(emulator, "UpdateEndpoint")[0]["updateMask"] == f"description,{LOGGING}"


async def test_update_sends_the_etag_that_was_read(stack: Stack, emulator: Emulator) -> None:
    """Without it an update overwrites what another hand wrote meanwhile."""
    await stack.up(ENDPOINT, "r", endpoint())
    emulator.control.clear_calls()

    await stack.up(ENDPOINT, "r", endpoint(description="text"))

    assert requests(emulator, "UpdateEndpoint")[0]["endpoint"]["etag"]


async def test_timeout_that_changes_is_waited_for_first(stack: Stack, emulator: Emulator) -> None:
    """A run was killed while the timeout changed; all else is refused until that is over."""
    state = await stack.up(ENDPOINT, "r", DEDICATED)
    emulator.control.hold("update_endpoint")
    begun = {"name": state.id, "client_connection_config": {"inference_timeout": {"seconds": 90}}}
    with google(emulator) as hand:
        hand.endpoints.update_endpoint_long_running(endpoint=begun)

    update = asyncio.create_task(stack.up(ENDPOINT, "r", changed(DEDICATED, {"description": "text"})))
    await arrived(emulator, "WaitOperation")
    emulator.control.release("update_endpoint")
    await update

    found = live(emulator)
    assert found["description"] == "text"


async def arrived(emulator: Emulator, method: str) -> None:
    """The plugin has come to this call."""
    async with asyncio.timeout(10):
        while not requests(emulator, method):  # noqa: ASYNC110 - the record is another thread's
            await asyncio.sleep(0.01)


async def test_timeout_that_began_to_change_meanwhile_is_waited_for(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "r", DEDICATED)
    emulator.control.fail("UpdateEndpoint", "FAILED_PRECONDITION", "An operation is running: x.", times=1)

    state = await stack.up(ENDPOINT, "r", changed(DEDICATED, {"description": "text"}))

    assert (state.failed, [call["code"] for call in calls(emulator, "UpdateEndpoint")][-2:]) == (
        (),
        ["FAILED_PRECONDITION", "OK"],
    )


def calls(emulator: Emulator, method: str) -> list[dict[str, Any]]:
    return [call for call in emulator.control.calls() if call["method"] == method]


async def test_timeout_whose_change_failed_is_changed_by_the_next_run(stack: Stack, emulator: Emulator) -> None:
    await stack.up(ENDPOINT, "r", DEDICATED)
    wanted = changed(DEDICATED, {CONNECTION: {"inferenceTimeout": "90s"}})
    emulator.control.fail_operation("update_endpoint", "INTERNAL", "broken")
    with pytest.raises(InitFailedError, match="broken"):
        await stack.up(ENDPOINT, "r", wanted)

    await stack.up(ENDPOINT, "r", wanted)

    found = live(emulator)
    assert found[CONNECTION] == {"inferenceTimeout": "90s"}


# --- drift -----------------------------------------------------------------------------------------------------------

HANDS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "timeout": (
        changed(DEDICATED, {CONNECTION: {"inferenceTimeout": "90s"}}),
        {"client_connection_config": {"inference_timeout": {"seconds": 60}}},
        [f"{CONNECTION}.inferenceTimeout"],
    ),
    "timeout that nobody gave": (
        DEDICATED,
        {"client_connection_config": {"inference_timeout": {"seconds": 60}}},
        [CONNECTION],
    ),
    "share of the log": (
        endpoint(**{LOGGING: LOGGED}),
        {"predict_request_response_logging_config": {"enabled": True, "sampling_rate": 0.5}},
        [f"{LOGGING}.bigqueryDestination.outputUri", f"{LOGGING}.samplingRate"],
    ),
    "log turned on": (
        endpoint(**{LOGGING: {"enabled": False}}),
        {"predict_request_response_logging_config": {"enabled": True, "sampling_rate": 0.5}},
        [f"{LOGGING}.enabled", f"{LOGGING}.samplingRate"],
    ),
    "log taken away": (
        endpoint(**{LOGGING: {"enabled": True, "samplingRate": 0.5}}),
        {"predict_request_response_logging_config": {}},
        [f"{LOGGING}.enabled", f"{LOGGING}.samplingRate"],
    ),
}
each_hand = pytest.mark.parametrize("hand", HANDS.values(), ids=HANDS)


@each_hand
async def test_what_another_hand_changed_is_a_diff(
    stack: Stack, emulator: Emulator, hand: tuple[dict[str, Any], dict[str, Any], list[str]]
) -> None:
    args, fields, paths = hand
    state = await stack.up(ENDPOINT, "r", args)
    by_hand(emulator, state.id, fields)
    found = await stack.refresh(ENDPOINT, "r")

    assert found is not None
    diff = await stack.wire.diff(URN, found, await stack.wire.checked(URN, args, found))
    assert sorted(diff.detailedDiff) == paths


@each_hand
async def test_what_another_hand_changed_is_put_right(
    stack: Stack, emulator: Emulator, hand: tuple[dict[str, Any], dict[str, Any], list[str]]
) -> None:
    args, fields, _ = hand
    state = await stack.up(ENDPOINT, "r", args)
    by_hand(emulator, state.id, fields)
    await stack.refresh(ENDPOINT, "r")

    await stack.up(ENDPOINT, "r", args)

    found = live(emulator)
    given = found.get(LOGGING, {}), found.get(CONNECTION, {})
    wanted = {k: v for k, v in args.get(LOGGING, {}).items() if v is not False}, args.get(CONNECTION, {})
    assert given == wanted


async def test_destination_that_google_filled_in_is_no_drift(stack: Stack, emulator: Emulator) -> None:
    args = endpoint(**{LOGGING: {"enabled": True, "samplingRate": 0.5}})
    state = await stack.up(ENDPOINT, "r", args)
    by_hand(emulator, state.id, {"predict_request_response_logging_config": filled("bq://p-1234.d.t")})

    assert (await stack.refresh(ENDPOINT, "r")).inputs == state.inputs  # pyright: ignore[reportOptionalMemberAccess]


async def test_destination_that_google_completed_is_no_drift(stack: Stack, emulator: Emulator) -> None:
    asked = {"enabled": True, "samplingRate": 0.5, "bigqueryDestination": {"outputUri": "bq://p-1234"}}
    state = await stack.up(ENDPOINT, "r", endpoint(**{LOGGING: asked}))
    by_hand(emulator, state.id, {"predict_request_response_logging_config": filled("bq://p-1234.d.t")})

    assert (await stack.refresh(ENDPOINT, "r")).inputs == state.inputs  # pyright: ignore[reportOptionalMemberAccess]


def filled(uri: str) -> dict[str, Any]:
    return {"enabled": True, "sampling_rate": 0.5, "bigquery_destination": {"output_uri": uri}}


# --- any arguments ---------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=20)
LABELS = st.dictionaries(st.from_regex(r"\A[a-s][a-z0-9_-]{0,9}\Z"), st.from_regex(r"\A[a-z0-9_-]{0,9}\Z"), max_size=3)
PROJECTS = st.sampled_from(["p-1234", "123", "example.com:project"])
URIS = st.sampled_from(["bq://p-1234", "bq://p-1234.d", "bq://p-1234.d.t"])
LOGS = st.fixed_dictionaries(
    {},
    optional={
        "enabled": st.booleans(),
        "samplingRate": st.floats(0.001, 1),
        "bigqueryDestination": st.fixed_dictionaries({"outputUri": URIS}),
    },
)
TIMEOUTS = st.fixed_dictionaries(
    {}, optional={"inferenceTimeout": st.sampled_from(["1s", "90s", "90.5s", "90.0s", "3600s"])}
)
ALLOWED = st.fixed_dictionaries(
    {"enablePrivateServiceConnect": st.just(True)}, optional={"projectAllowlist": st.lists(PROJECTS, max_size=2)}
)
COMMON: dict[Any, st.SearchStrategy[Any]] = {
    "description": st.one_of(st.just(""), TEXT),
    "labels": LABELS,
    "encryptionSpec": st.just({"kmsKeyName": KEY}),
    "endpointId": st.sampled_from(["mine", "7"]),
}
KINDS: list[dict[Any, st.SearchStrategy[Any]]] = [
    {LOGGING: LOGS},
    {LOGGING: LOGS, CONNECTION: TIMEOUTS, "dedicatedEndpointEnabled": st.just(True)},
    {LOGGING: LOGS, CONNECTION: TIMEOUTS, "privateServiceConnectConfig": ALLOWED},
    {"network": st.just(NETWORK)},
]
ALWAYS = ("dedicatedEndpointEnabled", "privateServiceConnectConfig", "network")


def arguments(kind: dict[Any, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    made = {key: value for key, value in kind.items() if key in ALWAYS}
    rest = {key: value for key, value in kind.items() if key not in ALWAYS}
    return st.fixed_dictionaries({"displayName": TEXT, **made}, optional={**COMMON, **rest})


ARGUMENTS = st.one_of(*map(arguments, KINDS))


@settings(
    max_examples=30,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(first=ARGUMENTS, second=ARGUMENTS)
def test_any_arguments_arrive_and_are_read_back(
    running_emulator: Emulator, first: dict[str, Any], second: dict[str, Any]
) -> None:
    """After a create, and after a change to any other arguments, in place or by another endpoint."""
    running_emulator.control.reset()

    made, left = asyncio.run(through(running_emulator, first, {**second, "allowReplace": True}))

    assert (made, left) == (plain(first), (plain(second), [], []))


async def through(emulator: Emulator, first: dict[str, Any], second: dict[str, Any]) -> tuple[Any, Any]:
    """What was made of the first arguments; of the second what is there, and what a Read then finds to change."""
    async with plugin() as wire:
        await wire.configure(**conftest.settings(emulator))
        stack = Stack(wire)
        state = await stack.up(ENDPOINT, "r", first)
        made = plain(requests(emulator, "CreateEndpoint")[0]["endpoint"])
        one = await differences(stack, first)
        state = await stack.up(ENDPOINT, "r", second)
        found = live(emulator)
        assert found["name"].rsplit("/", 1)[-1] == state.properties["endpointId"]
        if "bigqueryDestination" not in second.get(LOGGING, {}):  # left out: Google's own, or what it was
            found.get(LOGGING, {}).pop("bigqueryDestination", None)
        return made, (plain(found), one, await differences(stack, second))


async def differences(stack: Stack, args: dict[str, Any]) -> list[str]:
    read = await stack.refresh(ENDPOINT, "r")
    assert read is not None
    diff = await stack.wire.diff(URN, read, await stack.wire.checked(URN, args, read))
    return list(diff.detailedDiff)


SENT = ("displayName", "description", "encryptionSpec", LOGGING, CONNECTION, *ALWAYS)


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """What an endpoint is, without defaults, ids and labels of the provider, and with one spelling of seconds."""
    shown = {key: fields[key] for key in SENT if fields.get(key)}
    labels = {key: value for key, value in fields.get("labels", {}).items() if not key.startswith("tpuserve-")}
    if timeout := fields.get(CONNECTION, {}).get("inferenceTimeout"):
        shown[CONNECTION] = {"inferenceTimeout": float(timeout.removesuffix("s"))}
    shown = {key: said(value) for key, value in shown.items()}
    return {"labels": labels} | {key: value for key, value in shown.items() if value}


def said(value: Any) -> Any:
    """Less the defaults in it, which the wire does not carry."""
    return {key: item for key, item in value.items() if item} if isinstance(value, dict) else value
