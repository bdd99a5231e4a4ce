"""Records what each part of the product calls: `python -m tests.golden.write_calls`; docs/permissions.md and the
catalog's custom roles follow."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.wire import programs
from tests.wire.rehearsals import REHEARSALS, Rehearsal, rehearsed
from tools.docs import permissions
from tpuserve.emulator import Emulator, Settings
from tpuserve.testing import Stack, plugin, settings

GOLDEN = Path(__file__).with_name("calls.json")
Calls = dict[str, dict[str, list[str]]]
"""Part -> phase -> rows of `permissions.toml`."""


def kept() -> Calls:
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


async def _recorded(rehearsal: Rehearsal, emulator: Emulator) -> dict[str, list[str]]:
    emulator.control.reset()
    async with plugin() as wire:
        await wire.configure(**settings(emulator.address, ownerId=programs.OWNER))
        return (await rehearsed(rehearsal, Stack(wire), emulator.control, None)).recorded()


def record() -> Calls:
    """Every rehearsal on an emulator of its own."""
    with Emulator(Settings()).running() as emulator:
        return {each.name: asyncio.run(_recorded(each, emulator)) for each in REHEARSALS}


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(record(), indent=2) + "\n", encoding="utf-8")
    permissions.PAGE.write_text(permissions.page() + "\n", encoding="utf-8")
    permissions.ROLES.write_text(permissions.roles(), encoding="utf-8")
