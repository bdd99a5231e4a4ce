"""docs/emulator-methods.md: every method of the discovery documents, whether the emulator serves it, and why not."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tpuserve.emulator.api import Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.rest.bindings import bound
from tpuserve.emulator.rest.discovery import Document, Route
from tpuserve.emulator.rest.documents import DOCUMENTS, document
from tpuserve.emulator.settings import Settings

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "emulator-methods.md"
HEAD = """\
# Methods of the emulator

Every method of the discovery documents that the emulator reads, by what it is a method of: served, or answered with
UNIMPLEMENTED (501) and the method's id, and why. Made by `python -m tools.docs resources`; a test fails when this
page is stale. What is served is served over gRPC too, where a published package has the method."""
# What is not done -> why, the first that fits the id without its API.
REASONS = {
    r"projects\.locations\.nodes\.(create|start|stop|patch)": "a node comes and goes with its queued resource",
    r"projects\.locations\.nodes\.": "nothing runs on a node here that could be asked or maintained",
    r"projects\.locations\.queuedResources\.": "each node says what maintenance awaits it",
    r"projects\.locations\.reservations\.": "a reservation is taken at its word",
    r"projects\.locations\.(get|list|generateServiceIdentity)": "places and service accounts are not looked at",
    r"projects\.locations\.models\.(get|set|test)Iam": "permissions are the emulator's settings",
    r"projects\.locations\.models\.": "no part of serving a model",
    r"projects\.locations\.deploymentResourcePools\.": "a pool is made and deleted, not changed",
    r"(projects\.locations\.)?endpoints\.": "another protocol or kind of model than what is deployed here",
    r"": "another product than models and their deployment",
}
ONLY_OPERATIONS = "They are the operations, which gcloud asks for under this version; all else is at /v1"


def page() -> str:
    """The page as it is made now."""
    parts = [HEAD, *(_section(name, version) for version, name in DOCUMENTS.items())]
    return "\n\n".join(parts) + "\n"


def _section(name: str, version: str) -> str:
    found, served = document(name), served_of(name)
    done = [route.id for route in found.routes if route.id in served]
    title = (
        f"## {name}\n\n/{version}, revision {found.revision}: {len(done)} of {len(found.routes)} methods are served."
    )
    if version == "v1beta1":
        return f"{title} {ONLY_OPERATIONS}."
    rows = [_row(of, routes, served) for of, routes in _grouped(found).items()]
    return "\n".join([title, "", "| of | served | UNIMPLEMENTED | why |", "| --- | --- | --- | --- |", *rows])


def served_of(name: str) -> set[str]:
    """The ids of a document's methods that are served."""
    return set(bound(name, document(name).routes, Api(Core(Settings(), None, Path())).methods()))


def _grouped(found: Document) -> dict[str, list[Route]]:
    """By the collection below the location; what lies deeper is with it."""
    groups: dict[str, list[Route]] = defaultdict(list)
    for route in found.routes:
        groups[_collection(route.id)].append(route)
    return groups


def _collection(identifier: str) -> str:
    parts = identifier.split(".")[1:-1]
    return ".".join(parts[:3] if parts[:2] == ["projects", "locations"] else parts[:1])


def _row(of: str, routes: Iterable[Route], served: set[str]) -> str:
    names = {route.id: _name(route.id, of) for route in routes}
    done = [name for identifier, name in names.items() if identifier in served]
    undone = {identifier: name for identifier, name in names.items() if identifier not in served}
    why = sorted({reason(identifier) for identifier in undone})
    return f"| {of} | {_listed(done)} | {_listed(undone.values())} | {'; '.join(why)} |"


def _name(identifier: str, of: str) -> str:
    return identifier.partition(".")[2].removeprefix(f"{of}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def reason(identifier: str) -> str:
    """Why a method is not served."""
    return next(REASONS[pattern] for pattern in patterns(identifier))


def patterns(identifier: str) -> Iterator[str]:
    """The rows of the reasons that fit a method, the decisive one first."""
    name = identifier.partition(".")[2]
    yield from (pattern for pattern in REASONS if re.match(pattern, name))
