"""Models: versions, aliases, visibility, updates, deletions."""

from typing import Any

import pytest

from tests.emulator.google import HERE, LOCATION, Google, refused

DIGITS = f"{LOCATION}/models/digits"


def aliases(cloud: Google, name: str = DIGITS) -> set[str]:
    return set(cloud.models.get_model(name=name).version_aliases)


def test_a_name_is_answered_with_the_project_number(cloud: Google) -> None:
    assert cloud.upload() == f"{HERE}/models/digits@1"


def test_a_name_may_be_asked_for_with_the_project_number(cloud: Google) -> None:
    cloud.upload()

    assert cloud.models.get_model(name=f"{HERE}/models/digits").display_name == "digits"


def test_an_unknown_project_is_no_missing_resource(cloud: Google) -> None:
    with refused("PERMISSION_DENIED", "another"):
        cloud.models.get_model(name="projects/another/locations/us-east5/models/digits")


def test_a_zone_is_no_region(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "us-east5-b", "region"):
        cloud.models.list_models(parent=f"{LOCATION}-b")


def test_versions_are_numbered_from_1(cloud: Google) -> None:
    cloud.upload()

    assert cloud.upload(parent_model=DIGITS) == f"{HERE}/models/digits@2"


def test_a_model_made_again_begins_at_version_1(cloud: Google) -> None:
    cloud.upload()
    cloud.models.delete_model(name=DIGITS).result()

    assert cloud.upload() == f"{HERE}/models/digits@1"


def test_a_number_is_not_given_again(cloud: Google) -> None:
    cloud.upload()
    cloud.upload(parent_model=DIGITS)
    cloud.done(cloud.models.delete_model_version(name=f"{DIGITS}@2"))

    assert cloud.upload(parent_model=DIGITS) == f"{HERE}/models/digits@3"


def test_the_first_version_is_the_default(cloud: Google) -> None:
    cloud.upload()

    assert aliases(cloud) == {"default"}


def test_a_later_version_is_not_the_default(cloud: Google) -> None:
    cloud.upload()
    cloud.upload(parent_model=DIGITS)

    assert cloud.models.get_model(name=DIGITS).version_id == "1"


def test_a_later_version_may_take_the_default(cloud: Google) -> None:
    cloud.upload()
    cloud.upload(parent_model=DIGITS, model_fields={"version_aliases": ["default"]})

    assert cloud.models.get_model(name=DIGITS).version_id == "2"


def test_a_version_is_found_by_its_alias(cloud: Google) -> None:
    cloud.upload(model_fields={"version_aliases": ["golden"]})

    assert cloud.models.get_model(name=f"{DIGITS}@golden").version_id == "1"


def test_an_unknown_alias_is_not_found(cloud: Google) -> None:
    cloud.upload()

    with refused("NOT_FOUND", "digits@golden"):
        cloud.models.get_model(name=f"{DIGITS}@golden")


def test_an_alias_moves_to_the_version_it_is_given_to(cloud: Google) -> None:
    cloud.upload(model_fields={"version_aliases": ["golden"]})
    cloud.upload(parent_model=DIGITS)
    cloud.models.merge_version_aliases(name=f"{DIGITS}@2", version_aliases=["golden"])

    assert (aliases(cloud, f"{DIGITS}@1"), aliases(cloud, f"{DIGITS}@2")) == ({"default"}, {"golden"})


def test_an_alias_with_a_minus_is_removed(cloud: Google) -> None:
    cloud.upload(model_fields={"version_aliases": ["golden"]})
    cloud.models.merge_version_aliases(name=f"{DIGITS}@1", version_aliases=["-golden"])

    assert aliases(cloud) == {"default"}


def test_an_alias_added_and_removed_stays_as_it_was(cloud: Google) -> None:
    cloud.upload()
    cloud.models.merge_version_aliases(name=f"{DIGITS}@1", version_aliases=["golden", "-golden"])

    assert aliases(cloud) == {"default"}


def test_the_default_alias_cannot_be_removed(cloud: Google) -> None:
    cloud.upload()

    with refused("FAILED_PRECONDITION", "exactly one default"):
        cloud.models.merge_version_aliases(name=f"{DIGITS}@1", version_aliases=["-default"])


@pytest.mark.parametrize("alias", ["1", "Golden", "golden_one", "g"])
def test_an_alias_has_a_form(cloud: Google, alias: str) -> None:
    cloud.upload()

    with refused("INVALID_ARGUMENT", alias):
        cloud.models.merge_version_aliases(name=f"{DIGITS}@1", version_aliases=[alias])


def test_aliases_are_merged_into_a_version_by_number(cloud: Google) -> None:
    cloud.upload()

    with refused("INVALID_ARGUMENT", "digits@default"):
        cloud.models.merge_version_aliases(name=f"{DIGITS}@default", version_aliases=["golden"])


@pytest.mark.parametrize("key", ["k", "projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"])
def test_a_key_is_of_the_models_region(cloud: Google, key: str) -> None:
    with refused("INVALID_ARGUMENT", "model.encryption_spec.kms_key_name", key):
        cloud.begin_upload(model_fields={"encryption_spec": {"kms_key_name": key}})


def test_an_id_in_use_is_refused(cloud: Google) -> None:
    cloud.upload()

    with refused("ALREADY_EXISTS", "models/digits"):
        cloud.begin_upload()


def test_an_id_is_in_use_while_it_is_uploaded(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.begin_upload()

    with refused("ALREADY_EXISTS", "models/digits"):
        cloud.begin_upload()


@pytest.mark.parametrize("model_id", ["1digits", "-digits", "Digits", "d" * 64])
def test_an_id_has_a_form(cloud: Google, model_id: str) -> None:
    with refused("INVALID_ARGUMENT", model_id):
        cloud.begin_upload(model_id)


def test_an_id_left_out_is_made_up(cloud: Google) -> None:
    model = {"display_name": "digits", "container_spec": {"image_uri": "image"}}
    response = cloud.done(cloud.models.upload_model(parent=LOCATION, model=model))

    assert response.model.rpartition("/")[2].isdecimal()


def test_a_version_of_a_missing_model_is_refused(cloud: Google) -> None:
    with refused("NOT_FOUND", "models/digits"):
        cloud.begin_upload(parent_model=DIGITS)


def test_a_model_is_not_found_before_its_upload_ends(cloud: Google) -> None:
    cloud.control.hold("upload_model")
    cloud.begin_upload()

    with refused("NOT_FOUND"):
        cloud.models.get_model(name=DIGITS)


def test_a_failed_upload_leaves_nothing(cloud: Google) -> None:
    cloud.control.fail_operation("upload_model", "INTERNAL", "the registry is down")
    operation = cloud.wait(cloud.begin_upload())

    assert (operation.error.message, cloud.control.objects()["models"]) == ("the registry is down", [])


def test_an_upload_needs_an_image(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "container_spec.image_uri"):
        cloud.begin_upload(image="")


def test_a_deployment_may_not_take_more_than_two_hours(cloud: Google) -> None:
    spec = {"image_uri": "image", "deployment_timeout": {"seconds": 7201}}

    with refused("INVALID_ARGUMENT", "7201s", "7200s"):
        cloud.begin_upload(model_fields={"container_spec": spec})


def test_the_container_is_input_only(cloud: Google) -> None:
    cloud.upload()

    assert not cloud.models.get_model(name=DIGITS).container_spec.image_uri


def test_the_container_is_returned_where_the_switch_says_so(cloud: Google) -> None:
    cloud.control.set("returns_container_spec", True)
    cloud.upload()

    assert cloud.models.get_model(name=DIGITS).container_spec.image_uri == "image"


def test_labels_of_the_model_and_of_the_version_are_merged(cloud: Google) -> None:
    cloud.upload(model_fields={"labels": {"team": "vision", "stage": "test"}})
    cloud.upload(parent_model=DIGITS, model_fields={"labels": {"stage": "live"}})

    assert dict(cloud.models.get_model(name=f"{DIGITS}@2").labels) == {"team": "vision", "stage": "live"}


@pytest.mark.parametrize("labels", [{"Team": "a"}, {"team": "A"}, {"1team": "a"}, {"team": "a" * 64}, {"": "a"}])
def test_labels_have_a_form(cloud: Google, labels: dict[str, str]) -> None:
    with refused("INVALID_ARGUMENT", "labels"):
        cloud.begin_upload(model_fields={"labels": labels})


def test_an_update_changes_what_its_mask_names(cloud: Google) -> None:
    cloud.upload(model_fields={"description": "before"})
    changed = cloud.models.update_model(
        model={"name": DIGITS, "display_name": "after", "description": "after"}, update_mask={"paths": ["description"]}
    )

    assert (changed.display_name, changed.description) == ("digits", "after")


def test_a_field_of_the_mask_that_is_left_out_is_emptied(cloud: Google) -> None:
    cloud.upload(model_fields={"labels": {"team": "vision"}})

    assert not cloud.models.update_model(model={"name": DIGITS}, update_mask={"paths": ["labels"]}).labels


def test_a_version_description_changes_through_the_version(cloud: Google) -> None:
    cloud.upload()
    changed = cloud.models.update_model(
        model={"name": f"{DIGITS}@1", "version_description": "faster"}, update_mask={"paths": ["version_description"]}
    )

    assert changed.version_description == "faster"


def test_a_version_description_does_not_change_through_the_model(cloud: Google) -> None:
    cloud.upload()

    with refused("FAILED_PRECONDITION", "models/M@V"):
        cloud.models.update_model(model={"name": DIGITS}, update_mask={"paths": ["version_description"]})


@pytest.mark.parametrize("path", ["artifact_uri", "container_spec", "version_aliases", "nonsense"])
def test_a_fixed_field_cannot_be_updated(cloud: Google, path: str) -> None:
    cloud.upload()

    with refused("INVALID_ARGUMENT", path, "display_name"):
        cloud.models.update_model(model={"name": DIGITS}, update_mask={"paths": [path]})


def test_an_update_needs_a_mask(cloud: Google) -> None:
    cloud.upload()

    with refused("INVALID_ARGUMENT", "update_mask"):
        cloud.models.update_model(model={"name": DIGITS}, update_mask={})


def test_a_stale_etag_aborts_an_update(cloud: Google) -> None:
    cloud.upload()
    stale = cloud.models.get_model(name=DIGITS).etag
    mask = {"paths": ["description"]}
    cloud.models.update_model(model={"name": DIGITS, "description": "theirs"}, update_mask=mask)

    with refused("ABORTED", stale):
        cloud.models.update_model(model={"name": DIGITS, "description": "ours", "etag": stale}, update_mask=mask)


def test_a_deployed_model_cannot_be_deleted(cloud: Google) -> None:
    cloud.serving()

    with refused("FAILED_PRECONDITION", "endpoints/serving"):
        cloud.models.delete_model(name=DIGITS)


def test_a_model_deployed_in_another_location_cannot_be_deleted(cloud: Google) -> None:
    elsewhere = LOCATION.replace("us-east5", "us-west1")
    made = cloud.endpoints.create_endpoint(parent=elsewhere, endpoint_id="far", endpoint={"display_name": "far"})
    cloud.deploy(cloud.done(made).name, cloud.upload())

    with refused("FAILED_PRECONDITION", "us-west1/endpoints/far"):
        cloud.models.delete_model(name=DIGITS)


def test_a_model_that_is_being_deployed_cannot_be_deleted(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(endpoint, model)

    with refused("FAILED_PRECONDITION", "endpoints/serving"):
        cloud.models.delete_model(name=DIGITS)


def test_a_deleted_model_is_gone_with_its_versions(cloud: Google) -> None:
    cloud.upload()
    cloud.done(cloud.models.delete_model(name=DIGITS))

    assert cloud.control.objects()["models"] == []


def test_a_deployed_version_cannot_be_deleted(cloud: Google) -> None:
    endpoint, _, _ = cloud.serving()
    cloud.deploy(endpoint, cloud.upload(parent_model=DIGITS))

    with refused("FAILED_PRECONDITION", "digits@2", "deployed"):
        cloud.models.delete_model_version(name=f"{DIGITS}@2")


def test_the_only_version_cannot_be_deleted(cloud: Google) -> None:
    cloud.upload()

    with refused("FAILED_PRECONDITION", "only version"):
        cloud.models.delete_model_version(name=f"{DIGITS}@1")


def test_the_default_version_cannot_be_deleted(cloud: Google) -> None:
    cloud.upload()
    cloud.upload(parent_model=DIGITS)

    with refused("FAILED_PRECONDITION", "default"):
        cloud.models.delete_model_version(name=f"{DIGITS}@1")


def test_a_model_knows_where_it_is_deployed(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    found = cloud.models.get_model(name=DIGITS).deployed_models

    assert [(item.endpoint, item.deployed_model_id) for item in found] == [(endpoint, identifier)]


def test_versions_are_listed_with_their_numbers_in_their_names(cloud: Google) -> None:
    cloud.upload()
    cloud.upload(parent_model=DIGITS)
    found = cloud.models.list_model_versions(name=DIGITS)

    assert [model.name for model in found] == [f"{HERE}/models/digits@1", f"{HERE}/models/digits@2"]


@pytest.mark.parametrize("field", ["ports", "grpc_ports"])
def test_a_port_has_a_number(cloud: Google, field: str) -> None:
    with refused("INVALID_ARGUMENT", field, "65536", "1 to 65535"):
        cloud.begin_upload(model_fields={"container_spec": {"image_uri": "i", field: [{"container_port": 65536}]}})


def test_a_variable_is_named_as_in_c(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "MY-NAME", "C identifier"):
        cloud.begin_upload(model_fields={"container_spec": {"image_uri": "i", "env": [{"name": "MY-NAME"}]}})


def test_an_invoke_route_excludes_a_predict_route(cloud: Google) -> None:
    spec = {"image_uri": "i", "invoke_route_prefix": "/*", "predict_route": "/predict"}

    with refused("INVALID_ARGUMENT", "invoke_route_prefix", "without predict_route"):
        cloud.begin_upload(model_fields={"container_spec": spec})


GRPC = {"grpc": {"port": 80}}


@pytest.mark.parametrize("field", ["startup_probe", "health_probe", "liveness_probe"])
@pytest.mark.parametrize(
    ("probe", "words"),
    [
        ({"period_seconds": 5}, "one of exec"),
        ({"grpc": {"port": 65536}}, "1 to 65535"),
        ({"http_get": {"port": -1}}, "1 to 65535"),
        ({"http_get": {"scheme": "FTP"}}, "HTTPS"),
        ({**GRPC, "failure_threshold": -1}, "0 or more"),
        ({**GRPC, "period_seconds": 6, "timeout_seconds": 5}, "greater or equal to period_seconds"),
    ],
)
def test_a_probe_has_rules(cloud: Google, field: str, probe: dict[str, Any], words: str) -> None:
    with refused("INVALID_ARGUMENT", field, words):
        cloud.begin_upload(model_fields={"container_spec": {"image_uri": "i", field: probe}})
