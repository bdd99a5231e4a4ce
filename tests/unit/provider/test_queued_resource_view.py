"""A queued resource in outputs and in words, without Google."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud import tpu_v2alpha1

from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.google import METHODS
from tpuserve.provider.ownership import Identity
from tpuserve.provider.queued_resource import view

IDENTITY = Identity("a" * 20, "urn")
INPUTS = programs.collection(project="tpuserve-local", zone="us-east5-b")
NODE, MANY = "tpu.nodeSpec.0.node.", "tpu.nodeSpec.0.multiNodeParams."
STATES = {state.name for state in tpu_v2alpha1.QueuedResourceState.State} - {"STATE_UNSPECIFIED"}


def live(**state: Any) -> dict[str, Any]:
    return {"name": "n", "state": state}


def test_every_state_of_google_is_on_the_way_or_an_end_or_a_deletion() -> None:
    assert {*view.PLACES, *view.ENDED, "DELETING"} == STATES


@pytest.mark.parametrize("state", sorted(view.ENDED))
def test_every_end_says_what_it_holds(state: str) -> None:
    assert "it holds quota for 24 chips of v6e (3 slices of v6e-8) in us-east5-b" in view.ended(
        live(state=state), INPUTS
    )


def test_suspension_by_a_user_is_told_so() -> None:
    said = view.ended(live(state="SUSPENDED", stateInitiator="USER"), INPUTS)

    assert said.startswith("the queued resource was suspended by a user (stateInitiator USER): its slices are deleted")


def test_suspension_that_will_be_replaced_says_that() -> None:
    said = view.ended(live(state="SUSPENDED"), {**INPUTS, "onSuspended": "REPLACE"})

    assert said.endswith("the next `pulumi up` deletes it and asks again (onSuspended: REPLACE)")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "24 chips of v6e (3 slices of v6e-8) in us-east5-b"),
        ({f"{NODE}acceleratorType": "v6e-1", MANY[:-1]: None}, "1 chip of v6e (1 slice of v6e-1) in us-east5-b"),
        (
            {f"{NODE}acceleratorType": None, f"{NODE}acceleratorConfig": {"type": "V6E", "topology": "4x4"}},
            "48 chips of v6e (3 slices of v6e-16) in us-east5-b",
        ),
        ({f"{NODE}acceleratorType": "v9-8"}, "3 slices in us-east5-b"),
        ({f"{MANY}nodeCount": UNKNOWN}, "8 chips of v6e (1 slice of v6e-8) in us-east5-b"),
        ({"tpu": UNKNOWN}, "1 slice in us-east5-b"),
    ],
)
def test_what_a_request_holds(changes: dict[str, Any], said: str) -> None:
    assert view.chips_of(changed(INPUTS, changes), "us-east5-b") == said


@pytest.mark.parametrize(
    ("network", "host"),
    [
        ({"network": "projects/host-project/global/networks/n"}, "host-project"),
        ({"subnetwork": "https://www.googleapis.com/compute/v1/projects/h-1/regions/r-1/subnetworks/s"}, "h-1"),
        ({"network": "projects/tpuserve-local/global/networks/n"}, ""),
        ({"network": "default"}, ""),
        ({"network": "global/networks/default"}, ""),
    ],
)
def test_whose_shared_vpc_it_is(network: dict[str, str], host: str) -> None:
    said = view.shared_vpc(changed(INPUTS, {f"{NODE}networkConfig": network}))

    assert said == (
        f"; the Shared VPC of {host} needs roles/tpu.xpnAgent in that project for the TPU service agent" if host else ""
    )


def test_maintenance_is_absent_where_there_is_none() -> None:
    [node] = view.outputs(live(state="ACTIVE"), [{"name": "n", "state": "READY"}], IDENTITY)["nodes"]

    assert "upcomingMaintenance" not in node


def test_maintenance_that_is_announced() -> None:
    told = {"type": "SCHEDULED", "maintenanceStatus": "PENDING", "canReschedule": True, "windowEndTime": "2026"}

    [node] = view.outputs(live(state="ACTIVE"), [{"name": "n", "upcomingMaintenance": told}], IDENTITY)["nodes"]

    assert node["upcomingMaintenance"] == told


def test_code_of_a_failure_is_told_by_its_name() -> None:
    error = {"code": 8, "message": "There is no more capacity in the zone"}

    state = view.outputs(live(state="FAILED", failedData={"error": error}), [], IDENTITY)["state"]

    assert state["failedData"]["error"]["code"] == "RESOURCE_EXHAUSTED"


def test_a_request_is_never_reset() -> None:
    """What a reset does to a collection is not documented."""
    assert [name for name in METHODS if name.startswith("Reset")] == []


def test_what_only_a_rest_client_could_send_is_in_no_message() -> None:
    """Flex-start: the reason of its refusal goes away with the first client that knows the fields."""
    fields = {field.name for field in tpu_v2alpha1.QueuedResource.pb().DESCRIPTOR.fields}

    assert fields & {"provisioning_model", "run_duration"} == set()
