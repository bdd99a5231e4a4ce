"""No request keeps the plugin from the others: its loop comes to what is due, whatever goes on."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.harness.cloud import Cloud
from tests.wire.programs import LOCATION, MODEL, OWNER, PROJECT, QUEUED_RESOURCE, ZONE, collection, model
from tests.wire.watchdog import BEAT, watched
from tools.bench.runs import emulator
from tpuserve.provider.memory import Memory
from tpuserve.testing.stack import urn_of
from tpuserve.testing.wire import Wire, plugin

CREATES = 64
LONGEST = 0.05
"""Seconds that 99 of 100 looks are late at most."""


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """An emulator in another process: it takes no time of this one's."""
    with emulator(tmp_path_factory.mktemp("emulator")) as cloud:
        yield cloud


async def create(wire: Wire, number: int) -> None:
    token, args = (MODEL, model()) if number % 2 else (QUEUED_RESOURCE, collection())
    urn = urn_of(token, f"r{number}")
    await wire.create(urn, await wire.checked(urn, args))


@pytest.fixture
def own_garbage() -> Iterator[None]:
    """What the tests before have left is not gone over by the collector, which holds the loop as long as that takes."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("own_garbage")
async def test_64_creates_at_once_never_hold_the_loop(cloud: Cloud, tmp_path: Path) -> None:
    url = f"http://{cloud.address}"
    async with plugin(Memory(tmp_path / "memory.jsonl")) as wire:
        await wire.configure(
            project=PROJECT, location=LOCATION, zone=ZONE, ownerId=OWNER, endpoints={"tpu": url, "aiplatform": url}
        )
        async with watched() as watchdog:
            await asyncio.gather(*(create(wire, number) for number in range(CREATES)))

    made = cloud.objects("models") + cloud.objects("queuedResources")
    assert (len(made), watchdog.percentile(0.99) <= LONGEST) == (CREATES, True), watchdog.percentile(0.99)


async def test_the_watchdog_sees_what_blocks() -> None:
    async with watched() as watchdog:
        await asyncio.sleep(BEAT)
        threading.Event().wait(2 * LONGEST)

    assert watchdog.percentile(1.0) > LONGEST
