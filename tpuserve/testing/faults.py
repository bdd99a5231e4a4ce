"""A pytest plugin: a test whose faults were never met fails, for it has not shown what it says.

`pytest_plugins = ["tpuserve.testing.faults"]` in the `conftest.py` at the root of the tests turns it on. It
looks at every `Control` of the test's own process, whatever emulator that steers. Where it is chance whether a fault is
met, `@pytest.mark.unmet_faults` says so.
"""

from collections.abc import Generator
from typing import Any

import pytest

from tpuserve.emulator.control import Control

MARK = "unmet_faults"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}: what the test asks to fail need not be met")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """From here on, so that what fixtures ask for is the test's as well."""
    Control.watched = None if item.get_closest_marker(MARK) else {}
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    yield
    unmet = [told(rule) for control in Control.watched or () for rule in control.unmet()]
    if unmet:
        pytest.fail(f"asked for and never met: {'; '.join(unmet)}", pytrace=False)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown() -> Generator[None]:
    Control.watched = None
    yield


def told(rule: dict[str, Any]) -> str:
    """A fault in the words it was asked for."""
    told = [f"{key}={rule[key]!r}" for key in ("match", "skip", "stage", "phase") if rule.get(key)]
    seen = f"it had {rule['seen']} occasions" if rule.get("seen") else "it had no occasion"
    return f"{rule['what']} {rule['name']}: {rule.get('code') or rule['effect']} ({', '.join([*told, seen])})"
