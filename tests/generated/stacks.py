"""Stacks of slices and of served models: each unit as it should be, with a few values changed, right or wrong."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.generated import cases as cases_
from tests.generated import stack_values as values
from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, PROJECT, QUEUED_RESOURCE

Args = dict[str, Any]
Limits = Mapping[str, Mapping[str, int]]
LEFT_OUT = values.LEFT_OUT


@dataclass(frozen=True)
class Declared:
    """One resource of a program; its names are literal."""

    token: str
    name: str
    args: Args

    @property
    def urn(self) -> str:
        return f"urn:pulumi:local::project::{self.token}::{self.name}"


@dataclass(frozen=True)
class Unit:
    """What stands or falls together: a queued resource, or a model, its endpoint and what is deployed there."""

    resources: tuple[Declared, ...]
    changed: tuple[str, ...] = ()
    """Paths that were changed, each below its token."""
    previewed: bool = False
    """Whether the names of model and endpoint are not known yet, as in the preview that makes them."""


@dataclass(frozen=True)
class Case:
    """A stack, and the limits of its quotas: chips by quota and place; None for none."""

    units: tuple[Unit, ...]
    limits: Limits | None = None


def cases() -> st.SearchStrategy[Case]:
    """Stacks of one to three units."""
    kinds = [_slices, _served]

    @st.composite
    def made(draw: st.DrawFn) -> Case:
        count = draw(st.integers(1, 3))
        units = tuple(draw(draw(st.sampled_from(kinds))(index)) for index in range(count))
        return Case(units, draw(st.none() | values.LIMITS))

    return made()


@st.composite
def _slices(draw: st.DrawFn, index: int) -> Unit:
    args = programs.collection(queuedResourceId=f"q-{index}", zone=draw(values.ZONES))
    changed = _change(draw, QUEUED_RESOURCE, args, index)
    return Unit((Declared(QUEUED_RESOURCE, f"q{index}", args),), changed)


@st.composite
def _served(draw: st.DrawFn, index: int) -> Unit:
    place = {"location": draw(values.REGIONS)}
    model = programs.model(modelId=f"m-{index}", **place)
    endpoint = programs.endpoint(endpointId=f"e-{index}", **place)
    changed = [*_change(draw, MODEL, model, index), *_change(draw, ENDPOINT, endpoint, index)]
    version = f"{_named(model, 'models', 'modelId')}@1"
    names = draw(st.sampled_from([("stable",)] * 3 + [("canary", "stable")]))
    variants = {name: programs.variant(version) for name in names}
    for name in names:
        changed += _change(draw, values.VARIANT, variants[name], index)
    deployment = {"endpoint": _named(endpoint, "endpoints", "endpointId"), "deployedModels": variants}
    if (split := draw(values.split(names))) is not LEFT_OUT:
        deployment["trafficSplit"] = split
    tokens = {MODEL: model, ENDPOINT: endpoint, DEPLOYMENT: deployment}
    resources = tuple(Declared(token, f"{token.rpartition(':')[2]}{index}", args) for token, args in tokens.items())
    return Unit(resources, tuple(changed), draw(st.booleans()))


def _named(args: Args, collection: str, argument: str) -> str:
    return f"projects/{PROJECT}/locations/{args['location']}/{collection}/{args[argument]}"


def _change(draw: st.DrawFn, token: str, args: Args, index: int) -> tuple[str, ...]:
    """Put other values, right or wrong, at none, one or two paths."""
    table = values.CHANGES[token]
    count = draw(values.HOW_MANY[token])
    paths = draw(st.lists(st.sampled_from(sorted(table)), unique=True, min_size=count, max_size=count))
    for path in sorted(paths, key=len):  # a whole before its parts
        put(args, path, _numbered(draw(table[path]), index))
    paths += _vary(draw, token, args, index)
    return tuple(f"{token.rpartition(':')[2]}.{path}" for path in paths)


def _vary(draw: st.DrawFn, token: str, args: Args, index: int) -> list[str]:
    """Now and then add one or two arguments of any kind, each right by itself."""
    if draw(st.integers(0, 2)):
        return []
    other = _renamed(draw(values.ANYTHING[token]), index)
    paths = [path for path in sorted(cases_.leaves(other), key=str) if path[0] not in values.NAMED]
    chosen = draw(st.lists(st.sampled_from(paths), unique=True, min_size=1, max_size=2)) if paths else []
    for path in chosen:
        cases_.put(args, path, cases_.at(other, path))
    return [".".join(path) for path in chosen]


def _renamed(value: Any, index: int) -> Any:
    """A copy whose nodes are named after the unit."""
    if isinstance(value, Mapping):
        number = {key: str(index) if key in ("nodeId", "nodeIdPrefix") else "" for key in value}
        return {key: f"{item}{number[key]}" if number[key] else _renamed(item, index) for key, item in value.items()}
    return [_renamed(item, index) for item in value] if isinstance(value, list) else value


def _numbered(value: Any, index: int) -> Any:
    """A copy with the unit's number in the place of `#`, so that no two of a stack have one name."""
    if isinstance(value, str):
        return value.replace("#", str(index))
    if isinstance(value, Mapping):
        return {key: _numbered(item, index) for key, item in value.items()}
    return [_numbered(item, index) for item in value] if isinstance(value, list) else value


def put(args: Args, path: str, value: Any) -> None:
    """Set the value at a dotted path; `LEFT_OUT` takes out what is there."""
    *parents, last = path.split(".")
    where: Any = args
    for step in parents:
        where = where[int(step)] if isinstance(where, list) else where.setdefault(step, {})
    if value is LEFT_OUT:
        where.pop(last, None)
    else:
        where[int(last) if isinstance(where, list) else last] = copy.deepcopy(value)
