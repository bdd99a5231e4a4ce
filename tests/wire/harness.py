"""The published harness, under the name that these tests have for it."""

from tpuserve.testing.wire import (
    Checked,
    CheckFailedError,
    InitFailedError,
    Invoked,
    State,
    Values,
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
    "State",
    "Values",
    "Wire",
    "WireError",
    "connected",
    "plugin",
]
