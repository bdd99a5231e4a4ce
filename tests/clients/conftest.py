"""An emulator for clients that nobody here wrote, plain and over TLS; all that is said has to fit Google's schemas."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tpuserve.emulator import Emulator, Settings


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with Emulator(Settings(), tls=tmp_path_factory.mktemp("tls"), verified=True).running() as served:
        yield served
        assert served.misfits == []


@pytest.fixture
def authority(emulator: Emulator) -> Path:
    assert emulator.tls is not None
    return emulator.tls / "ca.pem"
