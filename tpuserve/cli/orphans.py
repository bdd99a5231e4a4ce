"""`tpuserve orphans`: what a stack made and no longer knows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from tpuserve.cli import console, sources
from tpuserve.cli.errors import UserError
from tpuserve.google import CloudError, Google
from tpuserve.orphans import Orphan, State, StateError, orphans, read_state, table
from tpuserve.orphans.removal import Removal
from tpuserve.orphans.search import Where, search
from tpuserve.provider import config, errors
from tpuserve.provider.ownership import SET_OWNER
from tpuserve.provider.server import LIFECYCLES

LEFT = 1


@dataclass(frozen=True, slots=True)
class Hunt:
    """One run for one owner."""

    settings: config.ProviderConfig
    options: sources.Options
    console: Console

    async def run(self, delete: bool) -> int:
        google = Google(self.settings.endpoints, self.settings.access)
        try:
            return await self._run(google, delete)
        except CloudError as error:
            raise UserError(errors.explain("looking for orphans", error)) from None
        finally:
            await google.close()

    async def _run(self, google: Google, delete: bool) -> int:
        where = places(self.settings, self.options, self._state())
        found = await self._orphans(google, where)
        table.show(found, self.console, self.settings.owner_id, str(where), self.options.on_stack)
        if not delete or not found:
            return LEFT if found else 0
        reasons = await Removal(self.settings.owner_id, google, self.say).run(found)
        left = await self._orphans(google, where)
        table.show_left(left, _still(reasons, left), self.console)
        return LEFT if left else 0

    async def _orphans(self, google: Google, where: Where) -> list[Orphan]:
        # Google first: an object made in between is in the state that is read after it.
        found = await search(google, where)
        return orphans(self.settings.owner_id, self._state(), found, self.options.origins)

    def _state(self) -> State:
        try:
            state = read_state(sources.exported_state(self.options), _id_of)
        except StateError as error:
            raise UserError(f"the state cannot be read: {error}") from None
        if state.owners and self.settings.owner_id not in state.owners:
            raise UserError(
                f"the state is that of owner id {', '.join(sorted(state.owners))}, the configuration says "
                f"{self.settings.owner_id}: with another stack's state everything would look like an orphan. Give the "
                "state and the configuration of one stack"
            )
        return state

    def say(self, line: str) -> None:
        self.console.print(line, soft_wrap=True, highlight=False, markup=False)


def run(options: sources.Options, delete: bool) -> int:
    """List, and with `delete` remove. 0 when nothing is left. Raises UserError."""
    settings = checked(sources.configuration(options), options)
    return asyncio.run(Hunt(settings, options, console.make()).run(delete))


def checked(given: Mapping[str, Any], options: sources.Options) -> config.ProviderConfig:
    """The configuration, with every fault at once."""
    faults = [f"tpuserve:{fault}" for fault in config.faults(given)]
    settings = config.parse(given)
    if "ownerId" not in given:
        faults.append(f"without an owner id nothing can be told to be this stack's: {SET_OWNER}")
    if not settings.project:
        faults.append("tpuserve:project is not set; set it, or give --project")
    if not any((settings.location, settings.zone, options.locations, options.zones)):
        faults.append("neither tpuserve:location nor tpuserve:zone is set; set them, or give --location and --zone")
    if faults:
        raise UserError(*faults)
    return settings


def places(settings: config.ProviderConfig, options: sources.Options, state: State) -> Where:
    """Where to look: options or configuration, and wherever the state has something."""
    project = settings.project or ""
    zones = {(project, zone) for zone in options.zones or filter(None, [settings.zone])}
    locations = {(project, location) for location in options.locations or filter(None, [settings.location])}
    regional = state.places("models") | state.places("endpoints")
    return Where(frozenset(zones | state.places("queuedResources")), frozenset(locations | regional))


def _id_of(token: str, inputs: Mapping[str, Any]) -> str:
    return LIFECYCLES[token].resource_id(dict(inputs))


def _still(reasons: Mapping[Orphan, str], left: list[Orphan]) -> dict[Orphan, str]:
    """The reasons by what is left now, whose details may have changed."""
    by_name = {(orphan.kind, str(orphan)): reason for orphan, reason in reasons.items()}
    return {
        orphan: by_name.get((orphan.kind, str(orphan)), "found after the removal; run this again") for orphan in left
    }
