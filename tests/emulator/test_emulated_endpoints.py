"""Endpoints: ids, etags, masks, splits, deletion."""

import pytest

from tests.emulator.google import HERE, LOCATION, Google, refused

SERVING = f"{LOCATION}/endpoints/serving"
LABELS = {"paths": ["labels"]}


def test_an_endpoint_has_the_id_it_was_given(cloud: Google) -> None:
    assert cloud.endpoint() == f"{HERE}/endpoints/serving"


@pytest.mark.parametrize("endpoint_id", ["Serving", "serving-", "0123", "1234567890", "s" * 64, "1a"])
def test_an_id_has_a_form(cloud: Google, endpoint_id: str) -> None:
    with refused("INVALID_ARGUMENT", endpoint_id):
        cloud.endpoints.create_endpoint(parent=LOCATION, endpoint_id=endpoint_id, endpoint={"display_name": "e"})


@pytest.mark.parametrize("endpoint_id", ["s", "s-1", "7", "123456789", "s" * 63])
def test_an_id_of_that_form_is_taken(cloud: Google, endpoint_id: str) -> None:
    assert cloud.endpoint(endpoint_id).endswith(f"/{endpoint_id}")


def test_an_id_in_use_is_refused(cloud: Google) -> None:
    cloud.endpoint()

    with refused("ALREADY_EXISTS", "endpoints/serving"):
        cloud.endpoints.create_endpoint(parent=LOCATION, endpoint_id="serving", endpoint={"display_name": "e"})


def test_an_endpoint_is_not_found_before_its_operation_ends(cloud: Google) -> None:
    cloud.control.hold("create_endpoint")
    cloud.endpoints.create_endpoint(parent=LOCATION, endpoint_id="serving", endpoint={"display_name": "e"})

    with refused("NOT_FOUND"):
        cloud.endpoints.get_endpoint(name=SERVING)


def test_a_split_cannot_be_given_at_creation(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "traffic_split"):
        cloud.endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "e", "traffic_split": {"1": 100}})


def test_a_network_excludes_private_service_connect(cloud: Google) -> None:
    fields = {"network": "projects/1/global/networks/n", "private_service_connect_config": {}}

    with refused("INVALID_ARGUMENT", "private_service_connect_config"):
        cloud.endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "e", **fields})


def test_a_dedicated_endpoint_has_a_host_name_of_its_own(cloud: Google) -> None:
    name = cloud.endpoint(dedicated_endpoint_enabled=True)
    dns = cloud.endpoints.get_endpoint(name=name).dedicated_endpoint_dns

    assert dns == "https://serving.us-east5-100000000001.prediction.vertexai.goog"


def test_every_change_has_another_etag(cloud: Google) -> None:
    name = cloud.endpoint()
    before = cloud.endpoints.get_endpoint(name=name).etag

    assert cloud.endpoints.update_endpoint(endpoint={"name": name}, update_mask=LABELS).etag != before


def test_a_stale_etag_aborts_an_update(cloud: Google) -> None:
    name = cloud.endpoint()
    stale = cloud.endpoints.get_endpoint(name=name).etag
    cloud.endpoints.update_endpoint(endpoint={"name": name}, update_mask=LABELS)

    with refused("ABORTED", stale):
        cloud.endpoints.update_endpoint(endpoint={"name": name, "etag": stale}, update_mask=LABELS)


def test_without_an_etag_an_update_overwrites(cloud: Google) -> None:
    name = cloud.endpoint(labels={"team": "theirs"})
    changed = cloud.endpoints.update_endpoint(endpoint={"name": name, "labels": {"team": "ours"}}, update_mask=LABELS)

    assert dict(changed.labels) == {"team": "ours"}


@pytest.mark.parametrize(
    "path",
    ["network", "encryption_spec", "deployed_models", "client_connection_config", "nonsense", "display_name.first"],
)
def test_a_fixed_field_and_what_is_none_cannot_be_updated(cloud: Google, path: str) -> None:
    name = cloud.endpoint()

    with refused("INVALID_ARGUMENT", path, "traffic_split"):
        cloud.endpoints.update_endpoint(endpoint={"name": name}, update_mask={"paths": [path]})


def test_an_update_needs_a_mask(cloud: Google) -> None:
    name = cloud.endpoint()

    with refused("INVALID_ARGUMENT", "update_mask"):
        cloud.endpoints.update_endpoint(endpoint={"name": name}, update_mask={})


def test_a_split_names_what_is_deployed(cloud: Google) -> None:
    name, _, identifier = cloud.serving()

    with refused("INVALID_ARGUMENT", "4711", identifier):
        cloud.update_split(name, {"4711": 100})


def test_a_split_sums_to_100(cloud: Google) -> None:
    name, _, identifier = cloud.serving()

    with refused("INVALID_ARGUMENT", "sum to 90"):
        cloud.update_split(name, {identifier: 90})


def test_a_share_is_not_negative(cloud: Google) -> None:
    name, model, identifier = cloud.serving()
    other = cloud.deploy(name, model)

    with refused("INVALID_ARGUMENT", "0 to 100"):
        cloud.update_split(name, {identifier: 110, other: -10})


def test_an_empty_split_is_taken(cloud: Google) -> None:
    name, _, _ = cloud.serving()
    cloud.update_split(name, {})

    assert cloud.split(name) == {}


def test_an_endpoint_with_deployed_models_cannot_be_deleted(cloud: Google) -> None:
    name, _, identifier = cloud.serving()

    with refused("FAILED_PRECONDITION", identifier):
        cloud.endpoints.delete_endpoint(name=name)


def test_an_endpoint_is_not_deleted_under_a_running_deployment(cloud: Google) -> None:
    name, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(name, model)

    with refused("FAILED_PRECONDITION", "operation is running"):
        cloud.endpoints.delete_endpoint(name=name)


def test_a_deleted_endpoint_is_gone(cloud: Google) -> None:
    name = cloud.endpoint()
    cloud.done(cloud.endpoints.delete_endpoint(name=name))

    with refused("NOT_FOUND"):
        cloud.endpoints.get_endpoint(name=name)


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ('display_name="one"', {"one"}),
        ("displayName!=one", {"two"}),
        ("labels.team=vision", {"one"}),
        ("labels.team:*", {"one", "two"}),
        ("labels:stage", {"two"}),
        ("endpoint=two AND labels.team=speech", {"two"}),
    ],
)
def test_a_list_is_filtered(cloud: Google, expression: str, found: set[str]) -> None:
    cloud.endpoint("one", labels={"team": "vision"})
    cloud.endpoint("two", labels={"team": "speech", "stage": "live"})
    listed = cloud.endpoints.list_endpoints(request={"parent": LOCATION, "filter": expression})

    assert {endpoint.display_name for endpoint in listed} == found


def test_a_filter_that_cannot_be_read_is_refused(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "filter", "colour=red"):
        cloud.endpoints.list_endpoints(request={"parent": LOCATION, "filter": "colour=red"})


def test_a_list_is_ordered(cloud: Google) -> None:
    cloud.endpoint("one")
    cloud.endpoint("two")
    listed = cloud.endpoints.list_endpoints(request={"parent": LOCATION, "order_by": "display_name desc"})

    assert [endpoint.display_name for endpoint in listed] == ["two", "one"]


def test_a_list_shows_the_fields_of_its_mask(cloud: Google) -> None:
    cloud.endpoint("one")
    request = {"parent": LOCATION, "read_mask": {"paths": ["name"]}}
    (listed,) = cloud.endpoints.list_endpoints(request=request)

    assert (bool(listed.name), listed.display_name) == (True, "")


def test_pages_hold_every_endpoint_once(cloud: Google) -> None:
    for index in range(5):
        cloud.endpoint(f"e{index}")
    pages = cloud.endpoints.list_endpoints(request={"parent": LOCATION, "page_size": 2}).pages

    assert [[found.display_name for found in page.endpoints] for page in pages] == [["e0", "e1"], ["e2", "e3"], ["e4"]]


def test_reads_may_be_behind_a_change(cloud: Google) -> None:
    cloud.control.set("lag", 1)
    cloud.endpoint()

    with refused("NOT_FOUND"):
        cloud.endpoints.get_endpoint(name=SERVING)

    assert cloud.endpoints.get_endpoint(name=SERVING).name == f"{HERE}/endpoints/serving"


def test_reads_behind_a_change_answer_as_before(cloud: Google) -> None:
    cloud.endpoint()
    before = cloud.endpoints.get_endpoint(name=SERVING)
    cloud.control.set("lag", 2)
    cloud.endpoints.update_endpoint(endpoint={"name": SERVING, "labels": {"a": "b"}}, update_mask=LABELS)

    seen = [dict(cloud.endpoints.get_endpoint(name=SERVING).labels) for _ in range(3)]

    assert seen == [dict(before.labels), dict(before.labels), {"a": "b"}]
