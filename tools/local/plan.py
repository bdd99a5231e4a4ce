"""What a preview found, read from the engine's event log."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHANGES_NOTHING = {"same", "read", "read-discard", "read-replacement"}
STACK_TYPE = "pulumi:pulumi:Stack"


@dataclass(frozen=True, slots=True)
class Plan:
    """`operations`: changes of resources by the engine's own names, counted as `--expect-no-changes` counts them.

    `outputs`: the stack's outputs change, such as the address of a slice that Google has moved.
    """

    operations: Mapping[str, int]
    outputs: bool


def plan(event_log: Path) -> Plan:
    """Read the log of a preview that has ended."""
    events = [json.loads(line) for line in event_log.read_text(encoding="utf-8").splitlines()]
    summaries = [event["summaryEvent"]["resourceChanges"] for event in events if "summaryEvent" in event]
    counted = summaries[-1] if summaries else {}
    operations = {name: count for name, count in counted.items() if name not in CHANGES_NOTHING and count}
    stacks = [event["resOutputsEvent"]["metadata"] for event in events if _is_stack(event)]
    return Plan(operations, bool(stacks) and _outputs(stacks[-1], "old") != _outputs(stacks[-1], "new"))


def _is_stack(event: Mapping[str, Any]) -> bool:
    return event.get("resOutputsEvent", {}).get("metadata", {}).get("type") == STACK_TYPE


def _outputs(metadata: Mapping[str, Any], which: str) -> Mapping[str, Any]:
    return (metadata.get(which) or {}).get("outputs") or {}
