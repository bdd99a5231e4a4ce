"""What each URN is known to hold at Google, shared by all plugin processes of one engine.

The engine starts several processes of one plugin, and the one that deletes need not be the one that created. They
share a file named after the engine's address in a private folder; it is read and written under a lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OURS = re.compile(r"[0-9a-f]{24}\.(json|lock|new)")
STALE = 7 * 24 * 3600.0  # seconds after which the file of an engine long gone is removed


@dataclass(slots=True)
class Memory:
    """The current holdings of each URN: full names of objects, as states list them."""

    path: Path | None = None
    """None: this process alone."""
    _own: dict[str, Any] = field(default_factory=dict)

    def checked(self, urn: str) -> None:
        """Check was called for `urn`: the program still has it."""
        with self._locked() as table:
            table.setdefault(urn, {})["checked"] = True

    def was_checked(self, urn: str) -> bool:
        """Whether the program of this run has `urn`."""
        with self._locked() as table:
            return bool(table.get(urn, {}).get("checked"))

    def holds(self, urn: str, names: Iterable[str]) -> None:
        """The current entry of `urn` holds these objects."""
        with self._locked() as table:
            table.setdefault(urn, {})["holds"] = sorted(set(names))

    def forget(self, urn: str) -> None:
        """The current entry of `urn` is about to be replaced."""
        with self._locked() as table:
            table.get(urn, {}).pop("holds", None)

    def held(self) -> frozenset[str]:
        """What the current entries are known to hold, whatever they are called: an entry outlives a rename."""
        with self._locked() as table:
            return frozenset(name for entry in table.values() for name in entry.get("holds", ()))

    def failed(self, urn: str) -> None:
        """A create for `urn` failed half way: what it was to replace must go on."""
        with self._locked() as table:
            table.setdefault(urn, {})["failed"] = True

    def has_failed(self, urn: str) -> bool:
        with self._locked() as table:
            return bool(table.get(urn, {}).get("failed"))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[dict[str, Any]]:
        if self.path is None:
            yield self._own
            return
        lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with os.fdopen(lock, "r+", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else "{}"
            table = json.loads(text)
            yield table
            after = json.dumps(table)
            if after != text:
                # Whole or not at all: a killed process must not take what the others know with it.
                fresh = self.path.with_suffix(".new")
                fresh.write_text(after, encoding="utf-8")
                fresh.replace(self.path)


def shared(engine_address: str, folder: Path | None = None) -> Memory:
    """The memory of the engine at `engine_address`; where no private folder can be had, this process's own."""
    try:
        home = folder or Path(tempfile.gettempdir()) / f"tpuserve-{os.getuid()}"
        home.mkdir(mode=0o700, exist_ok=True)
        found = home.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            return Memory()
        _sweep(home)
    except OSError:
        return Memory()
    name = hashlib.sha256(f"{engine_address} {_engine_process(os.getppid())}".encode()).hexdigest()[:24]
    return Memory(home / f"{name}.json")


def _engine_process(parent: int) -> str:
    """Pid and start time of the engine: a port is used again, the three together are not.

    A language host may stand between the engine and the plugin. Where there is no /proc, the parent's pid has to do.
    """
    pid = parent
    while pid > 1:
        try:
            head, _, tail = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")
        except OSError:
            break
        fields = tail.split()
        if head.partition("(")[2] == "pulumi":
            return f"{pid} {fields[19]}"
        pid = int(fields[1])
    return str(parent)


def _sweep(home: Path) -> None:
    """Remove the files of engines long gone, and nothing else that may lie there."""
    ours = [file for file in home.iterdir() if OURS.fullmatch(file.name)]
    newest = max((file.lstat().st_mtime for file in ours), default=0.0)
    for file in ours:
        if newest - file.lstat().st_mtime > STALE:
            file.unlink(missing_ok=True)
