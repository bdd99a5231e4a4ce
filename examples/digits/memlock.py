"""Raise the limit of locked memory, so that the TPU driver can reach the chips by direct memory access.

Source: Google's page "Deploy a model to Cloud TPU VMs" (Vertex AI), section on custom containers. It gives two figures:
`resource.setrlimit` with 68,719,476,736,000 bytes in Python, `ulimit -l 68719476736` (KiB) in a shell. They differ by
1024 against 1000, and each is used here where that page uses it.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import NamedTuple

WANTED = 68_719_476_736_000  # bytes

Limits = tuple[int, int]  # soft, hard; RLIM_INFINITY is -1


class Memlock(NamedTuple):
    """Limits in bytes before and after, and why they are not what was wanted (empty if they are)."""

    wanted: int
    before: Limits
    after: Limits
    reason: str

    def __str__(self) -> str:
        """One line: `memlock soft A -> B, hard C -> D`, and the reason if the limit stayed too low."""
        (soft, hard), (new_soft, new_hard) = self.before, self.after
        line = f"memlock soft {_size(soft)} -> {_size(new_soft)}, hard {_size(hard)} -> {_size(new_hard)}"
        return f"{line}; {_size(self.wanted)} wanted, not allowed: {self.reason}" if self.reason else line


def raise_limit(
    wanted: int = WANTED,
    get: Callable[[int], Limits] = resource.getrlimit,
    put: Callable[[int, Limits], None] = resource.setrlimit,
) -> Memlock:
    """Raise the soft limit, and the hard one where it is lower, to `wanted` bytes; never lower either.

    Where the system refuses (no CAP_SYS_RESOURCE), the soft limit goes up to the hard one and the reason is kept.
    Raises nothing: a server on a CPU needs no locked memory.
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
