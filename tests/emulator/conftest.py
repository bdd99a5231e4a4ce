"""One emulator for all tests that need no settings of their own, empty at the start of each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.emulator.google import Google, google
from tests.misfits import none_of
from tpuserve.emulator import Emulator, Settings

Start = Callable[..., Google]


@pytest.fixture(scope="session")
def serving() -> Iterator[Emulator]:
    with Emulator(Settings(), verified=True).running() as emulator:
        yield emulator


@pytest.fixture(scope="session")
def shared(serving: Emulator) -> Iterator[Google]:
    with google(serving) as clients:
        yield clients


@pytest.fixture
def cloud(serving: Emulator, shared: Google) -> Iterator[Google]:
    shared.control.reset()
    with none_of(serving):
        yield shared


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts an emulator with settings, and with a state file where one is given, until the test ends."""
    with ExitStack() as stack:

        def started(settings: Settings | None = None, state: Path | None = None) -> Google:
            emulator = stack.enter_context(Emulator(settings, state=state).running())
            return stack.enter_context(google(emulator))

        yield started
