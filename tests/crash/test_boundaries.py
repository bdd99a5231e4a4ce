"""Call boundaries: what they are named, and where a run is stopped."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.crash.boundaries import Boundary, armed, reached, recorded
from tests.engine.harness.cloud import LOCATION, PROJECT, Cloud, running
from tpuserve.google import Google

PARENT = f"projects/{PROJECT}/locations/{LOCATION}"


def call(method: str, **request: str) -> dict[str, Any]:
    return {"method": method, "request": request}


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    with running() as cloud:
        yield cloud


async def creates(address: str, count: int) -> None:
    """Endpoints, one after the other."""
    google = Google({"aiplatform": f"http://{address}"})
    for number in range(count):
        request = {"parent": PARENT, "endpointId": f"e{number}", "endpoint": {"displayName": str(number)}}
        await google.call("CreateEndpoint", request, LOCATION)
    await google.close()


def test_each_changing_call_has_two_boundaries() -> None:
    assert recorded([call("DeployModel")]) == [
        Boundary("DeployModel", 1, "before"),
        Boundary("DeployModel", 1, "after"),
    ]


def test_the_mask_of_an_update_is_part_of_its_name() -> None:
    [before, _] = recorded([call("UpdateEndpoint", updateMask="trafficSplit")])

    assert str(before) == "UpdateEndpoint:trafficSplit#1 before"


def test_calls_of_one_name_are_numbered() -> None:
    calls = [call("UpdateEndpoint", updateMask="labels"), call("DeployModel")] * 2

    assert [(found.call, found.turn) for found in recorded(calls)][::2] == [
        ("UpdateEndpoint:labels", 1),
        ("DeployModel", 1),
        ("UpdateEndpoint:labels", 2),
        ("DeployModel", 2),
    ]


@pytest.mark.parametrize(("phase", "there"), [("before", 1), ("after", 2)])
def test_a_run_stands_still_at_its_boundary(cloud: Cloud, phase: Any, there: int) -> None:
    boundary = Boundary("CreateEndpoint", 2, phase)
    armed(cloud.control, boundary)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(lambda: asyncio.run(creates(cloud.address, 3)))
        try:
            met = reached(cloud.control, boundary, lambda: not run.done())
            found = len(cloud.objects("endpoints"))
        finally:
            cloud.control.release_break()

    assert (met, found) == (True, there)


@pytest.mark.unmet_faults
def test_a_run_that_ends_without_its_boundary_is_told(cloud: Cloud) -> None:
    boundary = Boundary("DeployModel", 1, "after")
    armed(cloud.control, boundary)
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(lambda: asyncio.run(creates(cloud.address, 1)))

        assert not reached(cloud.control, boundary, lambda: not run.done())
