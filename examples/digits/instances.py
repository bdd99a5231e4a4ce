"""What a predict request may hold: `{"instances": [[64 numbers 0 to 16], ...]}`. Pure; every fault is found at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

PIXELS = 64
LOWEST, HIGHEST = 0, 16
MAX_INSTANCES = 1024
SHOWN = 20  # faults spelled out in one answer; the others are counted


class MalformedRequestError(Exception):
    """The request cannot be answered; `faults` has one line for each fault, beginning with its path."""

    def __init__(self, faults: list[str]) -> None:
        """Keep the faults; the message spells out the first `SHOWN` and counts the rest."""
        self.faults = faults
        rest = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        super().__init__("; ".join(faults[:SHOWN]) + rest)


def parse(body: bytes) -> list[list[float]]:
    """The instances of a request body.

    Raises `MalformedRequestError` with all faults: not JSON, no `instances`, unknown members, an instance that is not
    64 numbers from 0 to 16, more than 1,024 instances.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedRequestError([f"body: not JSON ({error})"]) from None
    if faults := list(_request_faults(request)):
        raise MalformedRequestError(faults)
    return request["instances"]


def _request_faults(request: Any) -> Iterator[str]:
    if not isinstance(request, dict):
        yield f'body: {_kind(request)}, an object {{"instances": [...]}} is needed'
        return
    for name in sorted(request.keys() - {"instances", "parameters"}):
        yield f"{name[:40]}: unknown, a request has instances only"
    if request.get("parameters"):
        yield "parameters: this model takes none"
    yield from _instances_faults(request)


def _instances_faults(request: dict[str, Any]) -> Iterator[str]:
    instances = request.get("instances")
    if "instances" not in request:
        yield "instances: missing, a list of pictures is needed"
    elif not isinstance(instances, list):
        yield f"instances: {_kind(instances)}, a list of pictures is needed"
    elif not 1 <= len(instances) <= MAX_INSTANCES:
        yield f"instances: {len(instances)} pictures, 1 to {MAX_INSTANCES} are allowed"
    else:
        for i, instance in enumerate(instances):
            yield from _instance_faults(f"instances[{i}]", instance)


def _instance_faults(path: str, instance: Any) -> Iterator[str]:
    if not isinstance(instance, list):
        yield f"{path}: {_kind(instance)}, a list of {PIXELS} numbers is needed"
        return
    if len(instance) != PIXELS:
        yield f"{path}: {len(instance)} values, {PIXELS} are needed"
    for i, value in enumerate(instance):
        if fault := _pixel_fault(value):
            yield f"{path}[{i}]: {fault}"


def _pixel_fault(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{_kind(value)}, a number from {LOWEST} to {HIGHEST} is needed"
    # Written so that NaN, which json.loads lets through, is outside too.
    return "" if LOWEST <= value <= HIGHEST else f"{str(value)[:40]} is outside {LOWEST} to {HIGHEST}"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")
