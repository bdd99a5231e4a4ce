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
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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

    def held(self, urn: str) -> frozenset[str]:
        """What the current entry of `urn` is known to hold."""
        with self._locked() as table:
            return frozenset(table.get(urn, {}).get("holds", ()))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[dict[str, Any]]:
        if self.path is None:
            yield self._own
            return
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            text = file.read()
            table = json.loads(text) if text else {}
            yield table
            after = json.dumps(table)
            if after != text:
                file.seek(0)
                file.truncate()
                file.write(after)


def shared(engine_address: str, folder: Path | None = None) -> Memory:
    """The memory of the engine at `engine_address`."""
    home = folder or Path(tempfile.gettempdir()) / f"tpuserve-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    if home.stat().st_uid != os.getuid() or home.stat().st_mode & 0o077:
        return Memory()
    _sweep(home)
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
    newest = max((file.stat().st_mtime for file in home.iterdir()), default=0.0)
    for file in home.iterdir():
        if newest - file.stat().st_mtime > STALE:
            file.unlink(missing_ok=True)
