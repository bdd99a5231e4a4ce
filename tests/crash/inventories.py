"""Inventories as the emulator's control API lists them, for the counter's own tests."""

from __future__ import annotations

from typing import Any

from tests.crash.programs import Program

PARENT = "projects/1/locations/here"


def as_declared(program: Program) -> dict[str, list[dict[str, Any]]]:
    """Exactly what a program declares."""
    if program.empty:
        return {"queuedResources": [], "nodes": [], "models": [], "endpoints": [], "operations": []}
    return {
        "queuedResources": [collection("c")],
        "nodes": [slice_of("c", number) for number in range(program.slices)],
        "models": [model(f"m{number or ''}", image) for number, image in enumerate(program.images)],
        "endpoints": [_serving(program)],
        "operations": [],
    }


def _serving(program: Program) -> dict[str, Any]:
    made = [deployed(str(7 + number), f"m{number or ''}", "1") for number in range(len(program.served))]
    shares = dict(zip([item["id"] for item in made], program.served.values(), strict=True))
    return endpoint(program.endpoint, *made) | {"trafficSplit": shares}


def collection(name: str, state: str = "ACTIVE") -> dict[str, Any]:
    return {"name": f"{PARENT}/queuedResources/{name}", "state": state, "labels": {}}


def slice_of(name: str, number: int, state: str = "READY") -> dict[str, Any]:
    return {"name": f"{PARENT}/nodes/{name}-{number}", "state": state, "queuedResource": name}


def model(name: str, *images: str) -> dict[str, Any]:
    versions = [{"versionId": str(number), "imageUri": image} for number, image in enumerate(images, 1)]
    return {"name": f"{PARENT}/models/{name}", "displayName": name, "versions": versions}


def deployed(identifier: str, model_name: str, version: str, *, alive: bool = True) -> dict[str, Any]:
    name = f"{PARENT}/models/{model_name}"
    return {"id": identifier, "displayName": "stable", "model": name, "modelVersionId": version, "alive": alive}


def endpoint(name: str, *models: dict[str, Any]) -> dict[str, Any]:
    """All requests go to the first of its models."""
    split = {models[0]["id"]: 100} if models else {}
    full = f"{PARENT}/endpoints/{name}"
    return {"name": full, "displayName": name, "labels": {}, "trafficSplit": split, "deployedModels": list(models)}
