"""Whether a deployed model is what a variant wants, and whether it is still the one that the state lists."""

from __future__ import annotations

from typing import Any

import pytest

from tpuserve.provider.deployment.deployed_model import Live, Wanted
from tpuserve.provider.endpoint.view import View, less_anothers
from tpuserve.provider.ownership import Identity

IDENTITY = Identity("a" * 20, "urn:pulumi:s::p::tpuserve:vertex:Deployment::d")
BY_ID, BY_NUMBER = "projects/team/locations/us-east5/models/m", "projects/100/locations/us-east5/models/m"
OTHER_ID, OTHER_NUMBER = BY_ID.replace("team", "other"), BY_NUMBER.replace("100", "200")
RESOURCES = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}
FIRST, LATER = "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"


def wanted(model: str = BY_ID, **more: Any) -> Wanted:
    return Wanted("stable", {"model": f"{model}@1", "dedicatedResources": RESOURCES, **more}, model, "1")


def deployed(model: str = BY_ID, mark: str = "", **more: Any) -> dict[str, Any]:
    data = {"id": "7", "model": model, "modelVersionId": "1", "displayName": f"stable{mark}"}
    return data | {"dedicatedResources": RESOURCES, **more}


@pytest.mark.parametrize(
    ("runs", "wants", "same"),
    [
        (BY_ID, BY_ID, True),
        (BY_ID, BY_NUMBER, True),
        (BY_NUMBER, BY_ID, True),
        (BY_ID, OTHER_ID, False),
        (BY_NUMBER, OTHER_NUMBER, False),
    ],
)
def test_id_and_number_may_be_one_project_and_two_of_a_kind_are_not(runs: str, wants: str, same: bool) -> None:
    assert Live(deployed(runs), 0).is_specified(wanted(wants)) is same


def test_mark_tells_what_google_does_not() -> None:
    """`recreate` is in no field of a deployed model."""
    asked = wanted(recreate="once")
    live = Live(deployed(mark=IDENTITY.mark(asked.specification)), 0)

    assert (live.is_specified(asked), live.is_specified(wanted(recreate="twice"))) == (True, False)


def kept(told: dict[str, Any], mark: str = "") -> bool:
    """Whether the state still lists the deployed model, made `LATER`, after a look at the endpoint."""
    view = View({"name": "e", "deployedModels": [deployed(mark=mark, createTime=LATER)]})
    state = {"deployedModelStatus": {"stable": {"id": "7", **told}}}
    return "stable" in less_anothers(state, view, IDENTITY)["deployedModelStatus"]


@pytest.mark.parametrize(
    ("told", "marked", "ours"),
    [
        ({"createTime": LATER}, False, True),
        ({"createTime": FIRST}, False, False),
        ({"createTime": FIRST}, True, True),
        ({"createTime": ""}, False, True),
        ({}, False, True),
    ],
    ids=["of-that-time", "of-another-time", "of-another-time-with-our-mark", "of-no-known-time", "without-a-time"],
)
def test_deployed_model_of_another_time_is_anothers_unless_it_has_our_mark(
    told: dict[str, Any], marked: bool, ours: bool
) -> None:
    assert kept(told, IDENTITY.mark("0" * 12) if marked else "") is ours
