"""Every way from one state of a queued resource to another, gone on the emulator."""

import pytest

from tests.emulator.google import ZONE, Google
from tpuserve.emulator.tpu.tables import TRANSITIONS

EDGES = [(before, after) for before, ways in TRANSITIONS.items() for after in ways]
# what has to be held for a request to stay in a state
HELD = {
    "CREATING": "create_queued_resource",
    "WAITING_FOR_RESOURCES": "qr_waiting",
    "ACCEPTED": "qr_waiting",
    "PROVISIONING": "qr_provisioning",
    "SUSPENDING": "qr_suspending",
    "DELETING": "delete_queued_resource",
}
POOL = f"{ZONE}/queuedResources/pool"


def until(cloud: Google, state: str) -> None:
    for _ in range(3000):
        if cloud.state() == state:
            return
    pytest.fail(f"never became {state}, is {cloud.state()}")


def stay(cloud: Google, state: str) -> None:
    """A request that is in that state and stays there."""
    if state == "ACCEPTED":
        cloud.control.set("waiting_state", "ACCEPTED")
    if state == "FAILED":
        cloud.control.fail_operation("qr_provisioning", "INTERNAL")
    if state in HELD:
        cloud.control.hold(HELD[state])
    cloud.begin_request()
    if state in {"SUSPENDING", "SUSPENDED"}:
        until(cloud, "ACTIVE")
        cloud.control.preempt("pool")
    until(cloud, state)


def go(cloud: Google, before: str, after: str) -> None:
    if after == "ACCEPTED":
        cloud.control.set("waiting_state", "ACCEPTED")
    if after in HELD and HELD[after] != HELD.get(before):
        cloud.control.hold(HELD[after])
    if after == "FAILED":
        cloud.control.fail_operation(HELD[before], "INTERNAL")
    if after == "DELETING":
        cloud.tpu.delete_queued_resource(request={"name": POOL, "force": True})
    elif after == "SUSPENDING":
        cloud.control.preempt("pool")
    else:
        cloud.control.release(HELD[before])


@pytest.mark.parametrize(("before", "after"), EDGES)
def test_a_request_goes_from_each_state_to_each_that_follows(cloud: Google, before: str, after: str) -> None:
    stay(cloud, before)
    go(cloud, before, after)
    until(cloud, after)

    assert cloud.state() == after
