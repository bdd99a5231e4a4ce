"""Pairs of arguments of one resource, the second made from the first by a few changes or by many."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from tests.generated import repair, values
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.deployment import DeployedModelArgs
from tpuserve.resources.fields import shape_of

Args = dict[str, Any]
MISSING = object()
VARIANTS: tuple[str, ...] = ("stable", "canary", "next")
SPELLINGS = ("id", "number", "url")
# Placeholders for names, which the world knows: `$<spelling>/<model or endpoint>`.
MODELS = [
    f"${spelling}/{model}@{version}" for spelling in SPELLINGS for model in "ab" for version in ("1", "2", "live")
]
ENDPOINTS = [f"${spelling}/e" for spelling in SPELLINGS]
OTHER_ENDPOINT = "$id/f"


@dataclass(frozen=True)
class Case:
    """Two programs, one after the other."""

    token: str
    first: Args
    second: Args
    reads_first: bool = False
    """Whether the engine reads the resource before the second, as it does where refresh_before_update is set."""
    returns_container_spec: bool = True
    """Whether Google returns what it calls input only; no source says whether it does."""

    @property
    def traits(self) -> set[str]:
        """What a distribution counts."""
        found = {self.token.rsplit(":", 1)[-1]}
        if self.first == self.second:
            found.add("no change")
        if self.token == DEPLOYMENT:
            found |= self._deployment_traits()
        return found

    def _deployment_traits(self) -> set[str]:
        first, second = self.first["deployedModels"], self.second["deployedModels"]
        models = [{name: variant["model"] for name, variant in variants.items()} for variants in (first, second)]
        several = max(len(first), len(second)) > 1
        split = self.first.get("trafficSplit") != self.second.get("trafficSplit")
        found = {"several variants"} if several else set()
        found |= {"model and split change"} if models[0] != models[1] and split else set()
        found |= {"another endpoint"} if self.first["endpoint"][-1] != self.second["endpoint"][-1] else set()
        return found | ({"several, model and split"} if several and models[0] != models[1] and split else set())


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values stand; a list and an empty object are values."""
    if isinstance(value, Mapping) and value:
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif path:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        if not isinstance(value, Mapping) or step not in value:
            return MISSING
        value = value[step]
    return value


def put(value: Args, path: tuple[Any, ...], item: Any) -> None:
    *parents, last = path
    for step in parents:
        if not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    if item is MISSING:
        value.pop(last, None)
    else:
        value[last] = copy.deepcopy(item)


@st.composite
def changed(draw: st.DrawFn, first: Args, other: Args) -> Args:
    """`first` with a few values, or all, as `other` has them."""
    paths = sorted({*leaves(first), *leaves(other)}, key=str)
    differing = [path for path in paths if at(first, path) != at(other, path)]
    if not differing or draw(st.integers(0, 3)) == 0:
        return copy.deepcopy(other)
    second = copy.deepcopy(first)
    for path in draw(st.lists(st.sampled_from(differing), unique=True, max_size=3)):
        put(second, path, at(other, path))
    return second


def _plain(token: str) -> st.SearchStrategy[Case]:
    shape = values.of(LIFECYCLES[token].definition.shape)

    @st.composite
    def pair(draw: st.DrawFn) -> Case:
        first = _accepted(token, draw(shape))
        second = _accepted(token, _allowed(draw(changed(first, draw(shape)))), first)
        return Case(token, first, second, draw(st.booleans()), draw(st.booleans()))

    return pair()


def _accepted(token: str, args: Args, before: Args | None = None) -> Args:
    """What Check accepts of it; nothing is drawn where that is nothing."""
    found = repair.accepted(token, args, before)
    assume(found is not None)
    assert found is not None
    return found


def _allowed(args: Args) -> Args:
    """A replacement of an endpoint has to be allowed, which has tests of its own."""
    return args | {"allowReplace": True} if "displayName" in args and "containerSpec" not in args else args


VARIANT = values.of(shape_of(DeployedModelArgs))


@st.composite
def variant(draw: st.DrawFn) -> Args:
    """One variant with a model."""
    return draw(VARIANT) | {"model": draw(st.sampled_from(MODELS))}


@st.composite
def split(draw: st.DrawFn, names: list[str]) -> dict[str, int] | None:
    """Shares of all of the variants, or of some; None leaves it out."""
    if len(names) == 1:
        return draw(st.sampled_from([None, {names[0]: 100}]))
    cuts = sorted(draw(st.integers(0, 100)) for _ in names[1:])
    shares = [after - before for before, after in zip([0, *cuts], [*cuts, 100], strict=True)]
    given = dict(zip(names, shares, strict=True))
    return {name: share for name, share in given.items() if share} if draw(st.booleans()) else given


DEPLOYMENT_ARGS = values.of(LIFECYCLES[DEPLOYMENT].definition.shape)


@st.composite
def deployments(draw: st.DrawFn) -> Case:
    """Deployments of one to three variants; the second promotes, changes, adds and removes them."""
    first_names = draw(st.lists(st.sampled_from(VARIANTS), unique=True, min_size=1, max_size=3))
    first_models = {name: draw(variant()) for name in first_names}
    names = draw(st.lists(st.sampled_from(VARIANTS), unique=True, min_size=1, max_size=3))
    models = {name: draw(_successor(first_models, name)) for name in names}
    endpoint = draw(st.sampled_from(ENDPOINTS))
    given, other = draw(DEPLOYMENT_ARGS), draw(DEPLOYMENT_ARGS)
    place = draw(st.sampled_from([*ENDPOINTS] * 2 + [OTHER_ENDPOINT]))
    first = _deployment(given, endpoint, first_models, draw(split(first_names)))
    second = _deployment(draw(changed(given, other)), place, models, draw(split(names)))
    accepted = _accepted(DEPLOYMENT, first)
    return Case(DEPLOYMENT, accepted, _accepted(DEPLOYMENT, second, accepted), draw(st.booleans()))


def _deployment(args: Args, endpoint: str, models: Args, shares: dict[str, int] | None) -> Args:
    made = args | {"endpoint": endpoint, "deployedModels": models, "allowOutage": True}
    return made | ({"trafficSplit": shares} if shares is not None else {})


@st.composite
def _successor(draw: st.DrawFn, before: Mapping[str, Args], name: str) -> Args:
    """The variant itself with changes, another one's (a promotion), or a new one."""
    way = draw(st.sampled_from(["itself", "itself", "another", "new"]))
    if way == "itself" and name in before:
        return draw(changed(before[name], draw(variant())))
    if way == "another":
        return copy.deepcopy(before[draw(st.sampled_from(sorted(before)))])
    return draw(variant())


# Deployments are most of what can go wrong, and most of the cases.
SHARES = {DEPLOYMENT: 7, MODEL: 1, ENDPOINT: 1, QUEUED_RESOURCE: 1}


def cases() -> st.SearchStrategy[Case]:
    """A case of any kind."""
    made = {DEPLOYMENT: deployments(), **{token: _plain(token) for token in (MODEL, ENDPOINT, QUEUED_RESOURCE)}}
    kinds = st.sampled_from([token for token, share in SHARES.items() for _ in range(share)])
    return kinds.flatmap(made.__getitem__)
