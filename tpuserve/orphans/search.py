"""Asks Google for everything that could be an orphan: three listings for each place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.google import Google
from tpuserve.orphans.finding import Findings
from tpuserve.orphans.names import Name

Place = tuple[str, str]
"""Project and location (or zone)."""


@dataclass(frozen=True, slots=True)
class Where:
    """Places to look in."""

    zones: frozenset[Place] = frozenset()
    """Queued resources live in zones."""
    locations: frozenset[Place] = frozenset()
    """Models and endpoints live in regions."""

    def __str__(self) -> str:
        words = [f"{project}/{zone} (Cloud TPU)" for project, zone in sorted(self.zones)]
        words += [f"{project}/{location} (Vertex AI)" for project, location in sorted(self.locations)]
        return ", ".join(words)


async def search(google: Google, where: Where) -> Findings:
    """Everything in those places. Raises CloudError."""
    tpu = _listed(google, "ListQueuedResources", "queuedResources", where.zones)
    models = _listed(google, "ListModels", "models", where.locations)
    endpoints = _listed(google, "ListEndpoints", "endpoints", where.locations)
    return Findings(*await asyncio.gather(tpu, models, endpoints))


async def _listed(google: Google, method: str, collection: str, places: Iterable[Place]) -> Mapping[Name, Any]:
    found: dict[str, tuple[Name, Any]] = {}
    # A project's id comes before a number, which may be the same project's: nothing is told twice.
    for project, location in sorted(places, key=lambda place: (place[0].isdecimal(), place)):
        parent = f"projects/{project}/locations/{location}"
        items = await google.pages(method, {"parent": parent}, location, key=collection)
        for item in items:
            # Google answers with the project's number: the name that was asked for is the one that the state has.
            found.setdefault(item["name"], (Name(project, location, collection, _id(item)), item))
    return dict(found.values())


def _id(item: Mapping[str, Any]) -> str:
    return item["name"].rsplit("/", 1)[-1].split("@")[0]
