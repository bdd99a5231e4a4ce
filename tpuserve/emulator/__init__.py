"""Cloud TPU and Vertex AI on this machine: one process, one port, gRPC, Google's own messages.

`Emulator(Settings(...)).running()` serves inside this process, `python -m tpuserve.emulator` in its own;
`Control(address)` steers either. Names are loaded on first use: a client of the control API alone does
not wait for Google's packages to be imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tpuserve.emulator.control import Control, ControlError
    from tpuserve.emulator.emulator import Emulator
    from tpuserve.emulator.settings import Durations, Settings

__all__ = ["Control", "ControlError", "Durations", "Emulator", "Settings"]

_HOME = {
    "Control": "control",
    "ControlError": "control",
    "Durations": "settings",
    "Emulator": "emulator",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
