"""The field-by-field difference of two sets of inputs, each change with what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.resources.fields import IN_PLACE, Argument, Effect, Field, Shape
from tpuserve.resources.paths import Step, join


@dataclass(frozen=True, slots=True)
class Change:
    """One changed value; `old` or `new` is None where the value was added or deleted."""

    steps: tuple[Step, ...]
    effect: Effect
    old: Any
    new: Any

    @property
    def path(self) -> str:
        return join(self.steps)

    @property
    def kind(self) -> str:
        if self.old is None:
            return "add"
        return "delete" if self.new is None else "update"


def changes(shape: Shape, old: Any, new: Any, mark: Field = IN_PLACE, steps: tuple[Step, ...] = ()) -> Iterator[Change]:
    """Each change from `old` to `new`, at the deepest path that both sides share; an unknown new value is a change."""
    if old == new or (old is not None and new is not None and UNKNOWN not in (old, new) and _same(mark, old, new)):
        return
    if shape.kind in ("object", "map") and isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _mapping_changes(shape, old, new, mark, steps)
    elif shape.kind == "list" and isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        assert shape.item is not None
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from changes(shape.item, before, after, mark, (*steps, index))
    else:
        yield Change(steps, mark.effect or Effect.IN_PLACE, old, new)


def _same(mark: Field, old: Any, new: Any) -> bool:
    return mark.same is not None and mark.same(old, new)


def _mapping_changes(
    shape: Shape, old: Mapping[str, Any], new: Mapping[str, Any], mark: Field, steps: tuple[Step, ...]
) -> Iterator[Change]:
    if shape.kind == "map":
        assert shape.item is not None
        for key in sorted({*old, *new}):
            yield from changes(shape.item, old.get(key), new.get(key), mark, (*steps, key))
        return
    for argument in shape.arguments:
        before, after = _said(argument, old), _said(argument, new)
        zero = argument.field.otherwise is None
        if zero and is_default(argument, before) and is_default(argument, after):
            continue
        if argument.field.filled and after is None:
            continue
        yield from changes(argument.shape, before, after, _inherited(argument, mark), (*steps, argument.wire))


def _said(argument: Argument, values: Mapping[str, Any]) -> Any:
    given = values.get(argument.wire)
    return argument.field.otherwise if given is None else given


def is_default(argument: Argument, value: Any) -> bool:
    """Whether an argument says what leaving it out says: the wire does not tell them apart, but for some messages."""
    if value is None or argument.shape.kind != "object":
        return value is None or value in (False, "", [], {})
    if not argument.field.absent_when_empty or not isinstance(value, Mapping):
        return False
    known = argument.shape.by_wire()
    return all(key in known and is_default(known[key], item) for key, item in value.items())


def _inherited(argument: Argument, mark: Field) -> Field:
    """An argument without an effect of its own behaves as the one that holds it."""
    own = argument.field
    return own if own.effect else replace(own, effect=mark.effect, ours=own.ours or mark.ours)


def with_effect(shape: Shape, value: Any, effect: Effect, mark: Field = IN_PLACE) -> Any:
    """The part of `value` whose fields have `effect` (what a replacement, a version or a deployment is made of)."""
    if shape.kind == "object" and isinstance(value, Mapping):
        kept = {}
        for argument in shape.arguments:
            item, own = value.get(argument.wire), _inherited(argument, mark)
            part = None if is_default(argument, item) else with_effect(argument.shape, item, effect, own)
            if part is not None and (part != {} or own.effect is effect):
                kept[argument.wire] = part
        return kept
    if shape.kind == "list" and isinstance(value, list) and shape.item:
        parts = [with_effect(shape.item, item, effect, mark) for item in value]
        return [part for part in parts if part is not None and part != {}] or None
    return value if (mark.effect or Effect.IN_PLACE) is effect else None
