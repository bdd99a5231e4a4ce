"""Processes as /proc has them."""

import os
import select
import time
from collections.abc import Iterable
from pathlib import Path

PLUGIN = "pulumi-resource-tpuserve"


def plugins(engine: int) -> list[int]:
    """The provider processes that an engine has started."""
    return [pid for pid in descendants(engine) if PLUGIN in command(pid)]


def descendants(pid: int) -> list[int]:
    """Children of a process, their children, and so on."""
    found, parents = [pid], _parents()
    for ancestor in found:
        found += [child for child, parent in parents.items() if parent == ancestor]
    return found[1:]


def command(pid: int) -> str:
    """The command line of a process, or nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def gone(pids: Iterable[int], seconds: float) -> bool:
    """Whether all of these processes end within so many seconds."""
    end = time.monotonic() + seconds
    return all(_ends(pid, end - time.monotonic()) for pid in pids)


def _ends(pid: int, seconds: float) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], max(seconds, 0))[0])
    finally:
        os.close(handle)


def _parents() -> dict[int, int]:
    """Parent of each process."""
    return {int(entry.name): _parent(entry) for entry in Path("/proc").iterdir() if entry.name.isdecimal()}


def _parent(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return 0
