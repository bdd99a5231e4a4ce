"""Pytest fixtures: one emulator for all tests, emptied for each; a plugin and a stack for each. Need pytest-asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tpuserve.emulator import Emulator
from tpuserve.testing.stack import Stack, settings
from tpuserve.testing.wire import Wire, plugin

pytest_plugins = ["tpuserve.emulator.fixtures", "tpuserve.testing.faults"]


@pytest.fixture
def tpuserve_settings(tpuserve_emulator: Emulator) -> dict[str, Any]:
    """The provider's configuration (`tpuserve:<name>` of a stack); a `conftest.py` may override it."""
    return settings(tpuserve_emulator.address, tpuserve_emulator.addresses.rest)


@pytest_asyncio.fixture
async def tpuserve_wire(tpuserve_settings: dict[str, Any]) -> AsyncIterator[Wire]:
    """The plugin in this process, configured for the emulator: a method for each request of Pulumi's protocol."""
    async with plugin() as wire:
        await wire.configure(**tpuserve_settings)
        yield wire


@pytest.fixture
def tpuserve_stack(tpuserve_wire: Wire) -> Stack:
    """A stack without resources: `up`, `replace`, `refresh`, `import_` and `remove` of one resource at a time."""
    return Stack(tpuserve_wire)
