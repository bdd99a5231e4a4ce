"""REST of the emulator that all tests share; every answer has to fit Google's schemas."""

from collections.abc import Iterator

import pytest

from tests.emulator.google import Google, google
from tests.emulator.rest.http_client import Rest
from tpuserve.emulator import Emulator, Settings


@pytest.fixture(scope="session")
def emulator() -> Iterator[Emulator]:
    with Emulator(Settings()).running() as served:
        yield served


@pytest.fixture
def cloud(emulator: Emulator) -> Iterator[Google]:
    emulator.control.reset()
    with google(emulator) as clients:
        yield clients
    misfits = list(emulator.misfits)
    emulator.misfits.clear()
    assert misfits == []


@pytest.fixture
def rest(cloud: Google, emulator: Emulator) -> Iterator[Rest]:
    client = Rest(emulator.addresses.rest)
    yield client
    client.close()
