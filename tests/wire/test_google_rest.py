"""The same seam over REST, for what gRPC cannot say: retries, errors, who asks and where."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.wire import programs
from tests.wire.authority import Authority
from tests.wire.programs import ZONE_PATH
from tests.wire.test_cloud_quotas import Quotas
from tpuserve.access import QUOTA_PROJECT, Access
from tpuserve.emulator import Emulator
from tpuserve.google import ATTEMPTS, LONGEST_WAIT, TPU, CloudError, Google, Patience

CREATE, GET = "CreateQueuedResource", "GetQueuedResource"
FLEX = {"provisioningModel": "FLEX_START", "runDuration": {"maxRunDuration": "3600s"}}
NAME = f"{ZONE_PATH}/queuedResources/pool"
RATE = "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute'"


@pytest_asyncio.fixture
async def google(emulator: Emulator) -> AsyncIterator[Google]:
    url, rest = f"http://{emulator.address}", f"http://{emulator.addresses.rest}"
    google = Google({"tpu": url, "tpuRest": rest}, retry_wait=(0.001, 0.002))
    yield google
    await google.close()


def request(**more: Any) -> dict[str, Any]:
    body = programs.collection(**FLEX)
    body["tpu"]["nodeSpec"][0]["parent"] = ZONE_PATH
    return {"parent": ZONE_PATH, "queuedResourceId": "pool", "queuedResource": body, **more}


def sent(emulator: Emulator, method: str) -> int:
    return sum(call["method"] == method for call in emulator.control.calls())


async def create(google: Google) -> dict[str, Any]:
    return await google.call(CREATE, request(requestId="00000000-0000-4000-8000-000000000001"), rest=True)


async def test_what_only_rest_can_say_comes_back_over_it(google: Google) -> None:
    await create(google)
    found = await google.call(GET, {"name": NAME}, rest=True)

    assert {key: found[key] for key in FLEX} == FLEX


async def test_all_else_is_told_alike_over_both(google: Google) -> None:
    await create(google)
    ways = [await google.call(GET, {"name": NAME}, rest=rest) for rest in (True, False)]
    for found in ways:
        found.pop("state")  # it moves on between the two

    assert ways[0] == ways[1] | FLEX


async def test_a_repeated_create_finds_its_own(google: Google, emulator: Emulator) -> None:
    """By the request's id, which is sent with each try."""
    emulator.control.fail(CREATE, "UNAVAILABLE", phase="after")

    assert (await create(google))["name"]
    assert sent(emulator, CREATE) == 2


async def test_tries_are_bounded(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(GET, "UNAVAILABLE", times=-1)

    with pytest.raises(CloudError):
        await google.call(GET, {"name": NAME}, rest=True)

    assert sent(emulator, GET) == ATTEMPTS


async def test_a_line_that_was_cut_is_tried_again(google: Google, emulator: Emulator) -> None:
    await create(google)
    emulator.control.disturb(GET, "reset")

    assert (await google.call(GET, {"name": NAME}, rest=True))["provisioningModel"] == "FLEX_START"


@pytest.mark.parametrize("code", ["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION", "INVALID_ARGUMENT", "ABORTED"])
async def test_an_error_has_the_code_that_it_has_over_grpc(google: Google, emulator: Emulator, code: str) -> None:
    emulator.control.fail(GET, code, "why", reason="REASON")

    with pytest.raises(CloudError) as error:
        await google.call(GET, {"name": NAME}, rest=True)

    assert (error.value.code, error.value.message, error.value.reason) == (code, "why", "REASON")


async def test_time_after_which_google_wants_to_be_asked_again_is_told(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(GET, "RESOURCE_EXHAUSTED", RATE, retry_after=LONGEST_WAIT + 1.5)

    with pytest.raises(CloudError) as error:
        await google.call(GET, {"name": NAME}, rest=True)

    assert error.value.retry_after == LONGEST_WAIT + 1.5


async def test_a_header_alone_tells_that_time_too() -> None:
    with Quotas(429, b'{"error": {"status": "RESOURCE_EXHAUSTED"}}', {"Retry-After": "500"}).running() as served:
        google = Google({"tpuRest": served.url})
        with pytest.raises(CloudError) as error:
            await google.call(GET, {"name": NAME}, rest=True)

    assert error.value.retry_after == 500


async def test_a_stop_ends_the_wait_at_once(google: Google, emulator: Emulator) -> None:
    emulator.control.disturb(GET, "stall")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(google.call(GET, {"name": NAME}, rest=True), 0.2)

    assert time.monotonic() - began < 5
    emulator.control.clear_faults()


def test_a_process_that_ends_waits_for_no_answer() -> None:
    """The plugin has 5 s to end when its engine is gone."""

    async def asked(url: str) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(Google({"tpuRest": url}).call(GET, {"name": NAME}, rest=True), 0.2)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        asyncio.run(asked(f"http://127.0.0.1:{silent.getsockname()[1]}"))

    assert time.monotonic() - began < 5


async def test_over_tls_the_provider_s_own_token_and_quota_project_are_sent(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    access = Access(access_token="t0ken", ca_bundle=authority.bundle, charges_project=True)
    with Quotas(200, b"{}").running(authority.server()) as served:
        await Google({"tpu": served.url}, access).call(GET, {"name": NAME}, rest=True)

    ((path, headers),) = served.asked
    found = (path, headers["authorization"], headers[QUOTA_PROJECT])
    assert found == (f"/v2alpha1/{NAME}", "Bearer t0ken", programs.PROJECT)


async def test_a_bundle_that_is_gone_is_told_as_over_grpc(tmp_path: Path) -> None:
    access = Access(access_token="t0ken", ca_bundle=str(tmp_path / "gone.pem"))
    with pytest.raises(CloudError) as error:
        await Google({"tpu": "https://127.0.0.1:1"}, access).call(GET, {"name": NAME}, rest=True)

    assert (error.value.code, error.value.message.startswith("caBundle: ")) == ("UNAUTHENTICATED", True)


async def test_a_proxy_is_not_asked_for_what_is_on_this_machine(
    google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "all_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "" if "no" in name.lower() else "http://127.0.0.1:1")

    assert (await create(google))["name"]


@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        ({}, "https://tpu.googleapis.com"),
        ({"tpu": "https://tpu.internal"}, "https://tpu.internal"),
        ({"tpu": "https://tpu.internal", "tpuRest": "https://rest.internal"}, "https://rest.internal"),
        ({"tpu": "http://127.0.0.1:1", "tpuRest": "http://127.0.0.1:2"}, "http://127.0.0.1:2"),
        ({"tpu": "http://127.0.0.1:1"}, ""),
    ],
)
def test_rest_is_where_grpc_is_unless_that_is_an_emulator(endpoints: Mapping[str, str], expected: str) -> None:
    assert Google(endpoints).rest_url(TPU) == expected


async def test_an_emulator_whose_rest_nobody_named_is_told_so_at_once() -> None:
    with pytest.raises(CloudError, match=r"endpoints\.tpuRest") as error:
        await Google({"tpu": "http://127.0.0.1:1"}).call(CREATE, request(), patience=Patience(), rest=True)

    assert error.value.code == "INVALID_ARGUMENT"
