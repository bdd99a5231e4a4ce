"""What a preview of a Deployment says of each variant."""

import pytest

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.deployment.preview import note, rows, status, taken_over, ways
from tpuserve.resources.deployment import DEFINITION
from tpuserve.resources.diff import changes

MODEL = "projects/p/locations/us-east5/models/m"


def variant(version: object = 1, replicas: int = 1, machine: str = "ct6e-standard-1t") -> dict:
    model = version if version is UNKNOWN else f"{MODEL}@{version}"
    return {
        "model": model,
        "dedicatedResources": {"machineSpec": {"machineType": machine}, "minReplicaCount": replicas},
    }


def changed(old: dict, new: dict) -> list:
    return list(changes(DEFINITION.shape, {"deployedModels": old}, {"deployedModels": new}))


def said(old: dict, new: dict) -> str:
    return ways(changed(old, new), old, new)


def test_a_new_version_deploys_beside() -> None:
    assert said({"a": variant(1)}, {"a": variant(2)}) == "a deploys beside the running one"


def test_a_version_not_known_yet_deploys_beside() -> None:
    assert said({"a": variant(1)}, {"a": variant(UNKNOWN)}) == "a deploys beside the running one"


def test_replicas_change_in_place() -> None:
    assert said({"a": variant(replicas=1)}, {"a": variant(replicas=2)}) == "a changes in place"


def test_a_variant_left_out_undeploys() -> None:
    assert said({"a": variant(1), "b": variant(2)}, {"a": variant(1)}) == "b undeploys"


def test_a_renamed_variant_takes_over_what_runs() -> None:
    told = said({"canary": variant(2)}, {"stable": variant(2)})

    assert told == "canary gives its model to another variant; stable takes over what canary runs"


def test_a_promoted_canary_leaves_only_the_old_one_to_undeploy() -> None:
    old, new = {"stable": variant(1), "canary": variant(2)}, {"stable": variant(2)}

    assert taken_over(old, new) == {"stable": "canary"}


def test_a_variant_that_stays_gives_its_model_to_nobody() -> None:
    assert taken_over({"a": variant(1)}, {"a": variant(1), "b": variant(1)}) == {}


def test_several_changes_of_one_variant_are_one_row() -> None:
    found = rows(changed({"a": variant(1)}, {"a": variant(2, machine="ct6e-standard-4t")}))

    assert [row.path for row in found] == ["deployedModels.a"]


def test_one_change_of_a_variant_keeps_its_path() -> None:
    found = rows(changed({"a": variant(1)}, {"a": variant(1, machine="ct6e-standard-4t")}))

    assert [row.path for row in found] == ["deployedModels.a.dedicatedResources.machineSpec.machineType"]


def test_only_what_is_deployed_anew_is_unknown() -> None:
    old, new = {"a": variant(1), "b": variant(1)}, {"a": variant(2), "b": variant(1, replicas=2)}
    state = {"deployedModels": old, "deployedModelStatus": {"a": {"id": "1"}, "b": {"id": "2"}}}

    assert status(changed(old, new), state, {"deployedModels": new}) == {
        "a": {"id": UNKNOWN, "modelVersionId": UNKNOWN},
        "b": {"id": "2"},
    }


def test_a_renamed_variant_keeps_its_id() -> None:
    old, new = {"canary": variant(2)}, {"stable": variant(2)}
    state = {"deployedModels": old, "deployedModelStatus": {"canary": {"id": "7"}}}

    assert status(changed(old, new), state, {"deployedModels": new}) == {"stable": {"id": "7"}}


FIRST = {"strategy": "UNDEPLOY_FIRST"}


def noted(old: dict, new: dict) -> str:
    return note(list(changes(DEFINITION.shape, old, new)), old, new)


def declared(models: dict, **more: object) -> dict:
    return {"deployedModels": models, **more}


def test_the_only_variant_undeployed_first_is_an_outage() -> None:
    told = noted(declared({"a": variant(1)}), declared({"a": {**variant(2), **FIRST}}))

    assert told == "a undeploys, then deploys; an outage: nothing serves while a is deployed (allowOutage)"


def test_a_variant_beside_another_that_serves_is_none() -> None:
    both = {"a": 50, "b": 50}
    old = declared({"a": variant(1), "b": variant(1, machine="ct6e-standard-4t")}, trafficSplit=both)

    told = noted(old, declared({**old["deployedModels"], "a": {**variant(2), **FIRST}}, trafficSplit=both))

    assert told == "a undeploys, then deploys"


def test_a_new_variant_with_that_strategy_has_nothing_to_undeploy() -> None:
    old = declared({"a": variant(1)})

    assert noted(old, declared({"a": variant(1), "b": {**variant(2), **FIRST}})) == "b deploys beside the running one"


def test_replicas_of_a_variant_with_that_strategy_change_in_place() -> None:
    old = declared({"a": {**variant(1), **FIRST}})

    assert noted(old, declared({"a": {**variant(1, replicas=2), **FIRST}})) == "a changes in place"


def test_a_pause_undeploys_all() -> None:
    old = declared({"a": variant(1), "b": variant(2)})

    assert noted(old, {**old, "paused": True}) == "pauses: undeploys a, b"


def test_going_on_deploys_all() -> None:
    old = declared({"a": variant(1)}, paused=True)

    assert noted(old, declared({"a": variant(2)}, paused=False)) == "goes on: deploys a"


def test_a_change_of_what_is_paused_deploys_nothing() -> None:
    old = declared({"a": variant(1)}, paused=True)

    assert noted(old, declared({"a": variant(2)}, paused=True)) == "is paused: nothing is deployed"


def test_a_pause_that_is_not_known_yet_leaves_the_status_unknown() -> None:
    new = declared({"a": variant(1)}, paused=UNKNOWN)

    assert status([], {"deployedModelStatus": {"a": {"id": "1"}}}, new) is UNKNOWN


def test_an_id_that_is_given_is_known_before_the_variant_is_deployed() -> None:
    new = {"a": {**variant(2), "id": "7"}}

    found = status(changed({}, new), {}, {"deployedModels": new})

    assert found == {"a": {"id": "7", "modelVersionId": UNKNOWN}}


def test_an_argument_taken_out_of_what_is_fixed_deploys_beside() -> None:
    assert said({"a": variant(1) | {"serviceAccount": "s@p"}}, {"a": variant(1)}) == "a deploys beside the running one"


def test_of_two_that_are_alike_the_one_with_the_larger_share_is_taken_over() -> None:
    old, new = {"a": variant(1), "b": variant(1)}, {"c": variant(1)}
    state = {"deployedModels": old, "deployedModelStatus": {"a": {"id": "1"}, "b": {"id": "2"}}}
    found = status(changed(old, new), state | {"trafficSplit": {"a": 1, "b": 99}}, {"deployedModels": new})

    assert found == {"c": {"id": "2"}}


SPELLINGS = ("projects/1/locations/us-east5/models/m", f"https://us-east5-aiplatform.googleapis.com/v1/{MODEL}")


@pytest.mark.parametrize("model", SPELLINGS)
def test_a_variant_whose_model_is_spelled_otherwise_takes_nobodys_place(model: str) -> None:
    old = {"a": {**variant(1), "model": f"{model}@1"}, "b": variant(1)}

    assert taken_over(old, {"a": variant(1)}) == {}


def test_a_version_given_by_number_is_the_one_behind_the_alias_that_was_given() -> None:
    old = {"a": variant(3), "b": variant("live")}
    new = {"a": variant("live"), "b": variant(2)}
    state = {
        "deployedModels": old,
        "deployedModelStatus": {"a": {"id": "1", "modelVersionId": "3"}, "b": {"id": "2", "modelVersionId": "2"}},
    }

    found = status(changed(old, new), state, {"deployedModels": new})

    assert (found["a"]["id"], found["b"]["id"]) == (UNKNOWN, "2")
