"""The counter: what a program declares against what there is. Nothing may be lost, and nothing may be there twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.crash.programs import Program

Objects = Mapping[str, list[dict[str, Any]]]
CLAIM = "tpuserve-deployment"


def miscounted(program: Program, objects: Objects) -> list[str]:
    """Every way in which `objects` (of the emulator's control API) are not what `program` declares."""
    return [
        *_collections(program, objects),
        *_models(program, objects),
        *_endpoints(program, objects),
        *(f"still running: {found['kind']} on {found['target']}" for found in objects["operations"]),
    ]


def _collections(program: Program, objects: Objects) -> Iterator[str]:
    requests = objects["queuedResources"]
    yield from _number("queued resources", 0 if program.empty else 1, [found["name"] for found in requests])
    ready = [node["name"] for node in objects["nodes"] if node["state"] == "READY"]
    yield from _number("ready slices", 0 if program.empty else program.slices, ready)
    yield from (f"{found['name']} is {found['state']}" for found in requests if found["state"] != "ACTIVE")
    yield from (f"{node['name']} is {node['state']}" for node in objects["nodes"] if node["state"] != "READY")


def _models(program: Program, objects: Objects) -> Iterator[str]:
    yield from _number("models", len(program.images), [found["name"] for found in objects["models"]])
    uploaded = [[version["imageUri"] for version in model["versions"]] for model in objects["models"]]
    for images in uploaded:
        yield from (f"{image} was uploaded {times} times" for image, times in Counter(images).items() if times > 1)
    there = {image for images in uploaded for image in images}
    missing = [image for image in program.images if image not in there]
    yield from (f"no version is of {image}, only of {', '.join(sorted(there))}" for image in missing)


def _endpoints(program: Program, objects: Objects) -> Iterator[str]:
    names = [found["displayName"] for found in objects["endpoints"]]
    yield from _number("endpoints", 0 if program.empty else 1, names)
    for endpoint in objects["endpoints"]:
        if program.empty or endpoint["displayName"] != program.endpoint:
            yield f"endpoint {endpoint['displayName']} is not declared"
        else:
            yield from _serving(program, endpoint, _images(objects))


def _serving(program: Program, endpoint: Mapping[str, Any], images: Mapping[tuple[str, str], str]) -> Iterator[str]:
    deployed = endpoint["deployedModels"]
    yield from _number("deployed models", len(program.served), [found["displayName"] for found in deployed])
    shares = {}
    for found in deployed:
        image = images.get((_short(found["model"]), found["modelVersionId"]), "a version that is gone")
        shares[image] = endpoint["trafficSplit"].get(found["id"], 0)
        if image not in program.served:
            yield f"{found['displayName']} serves {image}, not {' or '.join(program.served) or 'nothing'}"
        if not found.get("alive"):
            yield f"{found['displayName']} does not serve"
    if shares != program.served:
        yield f"the traffic split is {shares}, not {program.served}"
    if stray := set(endpoint["trafficSplit"]) - {found["id"] for found in deployed}:
        yield f"requests go to {', '.join(sorted(stray))}, which are not there"


def _number(what: str, wanted: int, found: Iterable[str]) -> Iterator[str]:
    names = sorted(found)
    if len(names) != wanted:
        kind = "lost" if len(names) < wanted else "too many"
        yield f"{kind}: {len(names)} {what} ({', '.join(names)}), declared {wanted}"


def _images(objects: Objects) -> dict[tuple[str, str], str]:
    """(model, version) -> image."""
    return {
        (_short(model["name"]), version["versionId"]): version["imageUri"]
        for model in objects["models"]
        for version in model["versions"]
    }


def _short(name: str) -> str:
    return name.rpartition("/")[2].partition("@")[0]
