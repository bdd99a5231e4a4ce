"""The engine's event stream: what a program declares, as a preview or an update says it.

One JSON object a line, written by `pulumi preview --json` with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or by
`--event-log FILE` with PULUMI_DEBUG_COMMANDS=true. The shape is that of `apitype.EngineEvent`, seen with v3.274.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tpuserve.marks import SECRET, SIGNATURE, UNKNOWN_STRING

DECLARING = frozenset({"create", "create-replacement", "replace", "update", "same", "import", "import-replacement"})
"""Steps whose new state is what the program declares; the others read, refresh or take away."""
SETTINGS = (
    "`pulumi preview --json` with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or `--event-log FILE` with "
    "PULUMI_DEBUG_COMMANDS=true"
)


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

    @property
    def name(self) -> str:
        """The last part of the URN."""
        return self.urn.rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Stream:
    """All of one run."""

    resources: tuple[Declared, ...]
    """In the order in which the program declared them."""
    is_whole: bool
    """Whether the engine came to the end of the program; else resources may be missing."""


def read(lines: Iterable[str]) -> Stream:
    """Read the events of one run. Raises EventsError."""
    events = [_event(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not events:
        raise EventsError(f"there are no events; write them by {SETTINGS}")
    steps = [each["resourcePreEvent"]["metadata"] for each in events if "resourcePreEvent" in each]
    found = {step["urn"]: _declared(step["new"]) for step in steps if step["op"] in DECLARING and step.get("new")}
    ends = [each["summaryEvent"].get("result") != "failed" for each in events if "summaryEvent" in each]
    return Stream(tuple(found.values()), ends[-1:] == [True])


def _event(number: int, line: str) -> Mapping[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "sequence" not in event:
        raise EventsError(f"line {number} is not an event of the engine; write them by {SETTINGS}")
    return event


def _declared(state: Mapping[str, Any]) -> Declared:
    inputs = {key: _open(value) for key, value in (state.get("inputs") or {}).items()}
    return Declared(state["type"], state["urn"], inputs, state.get("parent") or "", bool(state.get("protect")))


def _open(value: Any) -> Any:
    """A value as the policy SDK reads it; the engine has taken secrets out of its events."""
    if isinstance(value, Mapping):
        if value.get(SIGNATURE) == SECRET:
            return UNKNOWN_STRING
        return {key: _open(each) for key, each in value.items()}
    return [_open(each) for each in value] if isinstance(value, list) else value
