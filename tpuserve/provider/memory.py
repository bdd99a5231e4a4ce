"""What each URN is known to hold at Google, shared by all plugin processes of one engine.

The engine starts several processes of one plugin, and the one that deletes need not be the one that created. They
share a journal named after the engine's address in a private folder: each appends what it learns, under a lock, and
reads what the others have appended since it last looked.
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

OURS = re.compile(r"[0-9a-f]{24}\.jsonl")
STALE = 7 * 24 * 3600.0  # seconds after which the file of an engine long gone is removed


@dataclass(slots=True)
class Memory:
    """The current holdings of each URN: full names of objects, as states list them."""

    path: Path | None = None
    """None: this process alone."""
    _table: dict[str, dict[str, Any]] = field(default_factory=dict)
    _read: int = 0
    """Bytes of the journal that are in the table."""

    def checked(self, urn: str) -> None:
        """Check was called for `urn`: the program still has it."""
        self._put(urn, "checked", True)

    def was_checked(self, urn: str) -> bool:
        """Whether the program of this run has `urn`."""
        return bool(self._known().get(urn, {}).get("checked"))

    def holds(self, urn: str, names: Iterable[str]) -> None:
        """The current entry of `urn` holds these objects."""
        self._put(urn, "holds", sorted(set(names)))

    def forget(self, urn: str) -> None:
        """The current entry of `urn` is about to be replaced."""
        self._put(urn, "holds", [])

    def held(self) -> frozenset[str]:
        """What the current entries are known to hold, whatever they are called: an entry outlives a rename."""
        return frozenset(name for entry in self._known().values() for name in entry.get("holds", ()))

    def failed(self, urn: str) -> None:
        """A create for `urn` failed half way: what it was to replace must go on."""
        self._put(urn, "failed", True)

    def has_failed(self, urn: str) -> bool:
        return bool(self._known().get(urn, {}).get("failed"))

    def _known(self) -> dict[str, dict[str, Any]]:
        with self._journal() as journal:
            self._catch_up(journal)
        return self._table

    def _put(self, urn: str, key: str, value: Any) -> None:
        with self._journal() as journal:
            self._catch_up(journal)
            if self._table.get(urn, {}).get(key) == value:
                return
            self._table.setdefault(urn, {})[key] = value
            if journal is not None:
                self._append(journal, json.dumps([urn, key, value]))

    @contextlib.contextmanager
    def _journal(self) -> Iterator[int | None]:
        """The file, locked."""
        if self.path is None:
            yield None
            return
        journal = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(journal, fcntl.LOCK_EX)
            yield journal
        finally:
            os.close(journal)

    def _catch_up(self, journal: int | None) -> None:
        if journal is None or (more := os.fstat(journal).st_size - self._read) <= 0:
            return
        for line in os.pread(journal, more, self._read).splitlines(keepends=True):
            # The last line of a process that was killed while it wrote says nothing; the next one begins a new line.
            self._read += len(line)
            with contextlib.suppress(ValueError):
                urn, key, value = json.loads(line)
                self._table.setdefault(urn, {})[key] = value

    def _append(self, journal: int, line: str) -> None:
        self._read += os.write(journal, f"\n{line}".encode())


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
    return Memory(home / f"{name}.jsonl")


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
