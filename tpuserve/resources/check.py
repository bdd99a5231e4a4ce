"""The part of Check that the shape alone decides: types, required fields, enums, unknown keys, single-value rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.resources.fields import Argument, Shape, camel
from tpuserve.resources.paths import Step, join

MISSING = "is required and was not given"
NAMES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "map": "an object",
    "list": "a list",
}


def normalize(shape: Shape, value: Any) -> Any:
    """`value` without absent (None) fields and with whole numbers as int: the wire knows only doubles."""
    if isinstance(value, Mapping):
        known = shape.by_wire() if shape.kind == "object" else {}
        kept = {key: item for key, item in value.items() if item is not None}
        return {key: _spelled(known.get(key), normalize(_item_shape(shape, known, key), kept[key])) for key in kept}
    if isinstance(value, list):
        return [normalize(shape.item or shape, item) for item in value]
    if shape.kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _spelled(argument: Argument | None, value: Any) -> Any:
    spell = argument.field.spell if argument else None
    return spell(value) if spell and isinstance(value, str) else value


def _item_shape(shape: Shape, known: Mapping[str, Argument], key: str) -> Shape:
    if key in known:
        return known[key].shape
    return shape.item or Shape("any")


def faults(
    shape: Shape, value: Any, steps: tuple[Step, ...] = (), refused: Mapping[str, str] | None = None
) -> Iterator[Fault]:
    """Every fault of `value`, each with its path; a value not known yet is never one.

    `refused`: arguments of Google's that cannot be given -> why.
    """
    if value is UNKNOWN or value is None:
        return
    if not _is_kind(shape.kind, value):
        yield Fault(join(steps), f"expected {NAMES[shape.kind]}, got {_shown(value)}")
        return
    if shape.allowed and value not in shape.allowed:
        yield Fault(join(steps), f"{value!r} is not allowed; use one of {', '.join(shape.allowed)}")
    if shape.kind == "list" and shape.item:
        for index, item in enumerate(value):
            yield from faults(shape.item, item, (*steps, index), refused)
    elif shape.kind == "map" and shape.item:
        for key, item in value.items():
            yield from faults(shape.item, item, (*steps, key), refused)
    elif shape.kind == "object":
        yield from _object_faults(shape, value, steps, refused or {})


def _object_faults(
    shape: Shape, value: Mapping[str, Any], steps: tuple[Step, ...], refused: Mapping[str, str]
) -> Iterator[Fault]:
    known = shape.by_wire()
    for key in value:
        if key not in known and not key.startswith("__"):
            yield Fault(join((*steps, key)), refused.get(camel(key)) or _unknown_key(key, known))
    for wire, argument in known.items():
        given = value.get(wire)
        if given is None and argument.required:
            yield Fault(join((*steps, wire)), MISSING)
        yield from faults(argument.shape, given, (*steps, wire), refused)
        if argument.field.check and given is not None and given is not UNKNOWN and _is_kind(argument.shape.kind, given):
            message = argument.field.check(given)
            if message:
                yield Fault(join((*steps, wire)), message)


def _unknown_key(key: str, known: Mapping[str, Argument]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"is not an argument here{hint} Known: {', '.join(sorted(known))}"


def _is_kind(kind: str, value: Any) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


def _shown(value: Any) -> str:
    return f"{value!r} ({NAMES.get(_kind_of(value), type(value).__name__)})"


def _kind_of(value: Any) -> str:
    kinds = ("boolean", "integer", "number", "string", "list", "object")
    return next((kind for kind in kinds if _is_kind(kind, value)), "any")
