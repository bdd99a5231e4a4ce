"""Any arguments that Check accepts arrive at Google as they were given, and what is read back shows no difference."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.cloud import tpu_v2alpha1
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.wire import conftest
from tests.wire.harness import State, plugin
from tests.wire.programs import OWNER, QUEUED_RESOURCE, ZONE, ZONE_PATH, collection
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

URN = urn_of(QUEUED_RESOURCE, "r")
NAME = st.from_regex(r"[a-z]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
WORD = st.from_regex(r"[a-z][a-z0-9_-]{0,10}", fullmatch=True)
TAG = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
ACCOUNT = st.builds("{}@p.iam.gserviceaccount.com".format, TAG)
DURATION = st.builds("{}s".format, st.integers(1, 10**6)) | st.builds("{}.5s".format, st.integers(1, 10**6))
# Later than any run of this test: a request whose time has passed fails.
YEARS = st.integers(2100, 2200)
TIME = st.builds("{}-03-01T08:30:00{}".format, YEARS, st.sampled_from(["Z", ".25Z", "+02:00", "-11:30"]))
INTERVAL = st.one_of(
    st.builds(lambda start: {"startTime": f"{start}-01-01T00:00:00Z"}, YEARS),
    st.builds(lambda end: {"endTime": f"{end}-01-01T00:00:00Z"}, YEARS),
    st.builds(
        lambda start, more: {"startTime": f"{start}-01-01T00:00:00Z", "endTime": f"{start + more}-01-01T00:00:00Z"},
        YEARS,
        st.integers(1, 9),
    ),
)
POLICIES = st.one_of(
    st.fixed_dictionaries({"validUntilDuration": DURATION}),
    st.fixed_dictionaries({"validUntilTime": TIME}),
    st.fixed_dictionaries({"validAfterDuration": DURATION}),
    st.fixed_dictionaries({"validAfterTime": TIME}),
    st.fixed_dictionaries({"validInterval": INTERVAL}),
)
RESERVATIONS = st.builds(f"projects/p/locations/{ZONE}/reservations/{{}}".format, NAME | st.just("-"))
# The tier, and scheduling options that agree with it.
TIERS = st.sampled_from(
    [
        ({}, {}),
        ({"spot": {}}, {"spot": True}),
        ({"spot": {}}, {}),
        ({"bestEffort": {}}, {"preemptible": True}),
        ({"guaranteed": {}}, {}),
        ({"guaranteed": {"reserved": True, "minDuration": "3600s"}}, {"reserved": True}),
    ]
)
SLICES = st.sampled_from(
    [
        {"acceleratorType": "v6e-8"},
        {"acceleratorType": "v6e-16"},
        {"acceleratorConfig": {"type": "V6E", "topology": "2x2"}},
        {"acceleratorConfig": {"type": "V6E", "topology": "4x4"}},
    ]
)
COUNTS = st.one_of(
    st.builds(lambda name: {"nodeId": name}, NAME),
    st.builds(
        lambda count, more: {"multiNodeParams": {"nodeCount": count, **more}},
        st.integers(2, 4),
        st.fixed_dictionaries(
            {},
            optional={
                "nodeIdPrefix": NAME,
                "workloadType": st.sampled_from(["AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED"]),
            },
        ),
    ),
)
MORE = st.fixed_dictionaries(
    {},
    optional={
        "description": st.text(min_size=1, max_size=20),
        "networkConfig": st.fixed_dictionaries(
            {},
            optional={
                "network": st.one_of(NAME, st.builds("projects/host-project/global/networks/{}".format, NAME)),
                "subnetwork": st.builds("projects/host-project/regions/us-east5/subnetworks/{}".format, NAME),
                "enableExternalIps": st.booleans(),
                "canIpForward": st.booleans(),
                "queueCount": st.integers(1, 16),
            },
        ),
        "serviceAccount": st.fixed_dictionaries({"email": ACCOUNT}, optional={"scope": st.lists(WORD, max_size=2)}),
        "labels": st.dictionaries(WORD, WORD, max_size=3),
        "metadata": st.dictionaries(WORD, st.text(max_size=20), max_size=3),
        "tags": st.lists(TAG, max_size=3),
        "dataDisks": st.lists(
            st.builds(lambda name: {"sourceDisk": f"projects/p/zones/{ZONE}/disks/{name}", "mode": "READ_ONLY"}, NAME),
            max_size=2,
        ),
        "bootDiskConfig": st.fixed_dictionaries(
            {},
            optional={
                "customerEncryptionKey": st.builds(
                    lambda name: {"kmsKeyName": f"projects/p/locations/us-east5/keyRings/r/cryptoKeys/{name}"}, NAME
                ),
                "enableConfidentialCompute": st.booleans(),
            },
        ),
        "shieldedInstanceConfig": st.fixed_dictionaries({"enableSecureBoot": st.booleans()}),
    },
)


@st.composite
def arguments(draw: st.DrawFn) -> dict[str, Any]:
    tier, scheduling = draw(TIERS)
    node = {"runtimeVersion": "v2-alpha-tpuv6e", **draw(SLICES), **draw(MORE)}
    if scheduling or draw(st.booleans()):
        node["schedulingConfig"] = scheduling
    args = {"tpu": {"nodeSpec": [{**draw(COUNTS), "node": node}]}, **tier}
    for name, value in (
        ("queueingPolicy", POLICIES),
        ("reservationName", RESERVATIONS),
    ):
        if draw(st.booleans()):
            args[name] = draw(value)
    return args


def message(request: dict[str, Any]) -> Any:
    """A request as Google's own message: two that are equal mean the same."""
    return json_format.ParseDict(request, tpu_v2alpha1.QueuedResource.pb()())


def sent(emulator: Emulator) -> Any:
    """The request as it arrived, less what is the provider's to add."""
    [call] = [call for call in emulator.control.calls() if call["method"] == "CreateQueuedResource"]
    request = call["request"]["queuedResource"]
    [spec] = request["tpu"]["nodeSpec"]
    assert spec.pop("parent") == ZONE_PATH
    assert spec["node"]["labels"].pop("tpuserve-owner") == OWNER
    assert spec["node"]["labels"].pop("tpuserve-origin")
    return message(request)


async def differences(stack: Stack, state: State, args: dict[str, Any]) -> list[str]:
    inputs = await stack.wire.checked(URN, args, state)
    return sorted((await stack.wire.diff(URN, state, inputs)).detailedDiff)


async def lived(emulator: Emulator, args: dict[str, Any]) -> tuple[Any, list[list[str]]]:
    """The request that arrived; the differences after a refresh, and after an import into another stack."""
    wanted = {**args, "waitFor": "WAITING_FOR_RESOURCES"}
    async with plugin() as wire:
        await wire.configure(**conftest.settings(emulator))
        stack = Stack(wire)
        made = await stack.up(QUEUED_RESOURCE, "r", wanted)
        refreshed = await stack.refresh(QUEUED_RESOURCE, "r")
        imported = await wire.read(URN, made.id)
        assert refreshed
        assert imported
        found = [await differences(stack, refreshed, wanted), await differences(stack, imported, wanted)]
        return sent(emulator), found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(args=arguments())
def test_accepted_arguments_arrive_and_show_no_difference(emulator: Emulator, args: dict[str, Any]) -> None:
    emulator.control.reset()
    emulator.control.hold("qr_waiting")

    arrived, (refreshed, imported) = asyncio.run(lived(emulator, args))

    assert arrived == message(args)
    assert refreshed == []
    assert [path for path in imported if path != "waitFor"] == []


@pytest.mark.parametrize("tier", ["spot", "guaranteed", "bestEffort"])
async def test_import_keeps_the_tier(stack: Stack, tier: str) -> None:
    """An empty message says what is asked for by being there."""
    made = await stack.up(QUEUED_RESOURCE, "r", collection(**{tier: {}}))

    found = await stack.wire.read(URN, made.id)

    assert found
    assert found.inputs[tier] == {}


async def test_request_that_was_made_in_another_spelling_is_taken_over(stack: Stack, emulator: Emulator) -> None:
    """After a kill nothing but Google's answer is there, in Google's own spelling."""
    emulator.control.hold("qr_waiting")
    wanted = collection(
        waitFor="WAITING_FOR_RESOURCES",
        queueingPolicy={"validUntilTime": "2100-01-01T01:00:00+01:00"},
        **{"tpu.nodeSpec.0.node.networkConfig": {"network": "projects/host-project/global/networks/n"}},
    )
    first = await stack.up(QUEUED_RESOURCE, "r", wanted)
    del stack.states[URN]

    again = await stack.up(QUEUED_RESOURCE, "r", wanted)

    assert (again.id, len(emulator.control.objects()["queuedResources"])) == (first.id, 1)


async def test_request_that_asks_for_something_else_is_not_taken_over(stack: Stack, emulator: Emulator) -> None:
    named = {"queuedResourceId": "mine"}
    await stack.up(QUEUED_RESOURCE, "r", collection(**named))
    del stack.states[URN]

    with pytest.raises(Exception, match="asks for something else than these arguments do"):
        await stack.up(QUEUED_RESOURCE, "r", collection(**named, **{"tpu.nodeSpec.0.node.tags": ["a"]}))
