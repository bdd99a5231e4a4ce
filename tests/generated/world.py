"""What a case runs in: a plugin asked by its protocol, an emulator beside it, two models, two endpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.generated import in_process
from tests.generated.direct import Direct
from tests.generated.names import SPELLINGS
from tests.wire import programs
from tests.wire.programs import ENDPOINT, LOCATION, MODEL
from tpuserve.provider.engine import Engine
from tpuserve.provider.server import Provider
from tpuserve.testing import Stack, Wire

PARENT = SPELLINGS["id"]


@dataclass
class World:
    """One plugin and one emulator, for many cases."""

    wire: Wire
    google: Direct

    async def begin_anew(self) -> None:
        """Only the models and the endpoints are there; `live` is an alias of each model's second version."""
        self.google.begin_anew()
        stack = Stack(self.wire)
        for letter in "ab":
            for number in (1, 2):
                aliases = ["live"] if number == 2 else []
                changes = {"modelId": f"model-{letter}", "containerSpec.imageUri": f"i:{number}"}
                await stack.up(MODEL, letter, programs.model(**changes, versionAliases=aliases))
        for letter in "ef":
            await stack.up(ENDPOINT, letter, {"displayName": letter, "endpointId": f"place-{letter}"})

    async def objects(self, token: str) -> list[str]:
        """The names of what exists of a kind, less what was there at the beginning."""
        method, parents, key = LISTS[token]
        found = [item for parent in parents for item in await self.google.pages(method, {"parent": parent}, key=key)]
        names = [item["name"].split("@")[0] for item in found]
        return sorted(name for name in names if not name.rsplit("/", 1)[-1].startswith(("model-", "place-")))

    async def endpoint(self, letter: str) -> dict[str, Any]:
        return await self.google.call("GetEndpoint", {"name": f"{PARENT}/endpoints/place-{letter}"})


def _parents(*places: str) -> list[str]:
    return [f"projects/{programs.PROJECT}/locations/{place}" for place in places]


LISTS = {
    MODEL: ("ListModels", _parents(LOCATION, "us-central1"), "models"),
    ENDPOINT: ("ListEndpoints", _parents(LOCATION, "us-central1"), "endpoints"),
    programs.QUEUED_RESOURCE: ("ListQueuedResources", _parents("us-east5-a", "us-east5-b"), "queuedResources"),
}


async def world() -> World:
    """A world at its beginning."""
    wire = in_process.wire(Provider(Engine()))
    await wire.configure(project=programs.PROJECT, location=LOCATION, zone=programs.ZONE, ownerId=programs.OWNER)
    assert wire.provider is not None
    google = Direct()
    wire.provider.google = google
    made = World(wire, google)
    await made.begin_anew()
    return made
