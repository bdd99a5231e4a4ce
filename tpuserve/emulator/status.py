"""The whole of an emulator at one moment, as the console and `tpuserve emulator status` show it."""

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import code_numbered
from tpuserve.emulator.inventory import inventory
from tpuserve.emulator.operation import Operation
from tpuserve.emulator.quota.quotas import Quotas

_NEWEST = 25  # operations and calls that are shown


def status(core: Core) -> dict[str, Any]:
    """Objects as `Control.objects` has them, the newest operations and calls, faults, quotas and time."""
    return {
        "time": core.clock.now(),
        "clock": core.settings.clock,
        "objects": inventory(core),
        "operations": list(_operations(core)),
        "calls": core.record.newest(_NEWEST),
        "faults": msgspec.to_builtins(core.faults.rules),
        "held": core.faults.held(),
        "quotas": Quotas(core).described(),
    }


def _operations(core: Core) -> Iterator[dict[str, Any]]:
    shown = [found for _, found in core.store.items("operations") if not found.hidden]
    yield from (_operation(found) for found in itertools.islice(reversed(shown), _NEWEST))


def _operation(found: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": found.name,
        "kind": found.kind,
        "target": found.target,
        "stage": found.stage,
        "done": found.done,
        "created": found.created,
        "updated": found.updated,
    }
    if found.code:
        described["error"] = f"{code_numbered(found.code).name}: {found.message}"
    return described
