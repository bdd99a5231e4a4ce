"""Long-running operations: how far they are, how they ended."""

from collections.abc import Mapping
from typing import Any

from tpuserve.emulator.console.markup import Markup, element, join
from tpuserve.emulator.console.parts import badge, clock, name, table
from tpuserve.emulator.vertex.tables import STAGES

Object = Mapping[str, Any]


def operations(found: list[Any]) -> Markup:
    """The newest first."""
    heads = ["Operation", "On", "State", "Stage", "Changed"]
    return table("Operations", heads, [_row(one) for one in found], "No operation yet.", class_="compact five")


def _row(found: Object) -> list[Markup]:
    state = "FAILED" if "error" in found else "DONE" if found["done"] else "RUNNING"
    return [
        element("span", found["kind"].replace("_", " "), title=found["name"]),
        name(found["target"]),
        badge(state),
        _stage(found),
        clock(found["updated"]),
    ]


def _stage(found: Object) -> Markup:
    """The stage in words, of a deployment that runs; of what failed the error."""
    if "error" in found:
        return element("span", found["error"].partition("\n")[0], class_="error")
    if found["done"] or found["stage"] not in STAGES:
        return Markup()
    stage = element("span", found["stage"].replace("_", " ").lower())
    number = STAGES.index(found["stage"]) + 1
    progress = element("progress", max=len(STAGES), value=number, aria_label=f"Stage {number} of {len(STAGES)}")
    return join(progress, stage)
