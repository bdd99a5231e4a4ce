"""What a run does, resource by resource: to which properties, in which order, and what is out of service for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from tpuserve.hiding import texts
from tpuserve.report import values
from tpuserve.report.effects import NO_UPDATE, effect, id_argument, is_ours
from tpuserve.report.events import State, Step, Stream
from tpuserve.report.values import Shown, shown

Action = Literal["create", "import", "update", "replace", "delete"]
Order = Literal["", "delete first", "create first"]
STACK = "pulumi:pulumi:Stack"
PROVIDERS = "pulumi:providers:"
THERE = frozenset({"import", "read", "read-replacement"})
"""Steps of what is there already, though no state has it."""
FORGOTTEN = frozenset({"discard", "discard-replaced", "remove-pending-replace"})
"""Steps that take out of the state what the stack does not hold."""
MADE_ID = re.compile(r"(.*)-[0-9a-f]{10}")
FORCED = "no property asks for it: it was asked for by hand, or what it hangs on is replaced"
ADOPTED = f"{FORCED}; the provider adopts what is there, and nothing is given up"

LEFT = "what an earlier replacement left behind is deleted, the resource itself stays"
PROTECTS = "an option of Pulumi's, kept in the state alone"


class Difference(Struct, frozen=True, rename="camel"):
    """One property."""

    path: str
    old: Shown
    new: Shown
    replaces: bool = False
    """Whether it forces the replacement."""
    effect: str = ""
    """What the change does, where the resource is one of ours."""


class Change(Struct, frozen=True, rename="camel"):
    """What becomes of one resource."""

    urn: str
    type: str
    name: str
    parent: str
    action: Action
    is_component: bool = False
    """Whether it only holds others: nothing is made at a cloud for it."""
    order: Order = ""
    """Of a replacement."""
    differences: tuple[Difference, ...] = ()
    why: str = ""
    """Of a replacement: why it is none in place; of a deletion: of what, where the resource itself stays."""
    outage: str = ""
    """What is out of service meanwhile; "" for nothing that is known."""
    failed: bool = False
    chips_before: str = ""
    """Such as `2 slices of v6e-8 in us-east5-b`; "" where it holds none."""
    chips_after: str = ""

    @property
    def is_adopted(self) -> bool:
        """Whether the engine alone replaces it: it was forced to, and this provider keeps what is there."""
        return self.action == "replace" and is_ours(self.type) and not any(each.replaces for each in self.differences)


class Drift(Struct, frozen=True, rename="camel"):
    """What a refresh found to be other than the state says; no intent of the program."""

    urn: str
    type: str
    name: str
    is_gone: bool
    differences: tuple[Difference, ...] = ()
    """Old is what the state says, new what is there."""


def name_of(urn: str) -> str:
    """The last part of a URN; the URN itself where it has none."""
    return urn.rpartition("::")[2] or urn


def changes(stream: Stream) -> tuple[Change, ...]:
    """Every resource that changes, in the order of its first step; providers and components last."""
    steps: dict[str, list[Step]] = {}
    for step in stream.steps:
        steps.setdefault(step.urn, []).append(step)
    found = [change for own in steps.values() if (change := _change(own, stream.failed))]
    return tuple(sorted(found, key=lambda each: (each.is_component, each.type.startswith(PROVIDERS))))


def drift(stream: Stream) -> tuple[Drift, ...]:
    """What drifted; a refresh that found what the state says is left out."""
    return tuple(
        Drift(
            step.urn,
            _type(step),
            name_of(step.urn),
            step.new is None,
            tuple(_differences(step, step.old, step.new, "")),
        )
        for step in stream.refreshed
        if step.new is None or step.differences
    )


def before(stream: Stream) -> dict[str, State]:
    """What there is when the run begins, by URN: the state, or what a refresh found."""
    found: dict[str, State] = {}
    for step in stream.steps:
        there = step.new if step.operation in THERE else step.old
        if there and step.urn not in found and step.operation not in FORGOTTEN:
            found[step.urn] = there
    for step in stream.refreshed:
        if step.new:
            found[step.urn] = step.new
        else:
            found.pop(step.urn, None)
    return found


def after(stream: Stream) -> dict[str, State]:
    """What there is when the run has ended well, by URN. A run that was cut off declares less."""
    told = {step.urn for step in stream.steps}
    found = {step.urn: step.new for step in stream.refreshed if step.new and step.urn not in told}
    found |= {step.urn: step.new for step in stream.steps if step.new and not step.operation.startswith("delete")}
    if stream.is_whole:
        return found
    gone = {step.urn for step in stream.steps if step.operation in ("delete", "discard")}
    return {urn: state for urn, state in before(stream).items() if urn not in gone} | found


def action_of(operations: Sequence[str]) -> Action | None:
    """What the steps of one resource come to; none where it stays as it is."""
    if {"replace", "create-replacement", "import-replacement"} & {*operations}:
        return "replace"
    for action in ("import", "create", "update"):
        if action in operations:
            return action
    return "delete" if "delete" in operations and "same" not in operations else None


def order_of(operations: Sequence[str]) -> Order:
    """Of a replacement: which of its two halves the engine does first."""
    made = next((index for index, each in enumerate(operations) if each.endswith("-replacement")), -1)
    return "delete first" if "delete-replaced" in operations[: max(made, 0)] else "create first"


def _change(own: Sequence[Step], failed: Iterable[str]) -> Change | None:
    operations = [step.operation for step in own]
    protection, first = tuple(_protection(own)), own[0]
    left = action_of(operations) is None and bool({"delete", "delete-replaced"} & {*operations})
    action = action_of(operations) or ("delete" if left else "update" if protection else None)
    kind = _type(first)
    if action is None or kind == STACK or (kind.startswith(PROVIDERS) and action in ("create", "delete")):
        return None
    step = next((each for each in own if each.differences), own[-1])
    found = (*_differences(step, step.old, step.new, action), *protection) if action in ("update", "replace") else ()
    if action in ("create", "import"):
        found = tuple(_given(own[-1].new))
    order = order_of(operations) if action == "replace" else ""
    state = first.new or first.old
    return Change(
        urn=first.urn,
        type=kind,
        name=name_of(first.urn),
        parent=state.parent if state else "",
        action=action,
        is_component=not (state and (state.is_custom or kind.startswith(PROVIDERS))),
        order=order,
        differences=found,
        why=LEFT if left else _why(kind, found) if action == "replace" else "",
        failed=first.urn in failed,
    )


def _protection(own: Sequence[Step]) -> Iterator[Difference]:
    """Whether the state protects it: the engine calls a resource the same of which nothing else changes."""
    old, new = own[0].old, own[-1].new
    if old and new and old.protect != new.protect:
        yield Difference("protect", shown(old.protect), shown(new.protect), effect=PROTECTS)


def _type(step: Step) -> str:
    state = step.new or step.old
    return state.type if state else step.urn.rpartition("::")[0].rpartition("$")[2].rpartition("::")[2]


def _given(state: State | None) -> Iterator[Difference]:
    for key, value in sorted((state.inputs if state else {}).items()):
        if value not in ({}, [], None):
            yield Difference(key, values.ABSENT, shown(value))


def _differences(step: Step, old: State | None, new: State | None, action: str) -> Iterator[Difference]:
    if old is None or new is None:
        return
    given = [each for each in step.differences if each.path]
    made = _made_id(old, new)
    for each in given:
        if each.path == made and len(given) > 1:
            continue  # it follows from the others
        before = old.inputs if each.is_input else old.outputs
        pair = [values.at(before, each.path), values.at(new.inputs, each.path)]
        if pair[1] is None and not each.kind.startswith("delete"):
            pair[1] = values.at(new.outputs, each.path)
        replaces = each.kind.endswith("-replace") or each.path in step.keys
        said = effect(new.type, each.path) if replaces or action == "update" else ""
        yield Difference(each.path, shown(pair[0]), shown(pair[1]), replaces, said)


def _made_id(old: State, new: State) -> str:
    """The argument with an id of this provider's making, if that is what it is on both sides."""
    name = id_argument(new.type)
    pair = [MADE_ID.fullmatch(str(state.inputs.get(name))) for state in (old, new)]
    return name if name and pair[0] and pair[1] and pair[0][1] == pair[1][1] else ""


def _why(kind: str, found: Sequence[Difference]) -> str:
    paths = [each.path for each in found if each.replaces]
    if not paths:
        return ADOPTED if is_ours(kind) else FORCED
    ours = any(each.effect for each in found if each.replaces)
    return f"{NO_UPDATE} for {', '.join(paths)}" if ours else f"the provider replaces it for {', '.join(paths)}"


def references(stream: Stream, changed: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Which of the changed resources have a known value that is another one's full name."""
    states = {step.urn: step.new or step.old for step in stream.steps if step.urn in changed}
    names = {name: urn for urn, state in states.items() if state and isinstance(name := state.outputs.get("name"), str)}
    names = {name: urn for name, urn in names.items() if "/" in name}
    found = {
        (urn, names[name])
        for urn, state in states.items()
        if state and names
        for text in texts(state.inputs)
        if (name := text.partition("@")[0]) in names and names[name] != urn
    }
    return tuple(sorted(found))


def kinds(found: Mapping[str, State]) -> dict[str, int]:
    """How many there are of each type that a provider makes."""
    counts: dict[str, int] = {}
    for state in found.values():
        if state.is_custom and not state.type.startswith(PROVIDERS):
            counts[state.type] = counts.get(state.type, 0) + 1
    return counts
