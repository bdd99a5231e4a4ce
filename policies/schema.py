"""Policy configuration checked by the JSON schemas of the pack, where no engine does it: the keywords they use."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy import PolicyConfigSchema

from tpuserve.catalog.words import did_you_mean, listed

TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "object": lambda value: isinstance(value, Mapping),
    "string": lambda value: isinstance(value, str),
}
LIMITS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "enum": (lambda value, limit: value in limit, "must be one of"),
    "minItems": (lambda value, limit: len(value) >= limit, "must have so many entries at least:"),
    "minLength": (lambda value, limit: len(value) >= limit, "must have so many letters at least:"),
    "minimum": (lambda value, limit: value >= limit, "must be at least"),
    "maximum": (lambda value, limit: value <= limit, "must be at most"),
    "exclusiveMinimum": (lambda value, limit: value > limit, "must be more than"),
    "pattern": (lambda value, limit: bool(re.search(limit, value)), "must match"),
}
SAYING_NOTHING = frozenset({"description", "default", "title"})
KEYWORDS = (
    LIMITS.keys()
    | SAYING_NOTHING
    | {"type", "items", "properties", "propertyNames", "required", "additionalProperties"}
)
"""All that is understood; a test holds the families to it."""


def faults(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    """Each thing that the schema does not allow, with its path."""
    kind = schema.get("type")
    if kind and not TYPES[kind](value):
        yield f"{path}: {value!r} is not of type {kind}"
        return
    for keyword, (holds, words) in LIMITS.items():
        if keyword in schema and not holds(value, schema[keyword]):
            yield f"{path}: {value!r} {words} {_shown(keyword, value, schema[keyword])}"
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{path}[{index}]")
    if isinstance(value, Mapping):
        yield from _of_object(value, schema, path)


def _shown(keyword: str, value: Any, limit: Any) -> str:
    return f"{listed(limit, 'or')}{did_you_mean(str(value), map(str, limit))}" if keyword == "enum" else str(limit)


def unread(keys: Sequence[str], known: PolicyConfigSchema | None, policy: str) -> Iterator[str]:
    """Each key of a policy's configuration that its schema does not have."""
    own = known.properties if known else {}
    has = f"there are {', '.join(own)}" if own else "this policy has its level alone"
    yield from (f"{policy}.{key}: there is no such key; {has}" for key in keys if key not in own)


def _of_object(value: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> Iterator[str]:
    own, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key in schema.get("required") or ():
        if key not in value:
            yield f"{path}: {key} is missing"
    for key, each in value.items():
        yield from faults(key, schema.get("propertyNames", {}), f"{path}.{key}")
        if key in own:
            yield from faults(each, own[key], f"{path}.{key}")
        elif isinstance(others, Mapping):
            yield from faults(each, others, f"{path}.{key}")
        elif not others:
            yield f"{path}.{key}: there is no such key; there are {', '.join(own)}"
