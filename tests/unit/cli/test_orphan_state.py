"""What a stack export knows."""

import pytest

from tests.unit.cli.exports import DEPLOYMENT, ENDPOINT, MODEL, PLACE, creating, deployment, entry, read, urn
from tpuserve.marks import SECRET, SIGNATURE
from tpuserve.orphans import Name, StateError, read_state

MODEL_TOKEN, PROVIDER = "tpuserve:vertex:Model", "pulumi:providers:tpuserve"
HASH = "0" * 12


def test_an_entry_is_known() -> None:
    assert read(entry(MODEL_TOKEN, str(MODEL))).knows(MODEL)


def test_an_entry_that_waits_for_its_delete_is_known() -> None:
    assert read(entry(MODEL_TOKEN, str(MODEL), delete=True)).knows(MODEL)


def test_googles_own_spelling_of_an_entry_is_known() -> None:
    state = read(entry(MODEL_TOKEN, "other", outputs={"name": "projects/1000/locations/us-east5/models/m"}))

    assert state.knows(Name("1000", "us-east5", "models", "m"))


def test_a_resource_of_another_provider_is_not_looked_at() -> None:
    assert not read(entry("gcp:vertex/model:Model", str(MODEL))).names


def test_a_pending_create_is_not_known_and_has_its_id() -> None:
    state = read(pending=(creating(MODEL_TOKEN, "m", project="p", location="us-east5", modelId="m"),))

    assert not state.knows(MODEL)
    assert [(item.urn, item.id) for item in state.pending] == [(urn(MODEL_TOKEN, "m"), str(MODEL))]


def test_a_pending_create_whose_object_an_entry_has_is_settled() -> None:
    pending = creating(MODEL_TOKEN, "x", project="p", location="us-east5", modelId="m")

    assert not read(entry(MODEL_TOKEN, str(MODEL)), pending=(pending,)).pending


def test_a_pending_update_is_no_create() -> None:
    pending = {**creating(MODEL_TOKEN, "m", project="p", location="us-east5", modelId="m"), "type": "updating"}

    assert not read(pending=(pending,)).pending


def test_a_pending_create_without_the_inputs_of_its_id_is_passed_over() -> None:
    assert not read(pending=(creating(MODEL_TOKEN, "m"),)).pending


def test_a_pending_create_in_a_component_has_its_parent() -> None:
    pending = creating(MODEL_TOKEN, "m", project="p", location="us-east5", modelId="m")
    pending["resource"]["parent"] = urn("tpuserve:index:ServingModel", "s")

    assert read(pending=(pending,)).pending[0].parent == urn("tpuserve:index:ServingModel", "s")


def test_the_stack_is_no_parent_to_import_under() -> None:
    pending = creating(MODEL_TOKEN, "m", project="p", location="us-east5", modelId="m")
    pending["resource"]["parent"] = "urn:pulumi:s::p::pulumi:pulumi:Stack::p-s"

    assert read(pending=(pending,)).pending[0].parent == ""


def test_a_deployment_holds_what_it_lists() -> None:
    [held] = read(deployment({"stable": "7"}, retiring=["8"])).deployed

    assert [held.holds(ENDPOINT, key, HASH, "o") for key in ("7", "8", "9")] == [True, True, False]


def test_a_deployment_whose_list_is_a_secret_holds_everything_on_its_endpoint() -> None:
    hidden = {SIGNATURE: SECRET, "ciphertext": "v1:x"}
    [held] = read(entry(DEPLOYMENT, str(ENDPOINT), outputs={"deployedModelStatus": hidden})).deployed

    assert held.holds(ENDPOINT, "9", HASH, "o")
    assert not held.holds(Name("p", "us-east5", "endpoints", "other"), "9", HASH, "o")


def test_a_secret_that_is_shown_is_read() -> None:
    shown = {SIGNATURE: SECRET, "plaintext": '{"stable": {"id": "7"}}'}
    [held] = read(entry(DEPLOYMENT, str(ENDPOINT), outputs={"deployedModelStatus": shown})).deployed

    assert held.ids == {"7"}


def test_every_place_of_the_state_is_looked_in() -> None:
    pending = creating("tpuserve:vertex:Endpoint", project="p", location="us-west1", endpointId="e")
    state = read(entry(MODEL_TOKEN, f"{PLACE}/models/m"), deployment({}), pending=(pending,))

    assert state.places("models") == {("p", "us-east5")}
    assert state.places("endpoints") == {("p", "us-east5"), ("p", "us-west1")}


def test_the_owner_ids_of_the_providers_are_known() -> None:
    assert read(entry(PROVIDER, "id", inputs={"ownerId": "o"})).owners == {"o"}


@pytest.mark.parametrize("export", [{}, [], None, {"deployment": []}])
def test_what_is_no_export_is_refused(export: object) -> None:
    with pytest.raises(StateError, match="pulumi stack export"):
        read_state(export, lambda *_: "")


def test_a_stack_without_resources_knows_nothing() -> None:
    assert read_state({"deployment": {"manifest": {}}}, lambda *_: "").names == frozenset()


def test_a_project_is_looked_in_once_by_its_id() -> None:
    place = "projects/1000/locations/us-east5"
    model = entry(MODEL_TOKEN, str(MODEL), outputs={"name": f"{place}/models/m"})
    state = read(model, entry(DEPLOYMENT, f"{place}/endpoints/e"))

    assert state.places("models") | state.places("endpoints") == {("p", "us-east5")}
