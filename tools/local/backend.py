"""What a killed engine leaves in the file backend, and what is done about it before the next run."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from tools.local.layout import STACK, Layout
from tools.local.processes import name_of, start_of, started_after


class StackBusyError(Exception):
    """Another engine works on the stack now."""


class StackDamagedError(Exception):
    """The file with the stack's state cannot be read; the message says what to do."""


def remove_empty_attributes(layout: Layout, say: Callable[[str], None]) -> None:
    """An empty `.attrs` file, left by a kill, keeps the backend from listing or opening any stack."""
    for path in layout.backend.rglob("*.attrs"):
        if path.stat().st_size == 0:
            path.unlink()
            say(f"backend: removed {path.relative_to(layout.root)}, left empty by an engine that was killed")


def stale_locks(layout: Layout, say: Callable[[str], None]) -> bool:
    """Whether the stack is locked by engines that no longer run. Raises StackBusyError if one does."""
    locks = list(_locks(layout))
    holders = [_read(lock) for lock in locks]
    if busy := [holder for holder in holders if _holds(holder)]:
        pids = ", ".join(str(holder["pid"]) for holder in busy)
        raise StackBusyError(f"stack {STACK} is being changed by another pulumi (pid {pids}); wait for it, or end it")
    for holder in holders:
        who = (
            f"pid {holder['pid']}, since {holder.get('timestamp', 'an unknown time')}" if holder else "written by half"
        )
        say(f"backend: the lock of a killed engine is still there ({who}); taking it off")
    return bool(locks)


def has_stack(layout: Layout, project: str) -> bool:
    """Whether the backend holds the stack."""
    return state_file(layout, project).exists()


def readable(layout: Layout, project: str) -> None:
    """Raises StackDamagedError where the state is no JSON, as a machine that went down may leave it."""
    path = state_file(layout, project)
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        last = path.with_name(f"{path.name}.bak")
        restore = f"put the last one in its place (mv {last} {path})" if last.exists() else f"move it away ({path})"
        raise StackDamagedError(
            f"the state of stack {STACK} is written by half: {restore} and run `make up` again; what it no "
            "longer knows is found by the stack's owner id"
        ) from None


def state_file(layout: Layout, project: str) -> Path:
    """The file that holds the stack's state."""
    return layout.backend / ".pulumi" / "stacks" / project / f"{STACK}.json"


def _locks(layout: Layout) -> list[Path]:
    folder = layout.backend / ".pulumi" / "locks"
    return sorted(path for path in folder.rglob("*.json") if path.parent.name == STACK)


def _read(lock: Path) -> dict[str, Any]:
    try:
        value = json.loads(lock.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) and isinstance(value.get("pid"), int) else {}


def _holds(holder: dict[str, Any]) -> bool:
    """Whether the process that wrote the lock still runs: its pid, a pulumi, and no younger than the lock."""
    if not holder or not start_of(holder["pid"]):
        return False
    moment = _moment(str(holder.get("timestamp", "")))
    return name_of(holder["pid"]) == "pulumi" and not (moment and started_after(holder["pid"], moment))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
