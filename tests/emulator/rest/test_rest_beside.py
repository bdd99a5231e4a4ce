"""Fields that only a discovery document knows are kept by both faces."""

from tests.emulator.google import ZONE, Google
from tests.emulator.rest.http_client import QUEUED, Rest, collection
from tpuserve.emulator.rest.beside import merged

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
