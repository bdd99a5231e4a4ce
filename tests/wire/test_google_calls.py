"""The seam to Google: which calls are sent again, what comes back, what an error is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.wire import programs
from tpuserve.emulator import Emulator
from tpuserve.google import ATTEMPTS, CloudError, Google

PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
RATE = "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute'"
CHIPS = "Quota limit 'TPUV6EPerProjectPerZoneForTPUAPI' has been exceeded. Limit: 8 in zone us-east5-b"
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
