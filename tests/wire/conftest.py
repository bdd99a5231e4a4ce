"""A plugin and an emulator for each test, by the published fixtures under short names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.least import least
from tests.misfits import none_of
from tests.wire import programs
from tpuserve.emulator import Emulator, Settings
from tpuserve.emulator.fixtures import emptied
from tpuserve.testing import Stack, Wire
from tpuserve.testing import settings as settings_for
from tpuserve.testing.fixtures import tpuserve_settings, tpuserve_stack, tpuserve_wire

__all__ = [
    "tpuserve_emulator_settings",
    "tpuserve_settings",
    "tpuserve_stack",
    "tpuserve_wire",
]


@pytest.fixture(scope="session")
def tpuserve_emulator_settings() -> Settings:
    """With the permissions of docs/permissions.md alone, in two projects."""
    projects = {programs.PROJECT: programs.NUMBER, programs.OTHER_PROJECT: programs.OTHER_NUMBER}
    return least(projects={name: int(number) for name, number in projects.items()})


@pytest.fixture(scope="session")
def tpuserve_running_emulator(tpuserve_emulator_settings: Settings) -> Iterator[Emulator]:
    """The published one, and what goes over gRPC is held against Google's schemas as well."""
    with Emulator(tpuserve_emulator_settings, verified=True).running() as emulator:
        yield emulator


@pytest.fixture
def tpuserve_emulator(tpuserve_running_emulator: Emulator) -> Iterator[Emulator]:
    with emptied(tpuserve_running_emulator) as emulator, none_of(emulator):
        yield emulator


def settings(emulator: Emulator) -> dict[str, Any]:
    """The configuration of a stack that talks to the emulator."""
    return settings_for(emulator.address, emulator.addresses.rest, ownerId=programs.OWNER)


@pytest.fixture
def running_emulator(tpuserve_running_emulator: Emulator) -> Emulator:
    return tpuserve_running_emulator


@pytest.fixture
def emulator(tpuserve_emulator: Emulator) -> Emulator:
    return tpuserve_emulator


@pytest.fixture
def wire(tpuserve_wire: Wire) -> Wire:
    return tpuserve_wire


@pytest.fixture
def stack(tpuserve_stack: Stack) -> Stack:
    return tpuserve_stack
