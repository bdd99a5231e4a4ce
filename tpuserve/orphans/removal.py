"""Takes orphans away: undeploy, claim, endpoint, model, queued resource; each waits until Google knows it no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from tpuserve.google import CloudError, Google
from tpuserve.orphans.finding import Kind, Orphan, labels_of
from tpuserve.orphans.names import Name
from tpuserve.provider import errors, timeouts
from tpuserve.provider.call import Call, ResourceError, TimedOut
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.deployment.lifecycle import release
from tpuserve.provider.endpoint.calls import take_away
from tpuserve.provider.endpoint.lifecycle import EndpointLifecycle
from tpuserve.provider.endpoint.view import View
from tpuserve.provider.lifecycle import Lifecycle
from tpuserve.provider.model.lifecycle import ModelLifecycle
from tpuserve.provider.ownership import OWNER_LABEL
from tpuserve.provider.queued_resource.lifecycle import QueuedResourceLifecycle
from tpuserve.provider.requests import get

LIFECYCLES: dict[Kind, tuple[str, Lifecycle]] = {
    Kind.ENDPOINT: ("GetEndpoint", EndpointLifecycle()),
    Kind.MODEL: ("GetModel", ModelLifecycle()),
    Kind.QUEUED_RESOURCE: ("GetQueuedResource", QueuedResourceLifecycle()),
}
DOUBT = "another stack's Deployment claims this endpoint and may be alive; whoever holds its owner id takes it away"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Removal:
    """Removes orphans of one owner."""

    owner: str
    google: Google
    say: Say

    async def run(self, orphans: Iterable[Orphan]) -> dict[Orphan, str]:
        """Remove them in their order; why what is left was left."""
        left: dict[Orphan, str] = {}
        for _, group in groupby(orphans, key=lambda orphan: (orphan.kind, orphan.name)):
            together = list(group)
            doubtful = [orphan for orphan in together if orphan.unproven]
            left |= dict.fromkeys(doubtful, DOUBT)
            sure = [orphan for orphan in together if not orphan.unproven]
            if sure and (reason := await self._tried(sure)):
                left |= dict.fromkeys(sure, reason)
        return left

    async def _tried(self, together: list[Orphan]) -> str:
        for orphan in together:
            self.say(f"removing {orphan.kind.value} {orphan}")
        try:
            return await self._remove(together)
        except CloudError as error:
            return errors.explain("removing it", error)
        except TimedOut:
            return "it was not gone in the time that a delete is given; run this again"
        except ResourceError as error:
            return str(error)

    async def _remove(self, together: list[Orphan]) -> str:
        first = together[0]
        call = self._call(first)
        if first.kind is Kind.DEPLOYED_MODEL:
            return await _undeploy(call, first.name, {orphan.deployed_model_id for orphan in together})
        if first.kind is Kind.CLAIM:
            await release(call, str(first.name), first.claim)
            return ""
        method, lifecycle = LIFECYCLES[first.kind]
        live = await get(call, method, str(first.name))
        if live is None:
            return ""
        if labels_of(first.kind, live).get(OWNER_LABEL) != self.owner:
            return "its owner label changed meanwhile: it is not this stack's now"
        await lifecycle.delete(call, str(first.name), {}, frozenset())
        return ""

    def _call(self, orphan: Orphan) -> Call:
        async def say(line: str, ephemeral: bool) -> None:
            if not ephemeral:
                self.say(line)

        known = LIFECYCLES.get(orphan.kind)
        limit = timeouts.seconds(known[1].definition.token if known else "", "delete", 0)
        return Call(f"::{orphan.name.id}", ProviderConfig(owner_id=self.owner), self.google, say, _never(), limit)


def _never() -> asyncio.Event:
    """Nothing cancels it but the end of the process."""
    return asyncio.Event()


async def _undeploy(call: Call, endpoint: Name, ids: set[str]) -> str:
    """Their shares go to what else serves, then they are undeployed."""
    live: Mapping[str, Any] | None = await get(call, "GetEndpoint", str(endpoint))
    if live is not None:
        await take_away(call, View(live), ids)
    return ""
