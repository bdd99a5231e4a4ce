"""Tests of stacks without an engine and without an account: an emulator, and the plugin asked as the engine asks it.

`pytest_plugins = ["tpuserve.testing.fixtures"]` in the `conftest.py` at the root of the tests brings the fixtures.
"""

from tpuserve.testing.properties import Secret
from tpuserve.testing.stack import Stack, settings, urn_of
from tpuserve.testing.wire import (
    Checked,
    CheckFailedError,
    InitFailedError,
    Invoked,
    State,
    Wire,
    WireError,
    connected,
    plugin,
)

__all__ = [
    "CheckFailedError",
    "Checked",
    "InitFailedError",
    "Invoked",
    "Secret",
    "Stack",
    "State",
    "Wire",
    "WireError",
    "connected",
    "plugin",
    "settings",
    "urn_of",
]
