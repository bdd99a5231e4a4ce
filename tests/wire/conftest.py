"""A plugin and an emulator for each test; the emulator's process state is emptied in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.wire import programs
from tests.wire.harness import Wire, plugin
from tests.wire.stack import Stack
from tpuserve.emulator import Emulator, Settings


@pytest.fixture(scope="session")
def running_emulator() -> Iterator[Emulator]:
    with Emulator(Settings()).running() as emulator:
        yield emulator


@pytest.fixture
def emulator(running_emulator: Emulator) -> Iterator[Emulator]:
    """Empty, with every switch as it was."""
    running_emulator.control.reset()
    yield running_emulator
    running_emulator.control.release_break()


def settings(emulator: Emulator) -> dict[str, object]:
    """The configuration of a stack that talks to the emulator."""
    url = f"http://{emulator.address}"
    return {
        "project": programs.PROJECT,
        "location": programs.LOCATION,
        "zone": programs.ZONE,
        "ownerId": programs.OWNER,
        "endpoints": {"tpu": url, "aiplatform": url},
    }


@pytest_asyncio.fixture
async def wire(emulator: Emulator) -> AsyncIterator[Wire]:
    """A plugin configured for the emulator."""
    async with plugin() as wire:
        await wire.configure(**settings(emulator))
        yield wire


@pytest.fixture
def stack(wire: Wire) -> Stack:
    return Stack(wire)
