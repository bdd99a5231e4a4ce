"""A pytest plugin: one emulator for all tests, emptied for each. `pytest_plugins = ["tpuserve.emulator.fixtures"]`."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tpuserve.emulator import Emulator, Settings


@contextmanager
def emptied(emulator: Emulator) -> Iterator[Emulator]:
    """For one test: as it was at the start, and no call is kept waiting by a break at the end."""
    emulator.control.reset()
    yield emulator
    emulator.control.release_break()


@pytest.fixture(scope="session")
def tpuserve_emulator_settings() -> Settings:
    """The emulator's settings; a `conftest.py` overrides it, for instance to map images to local commands."""
    return Settings()


@pytest.fixture(scope="session")
def tpuserve_running_emulator(tpuserve_emulator_settings: Settings) -> Iterator[Emulator]:
    """The one emulator of the session, as the last test left it."""
    with Emulator(tpuserve_emulator_settings).running() as emulator:
        yield emulator


@pytest.fixture
def tpuserve_emulator(tpuserve_running_emulator: Emulator) -> Iterator[Emulator]:
    """The emulator, empty, with every switch as it was; `.control` steers it, faults included."""
    with emptied(tpuserve_running_emulator) as emulator:
        yield emulator
