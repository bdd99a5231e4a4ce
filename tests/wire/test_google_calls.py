"""The seam to Google: which calls are sent again, what comes back, what an error is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.wire import programs
from tpuserve.emulator import Emulator
from tpuserve.google import ATTEMPTS, LONGEST_WAIT, Attempts, CloudError, Google, Patience, address_of

PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
RATE = "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute'"
CHIPS = "Quota limit 'TPUV6EPerProjectPerZoneForTPUAPI' has been exceeded. Limit: 8 in zone us-east5-b"
DENIED = "Permission 'aiplatform.models.list' denied on resource '//aiplatform.googleapis.com/projects/p'"
LIST, UPLOAD = "ListModels", "UploadModel"


@pytest_asyncio.fixture
async def google(emulator: Emulator) -> AsyncIterator[Google]:
    url = f"http://{emulator.address}"
    google = Google({"tpu": url, "aiplatform": url}, retry_wait=(0.001, 0.002))
    yield google
    await google.close()


def sent(emulator: Emulator, method: str) -> int:
    return sum(call["method"] == method for call in emulator.control.calls())


async def ask(google: Google) -> dict[str, Any]:
    return await google.call(LIST, {"parent": PARENT}, programs.LOCATION)


async def upload(google: Google) -> dict[str, Any]:
    model = {"displayName": "m", "containerSpec": {"imageUri": "i"}}
    return await google.call(UPLOAD, {"parent": PARENT, "model": model}, programs.LOCATION)


@pytest.mark.parametrize(
    ("code", "message"),
    [("UNAVAILABLE", "try again"), ("DEADLINE_EXCEEDED", ""), ("RESOURCE_EXHAUSTED", RATE)],
)
async def test_what_may_pass_is_tried_again(google: Google, emulator: Emulator, code: str, message: str) -> None:
    emulator.control.fail(LIST, code, message, times=2)

    await ask(google)

    assert sent(emulator, LIST) == 3


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("RESOURCE_EXHAUSTED", CHIPS),
        ("RESOURCE_EXHAUSTED", "There is no more capacity in the zone"),
        ("ABORTED", "etag"),
        ("INTERNAL", ""),
        ("PERMISSION_DENIED", ""),
        ("PERMISSION_DENIED", DENIED),
        ("UNAVAILABLE", "Insufficient capacity for v6e"),
        ("INVALID_ARGUMENT", ""),
        ("NOT_FOUND", ""),
        ("FAILED_PRECONDITION", ""),
    ],
)
async def test_what_stays_is_told_at_once(google: Google, emulator: Emulator, code: str, message: str) -> None:
    emulator.control.fail(LIST, code, message, times=-1)

    with pytest.raises(CloudError) as error:
        await ask(google)

    assert (error.value.code, error.value.method, sent(emulator, LIST)) == (code, LIST, 1)


async def test_tries_are_bounded(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(LIST, "UNAVAILABLE", times=-1)

    with pytest.raises(CloudError):
        await ask(google)

    assert sent(emulator, LIST) == ATTEMPTS


async def test_upload_is_never_sent_twice_unasked(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(UPLOAD, "UNAVAILABLE", times=-1)

    with pytest.raises(CloudError):
        await upload(google)

    assert sent(emulator, UPLOAD) == 1


async def test_upload_that_was_one_request_too_many_is_sent_again(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(UPLOAD, "RESOURCE_EXHAUSTED", RATE, retry_after=0.01)

    await upload(google)

    assert sent(emulator, UPLOAD) == 2


async def test_permission_that_was_granted_just_now_is_waited_for(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(LIST, "PERMISSION_DENIED", DENIED, times=8, reason="IAM_PERMISSION_DENIED")

    await google.call(LIST, {"parent": PARENT}, programs.LOCATION, Patience(grants=30.0))

    assert sent(emulator, LIST) == 9


async def test_reason_is_googles(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(LIST, "PERMISSION_DENIED", "no", reason="SERVICE_DISABLED")

    with pytest.raises(CloudError) as error:
        await ask(google)

    assert error.value.reason == "SERVICE_DISABLED"


async def test_time_after_which_google_wants_to_be_asked_again_is_told(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(LIST, "RESOURCE_EXHAUSTED", RATE, retry_after=LONGEST_WAIT + 1.5)

    with pytest.raises(CloudError) as error:
        await ask(google)

    assert (error.value.retry_after, sent(emulator, LIST)) == (LONGEST_WAIT + 1.5, 1)


def attempts(*, repeatable: bool = True, grants: float = 0.0, clock: Any = lambda: 0.0) -> Attempts:
    return Attempts(repeatable, Patience(grants=grants), clock)


def test_time_that_google_names_is_waited() -> None:
    assert attempts().again(CloudError(LIST, "RESOURCE_EXHAUSTED", RATE, retry_after=7.5)) == 7.5


def test_time_that_google_names_for_capacity_is_not_waited() -> None:
    error = CloudError(LIST, "RESOURCE_EXHAUSTED", "There is no more capacity in the zone", retry_after=7.5)

    assert attempts().again(error) is False


def test_missing_permission_is_asked_for_until_the_time_is_over() -> None:
    now = iter([0.0, 29.0, 31.0])
    made = attempts(grants=30.0, clock=lambda: next(now))
    error = CloudError(LIST, "PERMISSION_DENIED", DENIED)

    assert (made.again(error), made.again(error)) == (True, False)


async def test_message_is_googles(google: Google, emulator: Emulator) -> None:
    emulator.control.fail(LIST, "PERMISSION_DENIED", "Permission 'x' denied")

    with pytest.raises(CloudError, match=r"^Permission 'x' denied$"):
        await ask(google)


async def test_operation_has_a_name_and_a_response(google: Google) -> None:
    operation = await upload(google)
    ended = await google.call("WaitOperation", {"name": operation["name"], "timeout": "5s"}, programs.LOCATION)

    assert ended["response"]["modelVersionId"] == "1"


async def test_listing_is_followed_over_its_pages(google: Google) -> None:
    for _ in range(3):
        await upload(google)

    listed = await google.pages(LIST, {"parent": PARENT, "pageSize": 1}, programs.LOCATION, key="models")

    assert len(listed) == 3


async def test_nobody_there_is_unavailable() -> None:
    google = Google({"aiplatform": "http://127.0.0.1:1"}, retry_wait=(0.001, 0.002))

    with pytest.raises(CloudError) as error:
        await ask(google)

    await google.close()
    assert error.value.code == "UNAVAILABLE"


async def test_tries_write_nothing_to_the_screen(
    google: Google, emulator: Emulator, capfd: pytest.CaptureFixture[str]
) -> None:
    emulator.control.fail(LIST, "UNAVAILABLE", times=2)

    await ask(google)

    assert capfd.readouterr() == ("", "")


async def test_missing_credentials_are_an_error_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    google = Google()

    with pytest.raises(CloudError, match=r"none\.json was not found") as error:
        await ask(google)

    assert (error.value.code, error.value.method) == ("UNAUTHENTICATED", LIST)


async def test_search_for_credentials_does_not_hold_up_other_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Reading a pipe blocks until something is written: here by work that goes on meanwhile."""
    pipe = tmp_path / "credentials.json"
    os.mkfifo(pipe)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(pipe))

    async def write() -> None:
        await asyncio.to_thread(pipe.write_text, "not json")

    with pytest.raises(CloudError, match="credentials"):
        await asyncio.gather(ask(Google()), write())


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://tpu.googleapis.com", "tpu.googleapis.com:443"),
        ("http://127.0.0.1:5", "127.0.0.1:5"),
        ("http://[::1]:5", "[::1]:5"),
        ("http://localhost", "localhost:80"),
    ],
)
def test_address(url: str, address: str) -> None:
    assert address_of(url) == address


LOADS_LATE = """
import asyncio, warnings
warnings.simplefilter("ignore")
from google.longrunning import operations_pb2
from google.protobuf import any_pb2
from tpuserve.google import _as_dict, _services
_services("EndpointService")
kind = "type.googleapis.com/google.cloud.aiplatform.v1.CreateTensorboardOperationMetadata"
operation = operations_pb2.Operation(name="o", metadata=any_pb2.Any(type_url=kind))
print(_as_dict(operation)["metadata"]["@type"])
"""


def test_an_operation_of_a_service_that_is_never_called_can_be_read() -> None:
    done = subprocess.run([sys.executable, "-c", LOADS_LATE], capture_output=True, text=True, check=False)

    assert done.stdout.strip().endswith(".CreateTensorboardOperationMetadata"), done.stderr
