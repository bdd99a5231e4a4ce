"""What REST takes and refuses, in the words of Google's front end."""

import socket
from typing import Any

import pytest

from tests.emulator.google import LOCATION, ZONE, Google
from tests.emulator.rest.http_client import ENDPOINTS, MODELS, QUEUED, UPLOAD, Rest, collection
from tpuserve.emulator import Emulator


def test_a_model_uploaded_over_rest_is_read_over_grpc(rest: Rest, cloud: Google) -> None:
    operation = rest.post(f"{MODELS}:upload", UPLOAD).value()["name"]
    cloud.wait(operation)

    assert cloud.models.get_model(name=f"{LOCATION}/models/digits").display_name == "digits"


def test_a_model_uploaded_over_grpc_is_read_over_rest(rest: Rest, cloud: Google) -> None:
    cloud.upload()

    assert rest.get(f"{MODELS}/digits").value()["displayName"] == "digits"


def test_a_percent_encoded_path_is_decoded(rest: Rest, cloud: Google) -> None:
    cloud.upload()

    assert rest.get(f"{MODELS}/digits%401").value()["versionId"] == "1"


def test_snake_case_names_are_taken_as_well(rest: Rest, cloud: Google) -> None:
    created = rest.post(f"{ENDPOINTS}?endpoint_id=serving", {"display_name": "serving"})
    cloud.wait(created.value()["name"])

    assert rest.get(f"{ENDPOINTS}/serving").value()["displayName"] == "serving"


def test_a_patch_changes_what_its_mask_names(rest: Rest, cloud: Google) -> None:
    cloud.endpoint()
    body = {"displayName": "other", "description": "kept out"}
    changed = rest.ask("PATCH", f"{ENDPOINTS}/serving?updateMask=displayName", body).value()

    assert (changed["displayName"], "description" in changed) == ("other", False)


def test_a_mask_is_taken_in_snake_case(rest: Rest, cloud: Google) -> None:
    cloud.endpoint()
    changed = rest.ask("PATCH", f"{ENDPOINTS}/serving?updateMask=display_name", {"displayName": "other"})

    assert changed.value()["displayName"] == "other"


def test_the_path_wins_over_the_body(rest: Rest, cloud: Google) -> None:
    cloud.endpoint()
    body = {"name": f"{LOCATION}/endpoints/another", "displayName": "other"}
    changed = rest.ask("PATCH", f"{ENDPOINTS}/serving?updateMask=displayName", body).value()

    assert changed["name"].endswith("/endpoints/serving")


def test_enums_are_numbers_where_it_is_asked_for(rest: Rest) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection())
    state = rest.get(f"{QUEUED}/pool?$alt=json;enum-encoding=int").value()["state"]["state"]

    assert isinstance(state, int)


def test_enums_are_taken_as_numbers(rest: Rest) -> None:
    body = collection()
    body["tpu"]["nodeSpec"][0]["multiNodeParams"] = {"nodeCount": 2, "workloadType": 2}
    rest.post(f"{QUEUED}?queuedResourceId=pool", body)
    (spec,) = rest.get(f"{QUEUED}/pool").value()["tpu"]["nodeSpec"]

    assert spec["multiNodeParams"]["workloadType"] == "AVAILABILITY_OPTIMIZED"


def test_pages_lose_nothing(rest: Rest, cloud: Google) -> None:
    for name in ("a", "b", "c"):
        cloud.endpoint(name)
    first = rest.get(f"{ENDPOINTS}?pageSize=2").value()
    second = rest.get(f"{ENDPOINTS}?pageSize=2&pageToken={first['nextPageToken']}").value()

    assert [found["displayName"] for found in first["endpoints"] + second["endpoints"]] == ["a", "b", "c"]
    assert "nextPageToken" not in second


@pytest.mark.parametrize("answer", ["true", "True", "1"])
def test_a_truth_is_taken_as_clients_spell_it(rest: Rest, answer: str) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection())

    assert rest.ask("DELETE", f"{QUEUED}/pool?force={answer}").status == 200


REFUSED: list[tuple[str, Any, str]] = [
    ("", {"bar": 1}, "Unknown name \"bar\" at 'queued_resource': Cannot find field."),
    ("", {"tpu": []}, "Unknown name \"tpu\" at 'queued_resource': Proto field is not repeating, cannot start list."),
    ("", {"reservationName": 5}, "Invalid value at 'queued_resource.reservation_name' (TYPE_STRING), 5"),
    ("", {"provisioningModel": "X"}, "Invalid value at 'queued_resource.provisioning_model' (TYPE_STRING), \"X\""),
    ("", {"runDuration": {"maxRunDuration": "1 h"}}, '(type.googleapis.com/google.protobuf.Duration), "1 h"'),
    ("", {"tpu": {"nodeSpec": [{"multiNodeParams": {"workloadType": "X"}}]}}, 'MultiNodeParams.WorkloadType), "X"'),
    (
        "",
        {"tpu": {"nodeSpec": [{"node": {"labels": {"a": 1}}}]}},
        "node_spec[0].node.labels[0].value' (TYPE_STRING), 1",
    ),
    ("", [], "Root element must be a message."),
    ("", b"{", "Invalid JSON payload received."),
    ("", b'{"queueingPolicy": NaN}', "Unexpected token NaN"),
    ("&foo=1", {}, "Field 'foo' could not be found in request message."),
]


@pytest.mark.parametrize(("query", "body", "words"), REFUSED)
def test_what_does_not_fit_the_schema_is_refused(rest: Rest, query: str, body: Any, words: str) -> None:
    refused = rest.post(f"{QUEUED}?queuedResourceId=pool{query}", body)

    assert (refused.status, refused.value()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    assert words in refused.error()


def test_all_faults_are_told_at_once(rest: Rest) -> None:
    refused = rest.post(f"{QUEUED}?foo=1", {"bar": 1, "reservationName": 5}).value()["error"]
    violations = refused["details"][0]["fieldViolations"]

    assert [found["field"] for found in violations] == ["foo", "queued_resource", "queued_resource.reservation_name"]
    assert refused["message"].splitlines() == [found["description"] for found in violations]


def test_a_field_that_the_document_requires_is_missed(rest: Rest) -> None:
    assert "'deployed_model' is required" in rest.post(f"{ENDPOINTS}/serving:deployModel", {}).error()


@pytest.mark.parametrize("value", ["x", "1.5", "99999999999"])
def test_a_page_size_is_a_number(rest: Rest, value: str) -> None:
    assert "page_size" in rest.get(f"{ENDPOINTS}?pageSize={value}").error()


def test_a_page_token_of_another_list_is_refused(rest: Rest) -> None:
    assert rest.get(f"{ENDPOINTS}?pageToken=x").status == 400


@pytest.mark.parametrize("path", ["/", "/v9/x", f"/v1/{LOCATION}/endpoints/a/b", "/v1/projects//locations/x/endpoints"])
def test_a_path_of_no_method_is_not_found(rest: Rest, path: str) -> None:
    assert rest.get(path).value()["error"]["status"] == "NOT_FOUND"


def test_a_method_that_is_not_done_says_which(rest: Rest) -> None:
    refused = rest.get(f"/v2alpha1/{ZONE}/reservations")

    assert (refused.status, refused.value()["error"]["status"]) == (501, "UNIMPLEMENTED")
    assert "tpu.projects.locations.reservations.list" in refused.error()


def test_a_missing_object_is_a_status(rest: Rest) -> None:
    error = rest.get(f"{ENDPOINTS}/none").value()["error"]

    assert (error["code"], error["status"]) == (404, "NOT_FOUND")


def test_retry_info_is_in_the_header_as_well(rest: Rest, cloud: Google) -> None:
    cloud.control.fail("ListEndpoints", "RESOURCE_EXHAUSTED", retry_after=7)
    refused = rest.get(ENDPOINTS)

    assert (refused.status, refused.headers["Retry-After"]) == (429, "7")
    assert refused.value()["error"]["details"][0]["retryDelay"] == "7s"


def test_prettiness_can_be_declined(rest: Rest) -> None:
    assert rest.get(f"{ENDPOINTS}?prettyPrint=false").body == b"{}\n"


def test_calls_over_rest_are_in_the_record(rest: Rest, cloud: Google) -> None:
    rest.ask("GET", f"{ENDPOINTS}/none", Authorization="Bearer secret")
    (call,) = cloud.control.calls()

    assert (call["method"], call["code"], call["metadata"]["authorization"]) == (
        "GetEndpoint",
        "NOT_FOUND",
        "[redacted]",
    )


def test_a_caller_that_goes_away_before_the_commit_has_changed_nothing(
    rest: Rest, cloud: Google, emulator: Emulator
) -> None:
    cloud.control.break_at(0)
    host, _, port = emulator.addresses.rest.partition(":")
    with socket.create_connection((host, int(port))) as connection:
        body = b'{"displayName": "serving"}'
        head = f"POST {ENDPOINTS}?endpointId=serving HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)
        assert cloud.control.wait_broken()
    cloud.control.release_break()

    assert rest.get(ENDPOINTS).value() == {}


def test_what_is_no_http_is_refused_and_ends(rest: Rest, emulator: Emulator) -> None:
    host, _, port = emulator.addresses.rest.partition(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))

    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("body", [{"endpoint": []}, {"endpoint": None}, {"endpoint": 1}])
def test_an_update_whose_message_is_none_is_refused(rest: Rest, body: Any) -> None:
    assert rest.post(f"{ENDPOINTS}/serving:update", body).status == 400


def test_another_version_does_not_see_what_it_has_no_field_for(rest: Rest) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(provisioningModel="STANDARD"))
    found = rest.get(f"{QUEUED.replace('v2alpha1', 'v2')}/pool").value()

    assert "provisioningModel" not in found


def test_a_raw_prediction_is_passed_on_as_it_is(rest: Rest, cloud: Google) -> None:
    cloud.serving()
    answer = rest.ask("POST", f"{ENDPOINTS}/serving:rawPredict", b"any bytes", **{"Content-Type": "text/plain"})

    assert (answer.headers["Content-Type"], answer.body) == ("text/plain", b"any bytes")


def test_a_streamed_prediction_comes_in_chunks(rest: Rest, cloud: Google) -> None:
    cloud.serving()
    answer = rest.ask("POST", f"{ENDPOINTS}/serving:streamRawPredict", b"any bytes")

    assert (answer.headers.get("Transfer-Encoding"), answer.body) == ("chunked", b"any bytes")


def test_a_stream_that_fails_at_once_is_an_error(rest: Rest) -> None:
    assert rest.post(f"{ENDPOINTS}/none:streamRawPredict", {}).status == 404


def test_a_dedicated_endpoint_is_reached_by_its_own_host_name(rest: Rest, cloud: Google) -> None:
    endpoint = cloud.endpoint(dedicated_endpoint_enabled=True)
    cloud.deploy(endpoint, cloud.upload(), split={"0": 100})
    host = cloud.endpoints.get_endpoint(name=endpoint).dedicated_endpoint_dns.removeprefix("https://")
    body = {"instances": [1]}

    assert rest.post(f"{ENDPOINTS}/serving:predict", body).status == 400
    assert rest.ask("POST", f"{ENDPOINTS}/serving:predict", body, Host=host).status == 200
