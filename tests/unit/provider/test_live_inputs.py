"""What Read puts into the inputs: live values of what can change in place, and nothing that Google made up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tpuserve.provider.drift import followed, is_as_asked, live_inputs
from tpuserve.provider.ownership import Identity
from tpuserve.resources import deployed_model, endpoint, queued_resource
from tpuserve.resources.fields import shape_of
from tpuserve.resources.node import NodeArgs

SHAPE = endpoint.DEFINITION.shape
INPUTS = programs.endpoint(project="p", location="l", endpointId="e")
LABELS = Identity("a" * 20, "urn").labels()
LIVE = {"name": "n", "displayName": "digits", "labels": {"team": "a", **LABELS}, "etag": "1"}
RESOURCES = shape_of(deployed_model.DedicatedResourcesArgs)


def test_nothing_drifted() -> None:
    assert live_inputs(SHAPE, LIVE, INPUTS) == INPUTS


@pytest.mark.parametrize(
    ("live", "changes"),
    [
        ({"displayName": "other"}, {"displayName": "other"}),
        ({"labels": {"team": "b", **LABELS}}, {"labels": {"team": "b"}}),
        ({"labels": {}}, {"labels": {}}),
        ({"description": "by hand"}, {"description": "by hand"}),
    ],
)
def test_change_by_hand_is_seen(live: dict[str, Any], changes: dict[str, Any]) -> None:
    assert live_inputs(SHAPE, LIVE | live, INPUTS) == INPUTS | changes


def test_text_that_was_given_and_is_gone() -> None:
    assert "description" not in live_inputs(SHAPE, LIVE, {**INPUTS, "description": "text"})


@pytest.mark.parametrize("default", [{"description": ""}, {"labels": {"team": "a"}, "description": ""}])
def test_default_that_google_fills_in_is_no_drift(default: dict[str, Any]) -> None:
    assert live_inputs(SHAPE, LIVE | default, INPUTS) == INPUTS


def test_what_cannot_change_in_place_is_not_followed() -> None:
    assert live_inputs(SHAPE, {**LIVE, "dedicatedEndpointEnabled": True}, INPUTS) == INPUTS


def test_import_takes_all_that_is_an_argument_and_no_label_of_ours() -> None:
    assert live_inputs(SHAPE, LIVE, {}) == {"displayName": "digits", "labels": {"team": "a"}}


def test_only_what_was_given_is_followed_below() -> None:
    live = {"minReplicaCount": 2, "maxReplicaCount": 5, "machineSpec": {"machineType": "ct6e-standard-1t"}}
    given = {"minReplicaCount": 1, "machineSpec": {"machineType": "ct6e-standard-1t"}}

    assert followed(RESOURCES, live, given) == given | {"minReplicaCount": 2}


NETWORK = "projects/p/global/networks/n"


@pytest.mark.parametrize(
    ("live", "asked", "same"),
    [
        ({"description": "a", "runtimeVersion": "b"}, {"description": "a"}, True),
        ({"description": "a"}, {"description": "b"}, False),
        ({}, {"networkConfig": {"canIpForward": False}}, True),
        ({"networkConfig": {}}, {"networkConfig": {"canIpForward": False}}, True),
        ({"networkConfig": {}}, {"networkConfig": {"canIpForward": True}}, False),
        ({"tags": ["a", "b"]}, {"tags": ["a"]}, False),
        ({}, {"tags": []}, True),
        ({"dataDisks": [{"sourceDisk": "d", "mode": "READ_ONLY"}]}, {"dataDisks": [{"sourceDisk": "d"}]}, True),
        ({}, {"networkConfig": {"network": "n"}}, False),
        ({"networkConfig": {"network": NETWORK.replace("/p/", "/1/")}}, {"networkConfig": {"network": NETWORK}}, True),
        ({"networkConfig": {"network": f"//compute/{NETWORK}"}}, {"networkConfig": {"network": NETWORK}}, True),
    ],
)
def test_whether_what_was_asked_for_is_there(live: Any, asked: Any, same: bool) -> None:
    assert is_as_asked(shape_of(NodeArgs), live, asked, {"p": "1"}) is same


def test_import_takes_a_tier_that_says_all_by_being_there() -> None:
    assert live_inputs(queued_resource.DEFINITION.shape, {"spot": {}}, {}) == {"spot": {}}
