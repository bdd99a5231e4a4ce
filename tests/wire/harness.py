"""The published harness, under the name that these tests have for it."""

from tpuserve.testing.wire import (
    Checked,
    InitFailedError,
    Invoked,
    State,
    Values,
    Wire,
    WireError,
    connected,
    plugin,
)

__all__ = ["Checked", "InitFailedError", "Invoked", "State", "Values", "Wire", "WireError", "connected", "plugin"]
