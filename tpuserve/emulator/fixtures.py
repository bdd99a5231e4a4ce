"""A pytest plugin: one emulator for all tests, emptied for each. `pytest_plugins = ["tpuserve.emulator.fixtures"]`."""

from collections.abc import Iterator

import pytest

from tpuserve.emulator import Emulator, Settings


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
    tpuserve_running_emulator.control.reset()
    yield tpuserve_running_emulator
    tpuserve_running_emulator.control.release_break()
