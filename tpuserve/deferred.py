"""Packages whose own code runs only when a name of it is asked for.

Google's client packages import every service in their `__init__`: that of Vertex AI has three dozen, of which three
are used. A submodule can be imported without running it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from types import ModuleType
from typing import Any

_LOCK = threading.RLock()


def defer(name: str) -> None:
    """Put package `name` in place without running it, so that its submodules can be imported by themselves.

    Any other name that is asked of it later is a submodule, or else runs the package's own code: who imports it in the
    usual way notices nothing. A package that was imported before stays as it is. Raises ModuleNotFoundError.
    """
    with _LOCK:
        if name in sys.modules:
            return
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        module = importlib.util.module_from_spec(spec)
        vars(module)["__getattr__"] = _Rest(module)
        sys.modules[name] = module
        parent, _, short = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], short, module)


class _Rest:
    """`__getattr__` of such a package (PEP 562)."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._begun = module, False

    def __call__(self, attribute: str) -> Any:
        name = f"{self._module.__name__}.{attribute}"
        if not attribute.startswith("__") and importlib.util.find_spec(name):
            return importlib.import_module(name)
        self._run()
        names = vars(self._module)
        if attribute in names:
            return names[attribute]
        if names["__getattr__"] is not self:  # the package has one of its own
            return names["__getattr__"](attribute)
        raise AttributeError(f"module {self._module.__name__!r} has no attribute {attribute!r}")

    def _run(self) -> None:
        with _LOCK:
            spec = self._module.__spec__
            if self._begun or spec is None or spec.loader is None:
                return
            self._begun = True
            spec.loader.exec_module(self._module)
