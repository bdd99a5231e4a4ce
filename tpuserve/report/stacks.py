"""Reports of several stacks for one change of the program, and what it does in one of them and not in another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from tpuserve.report.effects import id_argument
from tpuserve.report.plan import Change, Difference
from tpuserve.report.report import Report
from tpuserve.report.values import HIDDEN, LATER, SECRET_TEXT, UNKNOWN_TEXT, shown
from tpuserve.report.verdict import CODES, Outcome
from tpuserve.report.words import how

OWN = re.compile(r"projects/[^/]+/|-[0-9a-f]{10}\b")
"""What is another in every stack: its project, and the end of an id that this provider makes."""
NAMED = 5
"""Stacks that the sentence names of each outcome."""
WORDS: dict[Outcome, str] = {"blocked": "blocked", "changes": "changing", "clean": "unchanged"}
"""The worst first."""


class Cell(Struct, frozen=True, rename="camel"):
    """What one stack does."""

    stack: str
    action: str
    """Such as `replace, delete first`; "" where the resource stays as it is or is not there."""
    difference: Difference | None = None
    """Of the property, where the row is of one and this stack changes it."""


class Across(Struct, frozen=True, rename="camel"):
    """What is not the same in every stack: what becomes of a resource, or of one of its properties."""

    type: str
    name: str
    path: str
    """Of the property; "" for the resource itself."""
    cells: tuple[Cell, ...]
    """One a stack, in their order."""


class Reports(Struct, frozen=True, rename="camel"):
    """What a reviewer decides from, for all stacks."""

    schema: Literal["tpuserve.reports/1"]
    """The version of this shape: another number where a reader of this one would be misled."""
    outcome: Outcome
    """The worst of all."""
    sentence: str
    stacks: tuple[Report, ...]
    differences: tuple[Across, ...]

    @property
    def code(self) -> int:
        """The exit code: 0 nothing changes, 1 one is blocked, 2 changes."""
        return CODES[self.outcome]


def together(stacks: Sequence[Report]) -> Reports:
    """One report of all; their titles are unlike each other."""
    outcome: Outcome = min((each.verdict.outcome for each in stacks), key=[*WORDS].index)
    changing = [each for each in stacks if each.changes]
    differences = tuple(_differences(stacks)) if changing else ()
    return Reports("tpuserve.reports/1", outcome, _sentence(stacks, differences), tuple(stacks), differences)


def alike(given: Reports) -> bool:
    """Whether several stacks change, and all in the same way."""
    return not given.differences and sum(bool(each.changes) for each in given.stacks) > 1


def _of(stacks: Sequence[Report], outcome: Outcome) -> list[str]:
    return [each.title for each in stacks if each.verdict.outcome == outcome]


def _sentence(stacks: Sequence[Report], differences: Sequence[Across]) -> str:
    found = {words: names for outcome, words in WORDS.items() if (names := _of(stacks, outcome))}
    if [*found] == [WORDS["clean"]]:
        return f"{len(stacks):,} stacks: nothing changes"
    parts = [f"{len(names):,} {words} ({_names(names)})" for words, names in found.items()]
    told = ["not the same in every stack"] if differences else []
    return f"{len(stacks):,} stacks: {'; '.join([*parts, *told])}"


def _names(names: Sequence[str]) -> str:
    more = [f"{len(names) - NAMED:,} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more])


def _differences(stacks: Sequence[Report]) -> Iterator[Across]:
    found: dict[str, dict[str, Change]] = {}
    for each in stacks:
        for change in each.changes:
            if not change.is_component:
                found.setdefault(_key(change), {})[each.title] = change
    for own in found.values():
        yield from _of_resource([each.title for each in stacks], own)


def _key(change: Change) -> str:
    """The URN without the stack and the project."""
    return change.urn.split("::", 2)[-1]


def _of_resource(titles: Sequence[str], own: dict[str, Change]) -> Iterator[Across]:
    some = next(iter(own.values()))
    actions = {title: f"{own[title].action}{how(own[title])}" if title in own else "" for title in titles}
    if len(set(actions.values())) > 1:
        yield Across(some.type, some.name, "", tuple(Cell(title, actions[title]) for title in titles))
    if len({each.action for each in own.values()}) > 1:
        return  # the properties of a create are not those of an update
    by_stack = {
        title: {each.path: each for given in change.differences for each in _parts(given)}
        for title, change in own.items()
    }
    ignored = {"project", id_argument(some.type)}
    for path in dict.fromkeys(path for paths in by_stack.values() for path in paths if path not in ignored):
        differences = {title: found.get(path) for title, found in by_stack.items()}
        if len(set(map(_becomes, differences.values()))) > 1:
            cells = (Cell(title, actions[title], differences.get(title)) for title in titles)
            yield Across(some.type, some.name, path, tuple(cells))


def _parts(given: Difference) -> Iterator[Difference]:
    """What is given for the first time, such as a variant, property by property: else no two stacks are alike."""
    value = _read(given.new.text) if given.old.kind == "absent" and given.new.kind == "known" else None
    try:
        leaves = list(_leaves(value, given.path)) if isinstance(value, dict | list) else []
    except RecursionError:
        leaves = []  # brackets in a text
    if not leaves:
        yield given
    for path, each in leaves:
        new = (
            {UNKNOWN_TEXT: LATER, SECRET_TEXT: HIDDEN}.get(each, shown(each)) if isinstance(each, str) else shown(each)
        )
        yield Difference(path, given.old, new)


def _read(text: str) -> Any:
    try:
        return json.loads(text) if text.startswith(("{", "[")) else None
    except (ValueError, RecursionError):
        return None  # a text, or one that was too long to be kept whole


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}")
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from _leaves(each, f"{path}[{index}]")
    else:
        yield path, value


def _becomes(difference: Difference | None) -> tuple[str, str] | None:
    """What a property becomes, less what is another in every stack."""
    return difference and (difference.new.kind, OWN.sub("", difference.new.text))
