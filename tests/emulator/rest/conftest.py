"""REST of the emulator that all tests share; every answer has to fit Google's schemas."""

from collections.abc import Iterator

import pytest

from tests.emulator.google import Google, google
from tests.emulator.rest.http_client import Rest
from tests.misfits import none_of
from tpuserve.emulator import Emulator, Settings


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with Emulator(Settings(), verified=True).running() as served:
        yield served


@pytest.fixture
def cloud(emulator: Emulator) -> Iterator[Google]:
    emulator.control.reset()
    with none_of(emulator), google(emulator) as clients:
        yield clients


@pytest.fixture
def rest(cloud: Google, emulator: Emulator) -> Iterator[Rest]:
    client = Rest(emulator.addresses.rest)
    yield client
    client.close()
