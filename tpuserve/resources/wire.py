"""Between the engine and Google: inputs to a request, an answer to inputs; and outputs to the program's snake_case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve.resources.fields import Shape


def to_snake(shape: Shape, value: Any) -> Any:
    """Outputs as the program spells them; keys of maps (labels, variants) are the user's and stay."""
    if shape.kind == "object" and isinstance(value, Mapping):
        known = shape.by_wire()
        return {known[key].name: to_snake(known[key].shape, item) for key, item in value.items() if key in known}
    return _deeper(shape, value, to_snake)


def to_google(shape: Shape, value: Any) -> Any:
    """The inputs as Google's JSON: what steers only the provider is left out."""
    if shape.kind == "object" and isinstance(value, Mapping):
        sent = (argument for argument in shape.arguments if not argument.field.ours)
        return {
            argument.wire: to_google(argument.shape, value[argument.wire])
            for argument in sent
            if value.get(argument.wire) is not None
        }
    return _deeper(shape, value, to_google)


def from_google(shape: Shape, value: Any) -> Any:
    """Google's JSON (int64 as strings) as inputs: fields that are no argument, or only the provider's, are left out."""
    if shape.kind == "object" and isinstance(value, Mapping):
        known = {a.wire: a for a in shape.arguments if not a.field.ours}
        return {key: from_google(known[key].shape, item) for key, item in value.items() if key in known}
    if shape.kind == "integer" and isinstance(value, str):
        return int(value)
    return _deeper(shape, value, from_google)


def _deeper(shape: Shape, value: Any, walk: Any) -> Any:
    if shape.kind == "map" and isinstance(value, Mapping) and shape.item:
        return {key: walk(shape.item, item) for key, item in value.items()}
    if shape.kind == "list" and isinstance(value, (list, tuple)) and shape.item:
        return [walk(shape.item, item) for item in value]
    return value
