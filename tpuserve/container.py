"""What a model server in a custom container does before it uses a TPU: raise the limit of locked memory.

The TPU driver reaches the chips by direct memory access, from memory that must not be swapped out. Google's page
"Deploy a model to Cloud TPU VMs" (Vertex AI, section on custom containers, read 2026-11) gives two figures: in Python
68,719,476,736,000 bytes, in a shell `ulimit -l 68719476736`, which counts units of 1,024 bytes. The first is
68,719,476,736 times 1,000, the second times 1,024: they differ, and neither is corrected from the other.

Nothing but the standard library is needed, so that an image can hold this file alone. It knows Unix only.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import NamedTuple

MEMLOCK_BYTES = 68_719_476_736_000
"""The figure for Python, in bytes."""
MEMLOCK_SHELL = "ulimit -l 68719476736"
"""The line for the shell that starts a server, such as the entry point of an image; its number is in KiB."""

Limits = tuple[int, int]
"""Soft and hard limit in bytes; RLIM_INFINITY, which is -1, stands for none."""


class Memlock(NamedTuple):
    """Limits before and after, and why they are not what was wanted (empty if they are)."""

    wanted: int
    before: Limits
    after: Limits
    reason: str

    def __str__(self) -> str:
        """One line: `memlock soft A -> B, hard C -> D`, and the reason if the limit stayed too low."""
        (soft, hard), (new_soft, new_hard) = self.before, self.after
        line = f"memlock soft {_size(soft)} -> {_size(new_soft)}, hard {_size(hard)} -> {_size(new_hard)}"
        return f"{line}; {_size(self.wanted)} wanted, not allowed: {self.reason}" if self.reason else line


def raise_memlock(
    wanted: int = MEMLOCK_BYTES,
    get: Callable[[int], Limits] = resource.getrlimit,
    put: Callable[[int, Limits], None] = resource.setrlimit,
) -> Memlock:
    """Raise the soft limit, and the hard one where it is lower, to `wanted` bytes; neither is ever lowered.

    Where the system refuses (Linux: no CAP_SYS_RESOURCE), the soft limit goes up to the hard one and the reason is
    kept. Raises nothing: a server on a CPU needs no locked memory. Call it before the framework looks for a TPU.
    """
    before = get(resource.RLIMIT_MEMLOCK)
    reason = ""
    try:
        put(resource.RLIMIT_MEMLOCK, (_higher(before[0], wanted), _higher(before[1], wanted)))
    except (OSError, ValueError) as refusal:
        reason = str(refusal)
        put(resource.RLIMIT_MEMLOCK, (before[1], before[1]))
    return Memlock(wanted, before, get(resource.RLIMIT_MEMLOCK), reason)


def _higher(limit: int, wanted: int) -> int:
    return limit if limit == resource.RLIM_INFINITY else max(limit, wanted)


def _size(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else str(limit)
