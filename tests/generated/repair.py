"""Arguments that Check accepts: what it finds fault with is left out, if it can be."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping
from typing import Any

from tests.generated.names import spelled
from tests.wire import programs
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES

CONFIG = ProviderConfig(programs.PROJECT, programs.LOCATION, programs.ZONE, programs.OWNER)
ROUNDS = 8
_STEP = re.compile(r'\["([^"]*)"\]|\[(\d+)\]|([^.\[\]]+)')


def accepted(token: str, args: dict[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """`args` less what is refused after `before`; None where too much is."""
    kept = copy.deepcopy(args)
    for _ in range(ROUNDS):
        found = _faults(token, kept, before or {})
        if not found:
            return kept
        for path in found:
            if not _left_out(kept, path):
                return None
    return None


def _faults(token: str, args: dict[str, Any], before: Mapping[str, Any]) -> list[str]:
    definition, urn = LIFECYCLES[token].definition, f"urn:pulumi:local::project::{token}::r"
    checker = Checker(CONFIG)
    old = checker.check(definition, urn, {}, spelled(before), Autonaming())[0] if before else {}
    checker.served.clear()
    return [fault.path for fault in checker.check(definition, urn, old, spelled(args), Autonaming())[1]]


def _left_out(args: dict[str, Any], path: str) -> bool:
    """Take out what stands at the path, or the nearest thing above it that is there."""
    steps = [int(index) if index else key or name for key, index, name in _STEP.findall(path)]
    *parents, last = steps
    where: Any = args
    for step in parents:
        try:
            where = where[step]
        except (KeyError, IndexError, TypeError):
            return False
    there = last in where if isinstance(where, dict) else isinstance(last, int) and last < len(where)
    if there:
        del where[last]
    return there
