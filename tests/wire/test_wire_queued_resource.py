"""A queued resource from its request to its end: what it waits for, how it fails, what it holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from pulumi.runtime.proto import plugin_pb2

from tests.emulator.google import Google
from tests.wire import programs
from tests.wire.conftest import settings
from tests.wire.harness import InitFailedError, State, WireError, plugin
from tests.wire.processes import Screen, screen
from tests.wire.programs import QUEUED_RESOURCE, collection
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

URN = urn_of(QUEUED_RESOURCE, "r")
SPEC, NODE = "tpu.nodeSpec.0.", "tpu.nodeSpec.0.node."
ALONE = {f"{SPEC}multiNodeParams": None, f"{SPEC}nodeId": "alone"}
SHARED = {f"{NODE}networkConfig": {"network": "projects/host-project/global/networks/shared"}}
HELD = "24 chips of v6e (3 slices of v6e-8) in us-east5-b"


@pytest.fixture
def hand(emulator: Emulator) -> Iterator[Google]:
    """Another hand: Google's own clients."""
    clients = Google(emulator.address, emulator.control)
    with clients.channel:
        yield clients


@pytest_asyncio.fixture
async def shown(emulator: Emulator) -> AsyncIterator[tuple[Stack, Screen]]:
    """A stack whose lines on the screen are seen."""
    async with screen() as (lines, address), plugin() as wire:
        await wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        await wire.configure(**settings(emulator))
        yield Stack(wire), lines


async def up(stack: Stack, **changes: Any) -> State:
    return await stack.up(QUEUED_RESOURCE, "r", collection(**changes))


async def failed(stack: Stack, **changes: Any) -> State:
    """An update that fails half way; what it leaves in the state."""
    with pytest.raises(InitFailedError) as error:
        await up(stack, **changes)
    return error.value.state


async def suspended(stack: Stack, emulator: Emulator, **changes: Any) -> State:
    """A collection that Google took away, as the state knows it after a refresh."""
    made = await up(stack, **changes)
    emulator.control.preempt(made.properties["name"])
    return await until_suspended(stack)


async def until_suspended(stack: Stack) -> State:
    for _ in range(500):
        found = await stack.refresh(QUEUED_RESOURCE, "r")
        if found and found.properties["state"]["state"] == "SUSPENDED":
            return found
    pytest.fail("it never became SUSPENDED")


def asked(emulator: Emulator) -> list[dict[str, Any]]:
    """The requests that were asked for, as they arrived."""
    calls = emulator.control.calls()
    return [call["request"]["queuedResource"] for call in calls if call["method"] == "CreateQueuedResource"]


# --- the wait ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", ["ACCEPTED", "ACTIVE"])
async def test_end_of_the_operation_says_nothing_of_the_slices(stack: Stack, emulator: Emulator, ends: str) -> None:
    """No source says when the operation of the creation ends: the request's own state is what counts."""
    emulator.control.set("queued_resource_operation_ends", ends)

    state = await up(stack)

    assert state.properties["state"]["state"] == "ACTIVE"


@pytest.mark.parametrize("waiting", ["WAITING_FOR_RESOURCES", "ACCEPTED"])
async def test_request_that_waits_is_enough_where_that_is_what_was_wanted(
    stack: Stack, emulator: Emulator, waiting: str
) -> None:
    """ACCEPTED is the older name of WAITING_FOR_RESOURCES."""
    emulator.control.set("waiting_state", waiting)
    emulator.control.hold("qr_waiting")

    state = await up(stack, waitFor="WAITING_FOR_RESOURCES")

    assert (state.properties["state"]["state"], state.properties["nodes"]) == (waiting, [])


async def test_provisioning_is_enough_where_that_is_what_was_wanted(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_provisioning")

    state = await up(stack, waitFor="PROVISIONING")

    assert [node["state"] for node in state.properties["nodes"]] == ["CREATING"] * 3


async def test_wait_that_takes_too_long_leaves_the_request_in_the_queue(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    inputs = await stack.wire.checked(URN, collection())

    with pytest.raises(InitFailedError, match="at WAITING_FOR_RESOURCES, 0 of 3 slices ready, the time it was given"):
        await stack.wire.create(URN, inputs, seconds=0.5)

    assert [item["state"] for item in emulator.control.objects()["queuedResources"]] == ["WAITING_FOR_RESOURCES"]


async def test_next_run_goes_on_waiting_for_the_same_request(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")
    inputs = await stack.wire.checked(URN, collection())
    with pytest.raises(InitFailedError) as late:
        await stack.wire.create(URN, inputs, seconds=0.5)
    stack.states[URN] = late.value.state
    emulator.control.release("qr_waiting")

    state = await up(stack)

    assert (stack.steps, state.properties["state"]["state"], len(asked(emulator))) == (["update"], "ACTIVE", 1)


async def test_request_that_was_left_waiting_is_waited_for_once_more_is_wanted(
    stack: Stack, emulator: Emulator
) -> None:
    emulator.control.hold("qr_waiting")
    await up(stack, waitFor="WAITING_FOR_RESOURCES")
    emulator.control.release("qr_waiting")

    state = await up(stack)

    assert (stack.steps, state.properties["state"]["state"]) == (["create", "update"], "ACTIVE")


async def test_slices_are_not_listed_while_there_are_none(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_waiting")

    await up(stack, waitFor="WAITING_FOR_RESOURCES")

    assert "ListNodes" not in [call["method"] for call in emulator.control.calls()]


# --- what Google kept --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelled", ["AVAILABILITY_OPTIMIZED", "AVAILABILITY-OPTIMIZED", "availability-optimized"])
async def test_workload_type_is_sent_as_the_enum_however_it_is_spelled(
    stack: Stack, emulator: Emulator, spelled: str
) -> None:
    await up(stack, **{f"{SPEC}multiNodeParams.workloadType": spelled})

    [request] = asked(emulator)
    assert request["tpu"]["nodeSpec"][0]["multiNodeParams"]["workloadType"] == "AVAILABILITY_OPTIMIZED"


async def test_workload_type_that_google_did_not_keep_is_an_error_with_what_to_do(
    stack: Stack, emulator: Emulator
) -> None:
    emulator.control.set("keeps_workload_type", False)

    state = await failed(stack)

    assert state.id
    assert state.failed[0].startswith(
        "tpu.nodeSpec[0].multiNodeParams.workloadType: asked for AVAILABILITY_OPTIMIZED, and Google kept none: the "
        "slices are no collection"
    )
    assert "another `recreate`" in state.failed[0]


async def test_lost_workload_type_stays_an_error_until_it_is_asked_for_again(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("keeps_workload_type", False)
    await failed(stack)
    emulator.control.set("keeps_workload_type", True)
    await failed(stack)

    state = await up(stack, recreate="2")

    assert state.properties["state"]["state"] == "ACTIVE"


async def test_workload_type_that_nobody_asked_for_is_not_missed(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("keeps_workload_type", False)

    state = await up(stack, **{f"{SPEC}multiNodeParams.workloadType": None})

    assert state.properties["state"]["state"] == "ACTIVE"


async def test_no_external_address_is_asked_for_unless_it_is_wanted(stack: Stack, emulator: Emulator) -> None:
    """gcloud asks for one unless it is told not to; the API's own default is none."""
    state = await up(stack, **{f"{NODE}networkConfig": {"network": "n"}})

    addresses = [endpoint for node in state.properties["nodes"] for endpoint in node["networkEndpoints"]]
    assert [address for address in addresses if "externalIp" in address] == []
    assert asked(emulator)[0]["tpu"]["nodeSpec"][0]["node"]["networkConfig"] == {"network": "n"}


async def test_external_address_is_an_output_where_it_was_wanted(stack: Stack, emulator: Emulator) -> None:
    state = await up(stack, **{f"{NODE}networkConfig": {"enableExternalIps": True}})

    assert all(node["networkEndpoints"][0]["externalIp"] for node in state.properties["nodes"])


async def test_slices_are_named_after_the_request_where_no_prefix_is_given(stack: Stack, emulator: Emulator) -> None:
    """So that two requests never fight for a name."""
    state = await up(stack)

    names = [node["name"].rsplit("/", 1)[-1] for node in state.properties["nodes"]]
    assert names == [f"{state.inputs['queuedResourceId']}-{number}" for number in range(3)]


async def test_maintenance_of_a_slice_is_an_output(stack: Stack, emulator: Emulator) -> None:
    made = await up(stack)
    emulator.control.hold("maintenance")
    emulator.control.maintain(made.properties["name"])
    found = made
    while not any("upcomingMaintenance" in node for node in found.properties["nodes"]):
        found = await stack.refresh(QUEUED_RESOURCE, "r") or made

    (slice_,) = [node for node in found.properties["nodes"] if "upcomingMaintenance" in node]
    told = slice_["upcomingMaintenance"]
    assert (slice_["health"], told["type"], told["maintenanceStatus"], "windowStartTime" in told) == (
        "UNHEALTHY_MAINTENANCE",
        "SCHEDULED",
        "ONGOING",
        True,
    )


# --- the end -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        ("RESOURCE_EXHAUSTED", "There is no more capacity in the zone", "Cause: capacity"),
        ("RESOURCE_EXHAUSTED", "Quota 'TPUV6EPerProjectPerZoneForTPUAPI' exhausted", "Cause: quota"),
        ("INTERNAL", "the slices did not come up", "it holds quota"),
    ],
)
async def test_failure_is_told_in_googles_words_with_its_cause(
    stack: Stack, emulator: Emulator, code: str, said: str, words: str
) -> None:
    emulator.control.fail_operation("qr_provisioning", code, said)

    state = await failed(stack)

    assert state.failed[0].startswith(f"the queued resource failed: {said} ({code})")
    assert words in state.failed[0]
    assert state.properties["state"]["failedData"] == {"error": {"code": code, "message": said}}


async def test_failure_says_what_it_holds_and_what_the_next_run_does(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail_operation("qr_waiting", "INTERNAL", "no")

    state = await failed(stack)

    assert state.failed[0].endswith(
        f"it holds quota for {HELD} until it is deleted: the next `pulumi up` deletes it and asks again"
    )


async def test_request_that_ran_out_of_time_names_its_policy(stack: Stack, emulator: Emulator) -> None:
    emulator.control.delay("qr_waiting", 60)

    state = await failed(stack, queueingPolicy={"validUntilDuration": "0.001s"})

    assert "give queueingPolicy.validUntilDuration a later end" in state.failed[0]
    assert [item["state"] for item in emulator.control.objects()["queuedResources"]] == ["FAILED"], "it stays"


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({"validUntilTime": "2026-01-01T00:00:00Z"}, "validUntilTime"),
        ({"validInterval": {"endTime": "2026-01-01T00:00:00Z"}}, "validInterval.endTime"),
    ],
)
async def test_time_that_has_passed_is_refused_before_anything_is_asked(
    stack: Stack, emulator: Emulator, policy: dict[str, Any], path: str
) -> None:
    with pytest.raises(WireError, match=f"queueingPolicy.{path}: 2026-01-01T00:00:00Z has passed"):
        await up(stack, queueingPolicy=policy)

    assert asked(emulator) == []


async def test_time_that_has_passed_since_is_no_fault_of_what_runs(stack: Stack, emulator: Emulator) -> None:
    policy = {"validUntilTime": "2100-01-01T00:00:00Z"}
    await up(stack, queueingPolicy=policy)
    passed = {"validUntilTime": "2026-01-01T00:00:00Z"}
    state = stack.states[URN]
    state.inputs["queueingPolicy"] = state.properties["queueingPolicy"] = passed

    await up(stack, queueingPolicy=passed, waitFor="PROVISIONING")

    assert stack.steps == ["create", "update"]


async def test_request_that_is_not_seen_at_once_is_waited_for(stack: Stack, emulator: Emulator) -> None:
    """A read may come before what was just written is to be read."""
    emulator.control.fail("GetQueuedResource", "NOT_FOUND", "not yet", times=3, skip=1)

    state = await up(stack)

    assert (state.properties["state"]["state"], len(asked(emulator))) == ("ACTIVE", 1)


async def test_suspension_in_mid_wait_tells_who_did_it_and_what_to_do(stack: Stack, emulator: Emulator) -> None:
    await suspended(stack, emulator)
    stack.states[URN].failed = ("half way",)

    state = await failed(stack)

    assert state.failed[0].startswith(
        "the queued resource was suspended by Google (stateInitiator SERVICE): its slices are deleted, and it does not "
        "queue again"
    )
    assert "onSuspended: REPLACE lets the next `pulumi up` delete it and ask again" in state.failed[0]


async def test_slice_that_was_deleted_by_hand_is_a_suspension_by_a_user(
    stack: Stack, emulator: Emulator, hand: Google
) -> None:
    await up(stack, **ALONE)
    hand.wait(hand.tpu.delete_node(name=f"{programs.ZONE_PATH}/nodes/alone"))

    found = await until_suspended(stack)

    assert found.properties["state"]["stateInitiator"] == "USER"


@pytest.mark.parametrize("suspends", [True, False])
async def test_dead_request_is_removed_with_force(stack: Stack, emulator: Emulator, suspends: bool) -> None:
    if suspends:
        await suspended(stack, emulator)
    else:
        emulator.control.fail_operation("qr_waiting", "INTERNAL", "no")
        await failed(stack)
    emulator.control.clear_calls()

    await stack.remove(QUEUED_RESOURCE, "r")

    [call] = emulator.control.calls(mutating_only=True)
    assert (call["method"], call["request"]["force"]) == ("DeleteQueuedResource", True)
    assert emulator.control.objects()["queuedResources"] == []


async def test_active_request_is_removed_with_its_slices(stack: Stack, emulator: Emulator) -> None:
    await up(stack)

    await stack.remove(QUEUED_RESOURCE, "r")

    assert (emulator.control.objects()["queuedResources"], emulator.control.objects()["nodes"]) == ([], [])


async def test_refused_shared_vpc_names_the_role_that_it_needs(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("CreateQueuedResource", "PERMISSION_DENIED", "no")

    with pytest.raises(WireError, match=r"the Shared VPC of host-project needs roles/tpu.xpnAgent in that project"):
        await up(stack, **SHARED)


async def test_refusal_of_another_kind_names_no_role(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("CreateQueuedResource", "INVALID_ARGUMENT", "no")

    with pytest.raises(WireError) as error:
        await up(stack, **SHARED)

    assert "Shared VPC" not in str(error.value)


async def test_request_that_the_first_look_missed_is_taken_over(stack: Stack, emulator: Emulator) -> None:
    """Reads may be behind, and the state was lost."""
    first = await up(stack)
    stack.states.clear()
    emulator.control.fail("GetQueuedResource", "NOT_FOUND", "not seen yet")

    assert (await up(stack)).id == first.id


async def test_refusal_without_a_shared_vpc_speaks_of_none(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("CreateQueuedResource", "PERMISSION_DENIED", "no")

    with pytest.raises(WireError) as error:
        await up(stack)

    assert "Shared VPC" not in str(error.value)


# --- what a preview says -----------------------------------------------------------------------------------------


async def preview(stack: Stack, screen: Screen, **changes: Any) -> list[tuple[str, bool]]:
    """The lines that Diff shows, each with whether it goes away again."""
    old = stack.states[URN]
    inputs = await stack.wire.checked(URN, collection(**changes), old)
    screen.lines.clear()
    await stack.wire.diff(URN, old, inputs)
    return screen.lines


async def test_preview_says_that_a_suspended_request_holds_quota(
    shown: tuple[Stack, Screen], emulator: Emulator
) -> None:
    await suspended(shown[0], emulator)

    [(line, goes_away)] = await preview(*shown)

    assert not goes_away
    assert line == (
        f"SUSPENDED by Google (stateInitiator SERVICE). It holds quota for {HELD} until it is deleted: it is kept "
        "(onSuspended: KEEP); REPLACE asks again, `pulumi destroy` gives the quota back"
    )


async def test_preview_says_that_a_suspended_request_will_be_deleted(
    shown: tuple[Stack, Screen], emulator: Emulator
) -> None:
    await suspended(shown[0], emulator, onSuspended="REPLACE")

    [(line, _)] = await preview(*shown, onSuspended="REPLACE")

    assert line.endswith(f"{HELD} until it is deleted, which this update does before it asks again")


async def test_preview_says_why_a_request_failed_and_what_it_holds(
    shown: tuple[Stack, Screen], emulator: Emulator
) -> None:
    emulator.control.fail_operation("qr_waiting", "RESOURCE_EXHAUSTED", "no more capacity")
    await failed(shown[0])

    [(line, _)] = await preview(*shown)

    assert line.startswith(f"FAILED: no more capacity (RESOURCE_EXHAUSTED). It holds quota for {HELD}")


async def test_preview_of_a_live_request_says_nothing(shown: tuple[Stack, Screen]) -> None:
    await up(shown[0])

    assert await preview(*shown) == []


async def test_preview_of_a_replacement_names_the_argument_and_the_chips(shown: tuple[Stack, Screen]) -> None:
    await up(shown[0])

    assert await preview(*shown, **{f"{SPEC}multiNodeParams.nodeCount": 2}) == [
        (
            f"gives up {HELD} for tpu.nodeSpec[0].multiNodeParams.nodeCount, deleted when the new ones are there",
            True,
        )
    ]


async def test_preview_of_a_replacement_that_shares_a_name_says_the_order(shown: tuple[Stack, Screen]) -> None:
    await up(shown[0], queuedResourceId="mine")

    [(line, _)] = await preview(*shown, queuedResourceId="mine", **{f"{NODE}tags": ["a"]})

    assert line == (
        f"gives up {HELD} for tpu.nodeSpec[0].node.tags, deleted before the new ones are asked for: they share a name"
    )
