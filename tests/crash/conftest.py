"""Workers of the crash tests, and the cases that seeds draw."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.workers import Worker, working
from tools.engine import Engine

HERE = Path(__file__).parent
SECONDS = 300
"""Of one case, and of the start of its worker."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(SECONDS))


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Iterator[Worker]:
    """One for all cases of this process: what a scenario starts from is brought up once."""
    with working(tmp_path_factory.mktemp("crash"), engine) as worker:
        yield worker


@pytest.fixture
def ownerless(tmp_path: Path, engine: Engine) -> Iterator[Worker]:
    """A worker whose stacks have no owner id."""
    with working(tmp_path / "crash", engine, owner="") as worker:
        yield worker
