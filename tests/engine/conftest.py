"""Clouds, stacks and clients of the engine tests."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.emulator.google import Google
from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.stack import Stack
from tools.engine import Engine

HERE = Path(__file__).parent
PREDICTIONS = "predictions"
"""Property of a test's report: what a client of it saw."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.engine)
            item.add_marker(pytest.mark.timeout(240))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Each client's count and its longest gap."""
    reports = [found for found in chain(*terminalreporter.stats.values()) if isinstance(found, pytest.TestReport)]
    lines = [(found.nodeid, told) for found in reports for name, told in found.user_properties if name == PREDICTIONS]
    for test, told in dict.fromkeys(lines):
        terminalreporter.write_line(f"predictions: {told}  {test}")


@pytest.fixture
def cloud() -> Iterator[Cloud]:
    """An empty emulator."""
    with clouds.running() as cloud:
        yield cloud


@pytest.fixture
def hand(cloud: Cloud) -> Iterator[Google]:
    """Somebody else's hand: Google's own clients."""
    clients = Google(cloud.address, cloud.control)
    with clients.channel:
        yield clients


@pytest.fixture
def stacks(tmp_path: Path, engine: Engine, cloud: Cloud) -> Iterator[Callable[..., Stack]]:
    """Makes stacks, each with a backend of its own: `stacks(owner=...)`."""
    made: list[Stack] = []

    def make(**settings: str) -> Stack:
        made.append(Stack(tmp_path / f"stack{len(made)}", engine, cloud, **settings))
        return made[-1]

    yield make
    for stack in made:
        stack.stop()


@pytest.fixture
def stack(stacks: Callable[..., Stack]) -> Stack:
    """A stack without resources."""
    return stacks()


@pytest.fixture
def predicting(cloud: Cloud, record_property: Callable[[str, object], None]) -> Iterator[Callable[..., Predictor]]:
    """Starts clients: `predicting(version)` on the only endpoint, or on the endpoints given.

    When the test ends no prediction may have failed; the longest gap is told in the summary of the run.
    """
    started: list[Predictor] = []

    def start(*versions: str, endpoints: tuple[str, ...] = ()) -> Predictor:
        names = endpoints or (cloud.endpoint()["name"],)
        started.append(Predictor(cloud.address, *names, versions=set(versions)))
        return started[-1]

    yield start
    for client in started:
        gap = f"{client.longest_gap * 1000:.0f} ms"
        record_property(PREDICTIONS, f"{len(client.answers)} answered, {len(client.failures)} failed, gap {gap}")
    for client in started:
        client.stop()
