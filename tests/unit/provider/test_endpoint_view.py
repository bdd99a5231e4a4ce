"""What an import makes of an endpoint."""

from collections.abc import Mapping
from typing import Any

from tpuserve.provider.deployment.deployed_model import specification
from tpuserve.provider.endpoint.view import View, imported, variant_inputs
from tpuserve.provider.ownership import Identity

NAME = "projects/1/locations/us-east5/endpoints/e"
MODEL = "projects/1/locations/us-east5/models/m"
IDENTITY = Identity("a" * 20, "urn:pulumi:s::p::tpuserve:vertex:Deployment::d")
RESOURCES = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}


def deployed(name: str, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """One deployed model as Google answers; marked if `given` says what it was deployed from."""
    made = {"model": f"{MODEL}@1", "dedicatedResources": RESOURCES, **(given or {})}
    mark = "" if given is None else IDENTITY.mark(specification(made, MODEL, "1"))
    resources = {**RESOURCES, "maxReplicaCount": 1}
    data = {"id": "7", "model": MODEL, "modelVersionId": "1", "displayName": name + mark}
    return data | {"dedicatedResources": resources}


def taken_in(item: Mapping[str, Any], **shares: int) -> tuple[View, dict[str, Any]]:
    split = {key.removeprefix("_"): share for key, share in shares.items()}
    view = View({"name": NAME, "deployedModels": [item], "trafficSplit": split})
    return view, imported(view, NAME, IDENTITY)[0]


def test_a_display_name_that_nobody_gave_is_no_argument() -> None:
    assert "displayName" not in taken_in(deployed("stable", {}))[1]["deployedModels"]["d7"]


def test_a_display_name_that_was_given_is_one() -> None:
    item = deployed("Stable one", {"displayName": "Stable one"})

    assert taken_in(item)[1]["deployedModels"]["d7"]["displayName"] == "Stable one"


def test_the_display_name_of_an_unmarked_one_is_an_argument() -> None:
    assert taken_in(deployed("by hand"))[1]["deployedModels"]["d7"]["displayName"] == "by hand"


def test_what_was_taken_in_has_not_drifted() -> None:
    view, inputs = taken_in(deployed("stable", {}))

    assert "recreate" not in variant_inputs(view.live[0], inputs["deployedModels"]["d7"])


def test_an_endpoint_where_nothing_serves_has_no_split_to_give() -> None:
    assert "trafficSplit" not in taken_in(deployed("stable", {}))[1]


def test_the_split_is_by_variant() -> None:
    assert taken_in(deployed("stable", {}), _7=100)[1]["trafficSplit"] == {"d7": 100}
