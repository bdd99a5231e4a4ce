"""same.py APPROVED FRESH [OPTION...]: do two previews want the same? Both are files of the engine's events; the options
are those of `tpuserve report`. Exit code 0: they do; 1: not, and what differs is told; 3: one of them cannot be read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

SAME, OTHER, UNREAD = 0, 1, 3
OF_A_CHANGE = ("action", "order", "differences", "outage", "chipsBefore", "chipsAfter")
OF_A_DRIFT = ("isGone", "differences")


def main(arguments: Sequence[str]) -> int:
    approved, fresh, *options = arguments
    try:
        lines = list(_others(_told(approved, options), _told(fresh, options)))
    except ValueError as error:
        sys.stderr.write(f"cannot compare: {error}\n")
        return UNREAD
    if lines:
        sys.stderr.write("What would be done now is not what was approved; nothing was changed. Approve a new run.\n")
        sys.stderr.writelines(f"  {line}\n" for line in lines)
    return OTHER if lines else SAME


def _told(events: str, options: Sequence[str]) -> dict[tuple[str, str], Any]:
    """What is wanted of each resource and found of it, by kind and URN. Raises ValueError."""
    command = ["tpuserve", "report", events, "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == UNREAD:
        raise ValueError(f"{done.stdout}{done.stderr}".strip())
    report = json.loads(done.stdout)
    if not report["isWhole"]:
        raise ValueError(f"{events}: the preview did not come to its end")
    wanted = {("change", each["urn"]): _part(each, OF_A_CHANGE) for each in report["changes"]}
    found = {("drift", each["urn"]): _part(each, OF_A_DRIFT) for each in report["drift"]}
    return wanted | found


def _part(given: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Differences of properties in one order: the engine's own is not always the same."""
    part = {name: given.get(name) for name in names}
    if given.get("action") == "delete":  # else it follows from the differences
        part["why"] = given["why"]
    return part | {"differences": sorted(part["differences"] or [], key=lambda each: each["path"])}


def _others(approved: dict[tuple[str, str], Any], fresh: dict[tuple[str, str], Any]) -> list[str]:
    """What differs, a line each."""
    urns = sorted({*approved, *fresh})
    return [_line(each, approved.get(each), fresh.get(each)) for each in urns if approved.get(each) != fresh.get(each)]


def _line(key: tuple[str, str], approved: Any, fresh: Any) -> str:
    kind, urn = key
    name = urn.rpartition("::")[2]
    if approved is None or fresh is None:
        return f"{name}: {kind} only {'now' if approved is None else 'as it was approved'}"
    others = [part for part in {**approved, **fresh} if approved.get(part) != fresh.get(part)]
    return f"{name}: another {kind} of {', '.join(others)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
