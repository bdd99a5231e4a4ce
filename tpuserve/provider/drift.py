"""What Read puts into the inputs (pure): live values of what can change in place, all of it for an import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve.provider.ownership import users_labels
from tpuserve.resources.diff import changes, is_default
from tpuserve.resources.fields import Argument, Effect, Shape
from tpuserve.resources.same import canonical
from tpuserve.resources.wire import from_google


def live_inputs(shape: Shape, live: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs that give no diff where nothing drifted.

    Without inputs (an import) every live value that is an argument. With inputs, only what can change in place
    follows Google: the rest cannot have changed, and Google fills in defaults nobody asked for.
    """
    found = from_google(shape, live)
    if "labels" in found:
        found["labels"] = users_labels(found["labels"])
    if not inputs:
        known = shape.by_wire()
        return {key: value for key, value in found.items() if value or not is_default(known[key], value)}
    kept = dict(inputs)
    for argument in shape.arguments:
        if not argument.field.ours and argument.field.effect is Effect.IN_PLACE:
            _follow(kept, argument, found.get(argument.wire))
    return kept


def _follow(kept: dict[str, Any], argument: Argument, live: Any) -> None:
    value = follow(argument, live, kept.get(argument.wire))
    if value is None:
        kept.pop(argument.wire, None)
    else:
        kept[argument.wire] = value


def follow(argument: Argument, live: Any, given: Any) -> Any:
    """The value given, where Google's is the same thing; else Google's. None: it is not there.

    Google leaves out what has its default; an argument that nobody gave and that has it stays away.
    """
    field = argument.field
    if is_default(argument, live) and is_default(argument, given):
        return given
    if argument.shape.kind == "object" and isinstance(given, Mapping):
        return _followed_object(argument.shape, live or {}, given)
    alike = [rule(given, live) for rule in (field.same, field.completed) if rule and None not in (given, live)]
    return given if any(alike) else live


def _followed_object(shape: Shape, live: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(given)
    for argument in shape.arguments:
        if argument.wire in given or not argument.field.filled:
            _follow(kept, argument, live.get(argument.wire))
    return kept


def is_as_asked(shape: Shape, live: Mapping[str, Any], asked: Mapping[str, Any], numbers: Mapping[str, str]) -> bool:
    """Whether everything that was asked for is so at Google, who may have added defaults and spell names otherwise.

    `numbers`: project id -> number.
    """
    there = canonical(shape, _projected(from_google(shape, live), asked), numbers)
    return not any(changes(shape, canonical(shape, asked, numbers), there))


def _projected(live: Any, asked: Any) -> Any:
    """The part of `live` that `asked` speaks of."""
    if isinstance(asked, Mapping) and isinstance(live, Mapping):
        return {key: _projected(live[key], value) for key, value in asked.items() if key in live}
    if isinstance(asked, list) and isinstance(live, list) and len(live) == len(asked):
        return [_projected(*pair) for pair in zip(live, asked, strict=True)]
    return live


def followed(shape: Shape, live: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` with the live value of each argument that was given, at any depth; nothing given means all of `live`."""
    if not given:
        return dict(live)
    kept = dict(given)
    for argument in shape.arguments:
        if argument.field.ours or argument.wire not in given:
            continue
        value, had = live.get(argument.wire), given[argument.wire]
        if argument.shape.kind == "object" and isinstance(had, Mapping):
            kept[argument.wire] = followed(argument.shape, value or {}, had)
        else:
            _follow(kept, argument, value)
    return kept
