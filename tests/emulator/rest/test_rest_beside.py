"""Fields that only a discovery document knows are kept by both faces."""

from tests.emulator.google import LOCATION, ZONE, Google
from tests.emulator.rest.http_client import ENDPOINTS, QUEUED, Rest, collection
from tpuserve.emulator.beside import merged

FLEX = {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}


def test_they_are_answered_as_they_were_given(rest: Rest) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**FLEX))
    answer = rest.get(f"{QUEUED}/pool").value()

    assert {name: answer[name] for name in FLEX} == FLEX


def test_they_are_in_a_list(rest: Rest) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**FLEX))
    (found,) = rest.get(QUEUED).value()["queuedResources"]

    assert found["provisioningModel"] == "FLEX_START"


def test_deep_ones_are_in_their_place(rest: Rest) -> None:
    body = collection()
    body["tpu"]["nodeSpec"][0]["node"] |= {"schedulingConfig": {"preemptible": False, "provisioningModel": "SPOT"}}
    rest.post(f"{QUEUED}?queuedResourceId=pool", body)
    (spec,) = rest.get(f"{QUEUED}/pool").value()["tpu"]["nodeSpec"]

    assert spec["node"]["schedulingConfig"] == {"provisioningModel": "SPOT"}


def test_a_read_over_grpc_leaves_them(rest: Rest, cloud: Google) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**FLEX))
    cloud.tpu.get_queued_resource(name=f"{ZONE}/queuedResources/pool")

    assert rest.get(f"{QUEUED}/pool").value()["provisioningModel"] == "FLEX_START"


def test_they_go_with_their_object(rest: Rest, cloud: Google) -> None:
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**FLEX))
    cloud.wait(rest.ask("DELETE", f"{QUEUED}/pool?force=true").value()["name"])
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection())

    assert "provisioningModel" not in rest.get(f"{QUEUED}/pool").value()


def test_lists_are_laid_over_each_other_item_by_item() -> None:
    assert merged([{"a": 1}, {"b": 2}], [{}, {"c": 3}]) == [{"a": 1}, {"b": 2, "c": 3}]


def test_names_in_snake_case_are_answered_in_camel_case(rest: Rest) -> None:
    given = {"provisioning_model": "FLEX_START", "run_duration": {"max_run_duration": "3600s"}}
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**given))
    answer = rest.get(f"{QUEUED}/pool").value()

    assert {name: answer[name] for name in FLEX} == FLEX


def test_nothing_is_kept_of_null_and_of_unspecified(rest: Rest) -> None:
    given = {"provisioningModel": "PROVISIONING_MODEL_UNSPECIFIED", "runDuration": None}
    rest.post(f"{QUEUED}?queuedResourceId=pool", collection(**given))

    assert rest.get(f"{QUEUED}/pool").value().keys() & FLEX.keys() == set()


def test_what_is_output_only_is_not_taken(rest: Rest) -> None:
    body = collection()
    scheduling = {"terminationTimestamp": "2030-01-01T00:00:00Z", "reservationName": "mine"}
    body["tpu"]["nodeSpec"][0]["node"] |= {"schedulingConfig": scheduling}
    rest.post(f"{QUEUED}?queuedResourceId=pool", body)
    (spec,) = rest.get(f"{QUEUED}/pool").value()["tpu"]["nodeSpec"]

    assert spec["node"]["schedulingConfig"] == {"reservationName": "mine"}


def test_a_change_over_grpc_leaves_them(rest: Rest, cloud: Google) -> None:
    rest.post(f"{ENDPOINTS}?endpointId=serving", {"displayName": "serving", "gdcConfig": {"zone": "z"}})
    endpoint = {"name": f"{LOCATION}/endpoints/serving", "display_name": "other"}
    cloud.endpoints.update_endpoint(endpoint=endpoint, update_mask={"paths": ["display_name"]})
    found = rest.get(f"{ENDPOINTS}/serving").value()

    assert (found["displayName"], found["gdcConfig"]) == ("other", {"zone": "z"})


def test_an_endpoint_s_outlive_a_lost_answer(rest: Rest, cloud: Google) -> None:
    cloud.control.fail("CreateEndpoint", "UNAVAILABLE", phase="after")
    rest.post(f"{ENDPOINTS}?endpointId=serving", {"displayName": "serving", "gdcConfig": {"zone": "z"}})

    assert rest.get(f"{ENDPOINTS}/serving").value()["gdcConfig"] == {"zone": "z"}
