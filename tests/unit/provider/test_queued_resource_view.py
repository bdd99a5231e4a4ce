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
from tpuserve.resources.fields import over_rest
from tpuserve.resources.queued_resource import DEFINITION

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


def test_what_goes_over_rest_is_what_no_message_has() -> None:
    fields = {field.json_name for field in tpu_v2alpha1.QueuedResource.pb().DESCRIPTOR.fields}
    sent = {argument.wire for argument in DEFINITION.shape.arguments if not argument.field.ours}

    assert {argument.wire for argument in over_rest(DEFINITION.shape)} == sent - fields


FLEX = {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}


@pytest.mark.parametrize("run", [{"maxRunDuration": "3600.0s"}, {"maxRunDuration": "3600s", "terminationTime": "t"}])
def test_what_google_kept_in_its_own_spelling_or_with_more_is_not_lost(run: dict[str, Any]) -> None:
    assert view.lost_over_rest({**FLEX, "runDuration": run}, INPUTS | FLEX) == ""


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ({}, "provisioningModel: asked for FLEX_START, and Google kept none"),
        ({**FLEX, "provisioningModel": "STANDARD"}, "asked for FLEX_START, and Google kept STANDARD"),
        ({**FLEX, "runDuration": {"maxRunDuration": "60s"}}, "maxRunDuration: asked for 3600s, and Google kept 60s"),
    ],
)
def test_what_google_kept_otherwise_is_lost(kept: dict[str, Any], words: str) -> None:
    assert words in view.lost_over_rest(kept, INPUTS | FLEX)


def test_standard_and_nothing_are_one_model() -> None:
    assert view.lost_over_rest({}, INPUTS | {"provisioningModel": "STANDARD"}) == ""


def test_a_model_that_google_tells_unasked_is_no_drift() -> None:
    assert view.followed_over_rest({"provisioningModel": "STANDARD"}, INPUTS) == INPUTS


@pytest.mark.parametrize("kept", [{"provisioningModel": "FLEX_START"}, {"runDuration": {"maxRunDuration": "1s"}}])
def test_slices_that_would_end_unasked_are_not_as_asked(kept: dict[str, Any]) -> None:
    assert view.ends_unasked(kept, INPUTS)


@pytest.mark.parametrize("kept", [{}, {"provisioningModel": "STANDARD"}, {"provisioningModel": "SPOT"}])
def test_slices_that_stay_are(kept: dict[str, Any]) -> None:
    assert not view.ends_unasked(kept, INPUTS)


def test_a_run_that_is_over_already_is_told_before_anything_is_asked() -> None:
    inputs = INPUTS | {"runDuration": {"terminationTime": "2020-01-01T00:00:00Z"}}

    assert view.over(inputs, 1.6e9).startswith("runDuration.terminationTime: 2020-01-01T00:00:00Z has passed")


def test_the_end_of_a_run_is_told_beside_the_suspension() -> None:
    assert "their run is over (runDuration)" in view.ended(live(state="SUSPENDED"), INPUTS | FLEX)
