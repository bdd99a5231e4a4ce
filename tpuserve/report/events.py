"""The engine's event stream: what a run found, does and declares, as it is told while a preview or an update runs.

One JSON object a line, written by `pulumi preview --json` with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or by
`--event-log FILE` with PULUMI_DEBUG_COMMANDS=true. The shape is that of `apitype.EngineEvent`, seen with v3.274.1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tpuserve.marks import UNKNOWN_STRING, is_secret

DECLARING = frozenset({"create", "create-replacement", "replace", "update", "same", "import", "import-replacement"})
"""Steps whose new state is what the program declares; the others read, refresh or take away."""
REFRESH = "refresh"
SETTINGS = (
    "`pulumi preview --json` with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or `--event-log FILE` with "
    "PULUMI_DEBUG_COMMANDS=true"
)
COLOUR = re.compile("<{%.*?%}>")
T = TypeVar("T")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class EventsError(Exception):
    """What was given is no event stream; the message says where, and how one is made."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A resource with its inputs, `UNKNOWN_STRING` where they are not known yet or are secrets."""

    type: str
    urn: str
    inputs: Mapping[str, Any]
    parent: str = ""
    protect: bool = False
    provider: str = ""
    """The URN of its provider."""

    @property
    def name(self) -> str:
        """The last part of the URN."""
        return self.urn.rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class State:
    """A resource before or after a step, as the engine tells it: unknowns and secrets in Pulumi's own marks."""

    type: str
    urn: str
    parent: str
    is_custom: bool
    """Whether a provider makes it; else it is a component."""
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    protect: bool
    provider: str = ""
    """The URN of its provider; "" for a component."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One entry of a detailed diff."""

    path: str
    kind: str
    """`add`, `delete`, `update`, each also with `-replace`."""
    is_input: bool
    """Whether old and new inputs differ; else old outputs and new inputs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the engine, in the order in which it takes them."""

    operation: str
    urn: str
    old: State | None
    new: State | None
    differences: tuple[Difference, ...] = ()
    keys: tuple[str, ...] = ()
    """Paths that force a replacement."""


@dataclass(frozen=True, slots=True)
class Message:
    """A diagnostic of the engine, a provider or the program."""

    severity: str
    text: str
    urn: str


@dataclass(frozen=True, slots=True)
class PolicyMessage:
    """What a policy says of a resource, or of the stack where `urn` is that of the stack or ""."""

    policy: str
    level: str
    """`advisory`, `mandatory`, or `remediate` where the policy has changed the resource itself."""
    urn: str
    text: str


@dataclass(slots=True)
class Stream:
    """All of one run."""

    is_whole: bool = False
    """Whether the engine came to the end of the program; else resources may be missing."""
    steps: list[Step] = field(default_factory=list)
    """All but refreshes."""
    refreshed: list[Step] = field(default_factory=list)
    """What each refresh found; `new` is None for what is gone."""
    done: set[tuple[str, str]] = field(default_factory=set)
    """Operation and URN of steps that have ended well."""
    failed: set[str] = field(default_factory=set)
    """URNs of steps that failed."""
    messages: list[Message] = field(default_factory=list)
    policies: list[PolicyMessage] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    """Names of policies that held for something."""
    is_preview: bool = True
    result: str = ""
    """`succeeded`, `failed`; "" where the stream ends before the engine's summary."""

    @property
    def resources(self) -> tuple[Declared, ...]:
        """What the program declares, in the order in which it does."""
        last = {step.urn: step.new for step in self.steps if step.operation in DECLARING and step.new}
        return tuple(map(_declared, last.values()))


def read(lines: Iterable[str]) -> Stream:
    """Read the events of one run. Raises EventsError."""
    stream, is_empty = Stream(), True
    for number, line in enumerate(lines, 1):
        if line.strip():
            is_empty = False
            try:
                _take(stream, _event(number, line))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                raise _none_of_the_engine(number) from None
    if is_empty:
        raise EventsError(f"there are no events; write them by {SETTINGS}")
    return stream


def _event(number: int, line: str) -> Mapping[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or "sequence" not in event:
        raise _none_of_the_engine(number)
    return _whole(event) if "\\ud" in line.lower() else event


def _none_of_the_engine(number: int) -> EventsError:
    return EventsError(f"line {number} is not an event of the engine; write them by {SETTINGS}")


def _whole(value: Any) -> Any:
    """A value without halves of characters, which no output can hold."""
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(each) for key, each in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _take(stream: Stream, event: Mapping[str, Any]) -> None:
    """Add what one event tells."""
    if begun := event.get("resourcePreEvent"):
        if begun["metadata"]["op"] != REFRESH:
            stream.steps.append(_step(begun["metadata"]))
    elif ended := event.get("resOutputsEvent"):
        _end(stream, ended["metadata"])
    elif broken := event.get("resOpFailedEvent"):
        stream.failed.add(_is(str, broken["metadata"]["urn"]))
    elif told := event.get("diagnosticEvent"):
        if told["severity"] in ("warning", "error", "info"):
            stream.messages.append(Message(told["severity"], _text(told["message"]), _is(str, told.get("urn", ""))))
    elif found := event.get("policyEvent"):
        said = found["enforcementLevel"], found.get("resourceUrn", ""), _text(found["message"])
        stream.policies.append(PolicyMessage(*(_is(str, each) for each in (found["policyName"], *said))))
    elif analyzed := event.get("policyAnalyzeSummaryEvent") or event.get("policyAnalyzeStackSummaryEvent"):
        stream.passed.update(_is(str, each) for each in analyzed.get("passed") or ())
    elif mended := event.get("policyRemediationEvent"):
        name, urn = _is(str, mended["policyName"]), _is(str, mended.get("resourceUrn", ""))
        stream.policies.append(PolicyMessage(name, "remediate", urn, "has changed the resource"))
    elif summary := event.get("summaryEvent"):
        stream.result = _is(str, summary.get("result") or "succeeded")
        stream.is_whole = stream.result != "failed"
        stream.is_preview = bool(summary.get("isPreview"))


def _end(stream: Stream, told: Mapping[str, Any]) -> None:
    if told["op"] == REFRESH:
        stream.refreshed.append(_step(told))
    else:
        stream.done.add((_is(str, told["op"]), _is(str, told["urn"])))


def _step(told: Mapping[str, Any]) -> Step:
    detailed = told.get("detailedDiff") or {}
    found = [
        Difference(path, _is(str, each["diffKind"]), bool(each.get("inputDiff"))) for path, each in detailed.items()
    ]
    if not found:
        found = [Difference(_is(str, key), "update", True) for key in told.get("diffs") or ()]
    whose = _is(str, told["op"]), _is(str, told["urn"]), _state(told.get("old")), _state(told.get("new"))
    if not found and whose[0] == "update":
        found = list(_other_inputs(*whose[2:]))
    return Step(*whose, tuple(found), tuple(_is(str, each) for each in told.get("keys") or ()))


def _other_inputs(old: State | None, new: State | None) -> Iterator[Difference]:
    """What differs where the provider only says that something does."""
    before, after = old.inputs if old else {}, new.inputs if new else {}
    for key in {**before, **after}:
        if before.get(key) != after.get(key):
            yield Difference(key, "update" if key in after else "delete", True)


def _state(told: Mapping[str, Any] | None) -> State | None:
    if not told:
        return None
    kind, urn, parent = (_is(str, each) for each in (told["type"], told["urn"], told.get("parent") or ""))
    inputs, outputs = (_is(dict, told.get(side) or {}) for side in ("inputs", "outputs"))
    provider = (told.get("provider") or "").rpartition("::")[0]
    return State(kind, urn, parent, bool(told.get("custom")), inputs, outputs, bool(told.get("protect")), provider)


def _is(kind: type[T], value: Any) -> T:
    """The value, which has to be of that kind. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError
    return value


def _text(message: str) -> str:
    return COLOUR.sub("", message).strip()


def _declared(state: State) -> Declared:
    inputs = {key: _open(value) for key, value in state.inputs.items()}
    return Declared(state.type, state.urn, inputs, state.parent, state.protect, state.provider)


def _open(value: Any) -> Any:
    """A value as the policy SDK reads it; the engine has taken secrets out of its events."""
    if is_secret(value):
        return UNKNOWN_STRING
    if isinstance(value, Mapping):
        return {key: _open(each) for key, each in value.items()}
    return [_open(each) for each in value] if isinstance(value, list) else value
