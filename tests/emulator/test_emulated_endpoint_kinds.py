"""Shared, dedicated, behind Private Service Connect, in a network: what each kind of endpoint has and has not."""

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from tests.emulator.google import HERE, LOCATION, Google, refused

NETWORK: dict[str, Any] = {"network": "projects/100000000001/global/networks/n"}
DEDICATED: dict[str, Any] = {"dedicated_endpoint_enabled": True}
CONNECTED: dict[str, Any] = {
    "private_service_connect_config": {"enable_private_service_connect": True, "project_allowlist": ["p-1234"]}
}
KEY = f"{LOCATION}/keyRings/r/cryptoKeys/k"
LOGGED = {"enabled": True, "sampling_rate": 0.1, "bigquery_destination": {"output_uri": "bq://p-1234.d.t"}}
HEADER = "x-vertex-ai-endpoint-id"
TWO = [(NETWORK, CONNECTED), (NETWORK, DEDICATED), (DEDICATED, CONNECTED)]
NAMES = ["network and connect", "network and dedicated", "dedicated and connect"]


def create(cloud: Google, **fields: Any) -> Any:
    return cloud.endpoints.create_endpoint(parent=LOCATION, endpoint={"display_name": "e", **fields})


def timeout(seconds: float) -> dict[str, Any]:
    return {"client_connection_config": {"inference_timeout": Duration(seconds=int(seconds))}}


def change_timeout(cloud: Google, name: str, seconds: float, **more: Any) -> Any:
    return cloud.endpoints.update_endpoint_long_running(endpoint={"name": name, **timeout(seconds), **more})


def serving(cloud: Google, **fields: Any) -> str:
    """An endpoint with one model on it, and no split."""
    name = cloud.endpoint(**fields)
    cloud.deploy(name, cloud.upload())
    return name


# --- of which kind ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other"), TWO, ids=NAMES)
def test_an_endpoint_is_of_one_kind(cloud: Google, one: dict[str, Any], other: dict[str, Any]) -> None:
    with refused("INVALID_ARGUMENT", "one of the two"):
        create(cloud, **one, **other)


@pytest.mark.parametrize("fields", [NETWORK, DEDICATED, CONNECTED], ids=list)
def test_a_kind_is_kept(cloud: Google, fields: dict[str, Any]) -> None:
    name = cloud.endpoint(**fields)
    kept = type(cloud.endpoints.get_endpoint(name=name)).to_dict(cloud.endpoints.get_endpoint(name=name))

    for field, value in fields.items():
        found = kept[field]
        assert (found if not isinstance(value, dict) else {key: found[key] for key in value}) == value


@pytest.mark.parametrize("network", ["n", "projects/tpuserve-local/global/networks/n", "projects/1/networks/n"])
def test_a_network_is_named_in_full_with_the_projects_number(cloud: Google, network: str) -> None:
    with refused("INVALID_ARGUMENT", "endpoint.network", network):
        create(cloud, network=network)


@pytest.mark.parametrize("key", ["k", KEY.replace("us-east5", "us-east1")])
def test_a_key_is_of_the_endpoints_region(cloud: Google, key: str) -> None:
    with refused("INVALID_ARGUMENT", "kms_key_name", key):
        create(cloud, encryption_spec={"kms_key_name": key})


def test_a_key_is_kept(cloud: Google) -> None:
    name = cloud.endpoint(encryption_spec={"kms_key_name": KEY})

    assert cloud.endpoints.get_endpoint(name=name).encryption_spec.kms_key_name == KEY


# --- split and predictions -------------------------------------------------------------------------------------------


def test_an_endpoint_in_a_network_has_no_split(cloud: Google) -> None:
    name = cloud.endpoint(**NETWORK)
    deployed = cloud.deploy(name, cloud.upload())

    with refused("INVALID_ARGUMENT", "traffic_split", "network"):
        cloud.update_split(name, {deployed: 100})


def test_an_endpoint_in_a_network_takes_no_split_with_a_model(cloud: Google) -> None:
    name = cloud.endpoint(**NETWORK)

    with refused("INVALID_ARGUMENT", "traffic_split", "network"):
        cloud.deploy(name, cloud.upload(), split={"0": 100})


def test_the_one_model_in_a_network_answers_without_a_split(cloud: Google) -> None:
    answer = cloud.predictions.predict(endpoint=serving(cloud, **NETWORK), instances=[1.0])

    assert answer.model_version_id == "1"


@pytest.mark.parametrize("fields", [DEDICATED, CONNECTED], ids=list)
def test_the_shared_host_name_does_not_answer_for_an_endpoint_with_one_of_its_own(
    cloud: Google, fields: dict[str, Any]
) -> None:
    name = serving(cloud, **fields)

    with refused("FAILED_PRECONDITION", "shared host name", HEADER):
        cloud.predictions.predict(endpoint=name, instances=[1.0])


@pytest.mark.parametrize("fields", [DEDICATED, CONNECTED], ids=list)
def test_the_header_stands_for_the_endpoints_own_host_name(cloud: Google, fields: dict[str, Any]) -> None:
    name = cloud.endpoint(**fields)
    cloud.deploy(name, cloud.upload(), split={"0": 100})
    answer = cloud.predictions.predict(endpoint=name, instances=[1.0], metadata=[(HEADER, "serving")])

    assert answer.model_version_id == "1"


def test_the_header_of_another_endpoint_is_not_that_host_name(cloud: Google) -> None:
    name = serving(cloud, **DEDICATED)

    with refused("FAILED_PRECONDITION", "serving.us-east5-"):
        cloud.predictions.predict(endpoint=name, instances=[1.0], metadata=[(HEADER, "another")])


# --- request logging -------------------------------------------------------------------------------------------------


def test_a_request_log_is_kept(cloud: Google) -> None:
    name = cloud.endpoint(predict_request_response_logging_config=LOGGED)
    config = cloud.endpoints.get_endpoint(name=name).predict_request_response_logging_config

    assert (config.enabled, config.sampling_rate, config.bigquery_destination.output_uri) == (
        True,
        0.1,
        "bq://p-1234.d.t",
    )


def test_a_request_log_is_changed_by_an_update(cloud: Google) -> None:
    name = cloud.endpoint(predict_request_response_logging_config=LOGGED)
    given = {"name": name, "predict_request_response_logging_config": {**LOGGED, "sampling_rate": 0.5}}
    mask = {"paths": ["predict_request_response_logging_config"]}

    changed = cloud.endpoints.update_endpoint(endpoint=given, update_mask=mask)

    assert changed.predict_request_response_logging_config.sampling_rate == 0.5


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_a_sampling_rate_is_a_fraction(cloud: Google, rate: float) -> None:
    with refused("INVALID_ARGUMENT", "sampling_rate", "(0,1]"):
        create(cloud, predict_request_response_logging_config={**LOGGED, "sampling_rate": rate})


@pytest.mark.parametrize("uri", ["p.d.t", "bq://", "bq://p.d.t.x", "gs://b", "bq://" + "p" * 2000])
def test_a_request_log_is_in_bigquery(cloud: Google, uri: str) -> None:
    with refused("INVALID_ARGUMENT", "output_uri"):
        create(cloud, predict_request_response_logging_config={"bigquery_destination": {"output_uri": uri}})


def test_an_endpoint_in_a_network_has_no_request_log(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "logging_config.enabled", "network"):
        create(cloud, **NETWORK, predict_request_response_logging_config=LOGGED)


def test_a_request_log_cannot_be_added_to_an_endpoint_in_a_network(cloud: Google) -> None:
    given = {"name": cloud.endpoint(**NETWORK), "predict_request_response_logging_config": LOGGED}

    with refused("INVALID_ARGUMENT", "logging_config.enabled", "network"):
        cloud.endpoints.update_endpoint(
            endpoint=given, update_mask={"paths": ["predict_request_response_logging_config"]}
        )


# --- inference timeout -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fields", [DEDICATED, CONNECTED], ids=list)
def test_an_inference_timeout_is_kept(cloud: Google, fields: dict[str, Any]) -> None:
    name = cloud.endpoint(**fields, **timeout(90))

    assert cloud.endpoints.get_endpoint(name=name).client_connection_config.inference_timeout.seconds == 90


@pytest.mark.parametrize("fields", [{}, NETWORK], ids=["shared", "network"])
def test_an_inference_timeout_is_for_dedicated_endpoints_and_private_service_connect(
    cloud: Google, fields: dict[str, Any]
) -> None:
    with refused("INVALID_ARGUMENT", "inference_timeout", "90s"):
        create(cloud, **fields, **timeout(90))


@pytest.mark.parametrize("seconds", [0, 3601])
def test_an_inference_timeout_is_an_hour_at_most(cloud: Google, seconds: int) -> None:
    with refused("INVALID_ARGUMENT", "inference_timeout", f"{seconds}s"):
        create(cloud, **DEDICATED, **timeout(seconds))


def test_the_inference_timeout_changes_by_its_own_operation(cloud: Google) -> None:
    changed = cloud.done(change_timeout(cloud, cloud.endpoint(**DEDICATED), 90))

    assert changed.client_connection_config.inference_timeout.seconds == 90


def test_the_inference_timeout_is_taken_away_by_an_empty_configuration(cloud: Google) -> None:
    name = cloud.endpoint(**DEDICATED, **timeout(90))
    given = {"name": name, "client_connection_config": {}}
    changed = cloud.done(cloud.endpoints.update_endpoint_long_running(endpoint=given))

    assert not changed.client_connection_config.inference_timeout


def test_that_operation_takes_no_other_field(cloud: Google) -> None:
    name = cloud.endpoint(**DEDICATED)

    with refused("INVALID_ARGUMENT", "display_name", "client_connection_config"):
        change_timeout(cloud, name, 90, display_name="other")


def test_that_operation_takes_other_fields_as_they_are(cloud: Google) -> None:
    name = cloud.endpoint(**DEDICATED)

    assert cloud.done(change_timeout(cloud, name, 90, display_name="serving")).display_name == "serving"


def test_a_changing_timeout_blocks_every_other_update(cloud: Google) -> None:
    name = cloud.endpoint(**DEDICATED)
    cloud.control.hold("update_endpoint")
    change_timeout(cloud, name, 90)

    with refused("FAILED_PRECONDITION", "operation is running"):
        cloud.endpoints.update_endpoint(endpoint={"name": name}, update_mask={"paths": ["labels"]})


def test_a_changing_timeout_blocks_a_deployment(cloud: Google) -> None:
    name, model = cloud.endpoint(**DEDICATED), cloud.upload()
    cloud.control.hold("update_endpoint")
    change_timeout(cloud, name, 90)

    with refused("FAILED_PRECONDITION", "operation is running"):
        cloud.begin_deploy(name, model)


def test_the_host_name_of_a_dedicated_endpoint_is_known_when_it_exists(cloud: Google) -> None:
    made = cloud.done(create(cloud, **DEDICATED))

    assert made.dedicated_endpoint_dns.startswith(f"https://{made.name.removeprefix(f'{HERE}/endpoints/')}.us-east5-")
