"""When two spellings mean one thing: a URL or a path, a project's id or its number, `3600s` or `3600.0s`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.numbers import seconds
from tpuserve.catalog.times import moment
from tpuserve.resources.fields import Shape

_URL = re.compile(r"^(https?:)?//[^/]+/(compute/)?((v\d\w*|alpha|beta)/)?")


class _AnyProject(dict[str, str]):
    def get(self, key: str, default: Any = None) -> Any:
        return "-"


ANY_PROJECT = _AnyProject()
"""In place of `numbers`: names are equal whatever project they are in, for where no number was learned."""


def path_of(name: str) -> str:
    """A resource name without scheme, host and version: `projects/P/locations/L/endpoints/E`."""
    return _URL.sub("", name).strip("/")


def canonical_name(name: str, numbers: Mapping[str, str]) -> str:
    """The path of `name` with the project's number, if `numbers` (project id -> number) has it."""
    head, *rest = path_of(name).split("/")
    if head != "projects" or not rest:
        return path_of(name)
    return "/".join([head, numbers.get(rest[0], rest[0]), *rest[1:]])


def learned(given: str, answered: str) -> dict[str, str]:
    """Project id -> number, where Google's answer names the same object as the request did, by number."""
    asked, told = path_of(given).split("/"), path_of(answered).split("/")
    same_object = len(asked) > 2 and asked[0] == told[0] == "projects" and asked[2:] == told[2:]
    return {asked[1]: told[1]} if same_object and told[1].isdecimal() and not asked[1].isdecimal() else {}


def canonical(shape: Shape, value: Any, numbers: Mapping[str, str]) -> Any:
    """`value` with every resource name in its canonical spelling, so that a spelling is never a difference."""
    if shape.kind == "object" and isinstance(value, Mapping):
        known = shape.by_wire()
        return {k: _argument(known[k], v, numbers) if k in known else v for k, v in value.items()}
    if shape.kind == "map" and isinstance(value, Mapping) and shape.item:
        return {key: canonical(shape.item, item, numbers) for key, item in value.items()}
    if shape.kind == "list" and isinstance(value, list) and shape.item:
        return [canonical(shape.item, item, numbers) for item in value]
    return value


def _argument(argument: Any, value: Any, numbers: Mapping[str, str]) -> Any:
    if argument.field.is_name and isinstance(value, (str, list)):
        return _names(value, numbers)
    if argument.wire == "project" and isinstance(value, str):
        return numbers.get(value, value)
    return canonical(argument.shape, value, numbers)


def _names(value: Any, numbers: Mapping[str, str]) -> Any:
    """A name, or each of a list of them; what is not known yet stays."""
    if isinstance(value, list):
        return [_names(item, numbers) for item in value]
    return canonical_name(value, numbers) if isinstance(value, str) else value


def same_duration(one: Any, other: Any) -> bool:
    """Whether `3600s` and `3600.0s` are the two values."""
    return seconds(one) is not None and seconds(one) == seconds(other)


def same_time(one: Any, other: Any) -> bool:
    """Whether `2026-12-01T08:00:00Z` and `2026-12-01T09:00:00+01:00` are the two values."""
    return moment(one) is not None and moment(one) == moment(other)


def same_set(one: Any, other: Any) -> bool:
    """Whether two lists of texts hold the same ones in any order; one with a value not known yet is like no other."""
    texts = [value for value in (one, other) if isinstance(value, list) and all(isinstance(v, str) for v in value)]
    return len(texts) == 2 and set(texts[0]) == set(texts[1])


def is_completed_uri(asked: Any, answered: Any) -> bool:
    """Whether `bq://P.D.T` is what `bq://P` or `bq://P.D` asked for, with the parts that Google made."""
    return isinstance(asked, str) and isinstance(answered, str) and answered.startswith(f"{asked}.")
