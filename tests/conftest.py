"""What holds for every test: no connection leaves this machine, and nothing of the caller's shell reaches a test."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# `tools` and `examples` are not installed.
sys.path.insert(0, str(ROOT))

from tests.network import GUARD, Guard  # noqa: E402
from tools.engine import Engine, resolve  # noqa: E402

pytest_plugins = ["tpuserve.testing.faults"]
FOREIGN = ("PULUMI", "GOOGLE_", "CLOUDSDK_", "GCLOUD_", "AIP_", "TPUSERVE_")
MARKERS = {
    "engine": "drives the real engine; takes seconds",
}
INHERITED = dict(os.environ)


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    guard = Guard()
    guard.install()
    os.environ.update(guard.environment())
    config.stash[GUARD] = guard


@pytest.fixture(autouse=True)
def nothing_leaves_this_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """The test fails if it, or a process that it started, tried to reach another machine."""
    guard = request.config.stash[GUARD]
    guard.seen.clear()
    yield
    if guard.seen:
        pytest.fail(f"tried to reach {', '.join(sorted(set(guard.seen)))}; tests stay on the loopback range")


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The Pulumi engine, built first where there is none."""
    return resolve(INHERITED)


@pytest.fixture(scope="session")
def inherited() -> dict[str, str]:
    """The environment that these tests were started in: for tools that are built once, from a registry's packages."""
    return INHERITED
