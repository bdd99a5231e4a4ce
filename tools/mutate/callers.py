"""A plugin of pytest that records which tests call the functions that are changed: `-p tools.mutate.callers`.

`MUTATE_CALLERS` names the file that is written: `path function` -> tests, the quickest first.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import msgspec
import pytest

from tools.mutate.plan import ADOPTION, ORDERS

VARIABLE = "MUTATE_CALLERS"
ROOT = Path(__file__).parent.parent.parent
FILES = {str(ROOT / path): path for path in {*ADOPTION, *ORDERS}}


class Callers:
    """What each test calls, of the functions in the plan's files."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.called: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self._now: set[CodeType] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._now.clear()
        began = time.perf_counter()
        sys.setprofile(self._profile)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            seconds = time.perf_counter() - began
            for code in self._now:
                self.called[f"{FILES[code.co_filename]} {code.co_name}"].append((seconds, item.nodeid))

    def pytest_sessionfinish(self) -> None:
        self.file.write_bytes(
            msgspec.json.encode({name: [test for _, test in sorted(tests)] for name, tests in self.called.items()})
        )

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename in FILES:
            self._now.add(frame.f_code)


def pytest_configure(config: pytest.Config) -> None:
    if file := os.environ.get(VARIABLE):
        config.pluginmanager.register(Callers(Path(file)))
