"""What nobody means to send: it is told to whoever sent it, and nobody else sees anything of it."""

import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.cloud.aiplatform_v1 import ListModelsRequest

from tests.emulator.google import LOCATION, ZONE, Google
from tests.emulator.rest.http_client import ENDPOINTS, MODELS, NODE, QUEUED, Rest
from tpuserve.emulator import Emulator
from tpuserve.emulator.api import ENDPOINTS as ENDPOINT_SERVICE
from tpuserve.emulator.control import ControlError

FAR = "315576000000s"
"""The longest Duration that there is."""


def nested(depth: int, opening: str = '{"a":', closing: str = "}") -> bytes:
    metadata = f"{opening * depth}1{closing * depth}"
    spec = '{"imageUri": "image"}'
    return f'{{"model": {{"displayName": "m", "containerSpec": {spec}, "metadata": {metadata}}}}}'.encode()


@pytest.mark.parametrize("body", [nested(40), nested(300), nested(900), nested(60, "[", "]"), nested(900, "[", "]")])
def test_json_deeper_than_a_message_can_be_is_refused(rest: Rest, body: bytes) -> None:
    answer = rest.ask("POST", f"{MODELS}:upload", body)

    assert (answer.status, answer.error()) == (400, "Invalid JSON payload received. Message too deep.")


@pytest.mark.parametrize("body", [nested(25), nested(40, "[", "]")])
def test_json_that_is_taken_is_read_by_every_client(rest: Rest, cloud: Google, body: bytes) -> None:
    cloud.wait(rest.ask("POST", f"{MODELS}:upload", body).value()["name"])

    (found,) = cloud.models.list_models(request=ListModelsRequest(parent=LOCATION))

    assert found.display_name == "m"


@pytest.mark.parametrize("sent", [b"\xff\xff\xff", b"\n\x7fprojects", b"\n\x02\xff\xfe"])
def test_bytes_that_are_no_message_are_internal_as_grpc_says(emulator: Emulator, cloud: Google, sent: bytes) -> None:
    cloud.control.clear_calls()
    channel: Any = grpc.insecure_channel(emulator.address)
    with channel, pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(f"/{ENDPOINT_SERVICE}/GetEndpoint")(sent)
    (call,) = cloud.control.calls()

    assert "INTERNAL" in str(refused.value)
    assert "Error parsing request proto" in str(refused.value)
    assert (call["method"], call["code"]) == ("GetEndpoint", "INTERNAL")


@pytest.mark.parametrize("token", ["x", "-1", "%C2%B2", "%D9%A3", "9" * 5000])
def test_a_page_token_that_no_answer_had_is_refused(rest: Rest, token: str) -> None:
    assert rest.get(f"{ENDPOINTS}?pageToken={token}").error().startswith("page_token: got")


@pytest.mark.parametrize("size", ["%D9%A3", "1.5", "1e3", "99999999999", "9" * 5000])
def test_a_page_size_that_is_no_number_of_32_bits_is_refused(rest: Rest, size: str) -> None:
    assert rest.get(f"{ENDPOINTS}?pageSize={size}").error().startswith("Invalid value at 'page_size' (TYPE_INT32)")


@pytest.mark.parametrize("size", ["%D9%A3", "9" * 5000])
def test_a_page_size_of_cloud_quotas_is_one_as_well(rest: Rest, size: str) -> None:
    path = f"/v1/{LOCATION.rpartition('/')[0]}/global/services/tpu.googleapis.com/quotaInfos"

    assert rest.get(f"{path}?pageSize={size}").status == 400


def queued(rest: Rest, policy: dict[str, Any]) -> str:
    spec = {"parent": ZONE, "nodeId": "late", "node": NODE}
    made = rest.post(f"{QUEUED}?queuedResourceId=late", {"tpu": {"nodeSpec": [spec]}, "queueingPolicy": policy})
    return made.value()["name"]


@pytest.mark.parametrize(
    "policy",
    [{"validAfterDuration": FAR}, {"validUntilDuration": FAR}, {"validAfterTime": "9999-12-31T23:59:59Z"}],
    ids=lambda policy: next(iter(policy)),
)
def test_a_window_beyond_what_a_moment_can_say_leaves_every_other_answer_as_it_is(
    rest: Rest, cloud: Google, policy: dict[str, Any]
) -> None:
    queued(rest, policy)

    cloud.endpoint()
    assert (rest.get(QUEUED).status, rest.get(f"{ENDPOINTS}/serving").status) == (200, 200)


def test_an_offset_that_no_place_has_is_no_time(rest: Rest) -> None:
    body = {"queueingPolicy": {"validUntilTime": "2500-01-01T00:00:00+99:99"}}
    refused = rest.post(f"{QUEUED}?queuedResourceId=late", body).error()

    assert refused.startswith("Invalid value at 'queued_resource.queueing_policy.valid_until_time'")


def test_a_break_of_a_call_that_was_is_refused(cloud: Google) -> None:
    with pytest.raises(ControlError, match=r"index: got -1; must be 0"):
        cloud.control.break_at(-1)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_have_is_told(cloud: Google, seconds: float) -> None:
    with pytest.raises(ControlError, match="Fail to serialize"):
        cloud.control.delay("upload_model", seconds)


@pytest.mark.parametrize("written", [b"", b"[]", b'{"version": 99}', json.dumps({"models": 1}).encode()[:-2]])
def test_a_state_that_cannot_be_read_is_told_where_the_emulator_is_started(tmp_path: Path, written: bytes) -> None:
    state = tmp_path / "state.json"
    state.write_bytes(written)

    with pytest.raises(RuntimeError, match=r"did not start: .*state\.json"), Emulator(state=state).running():
        pass
