"""A case: which update is killed where, and what a user does next; and what came of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from tests.crash.boundaries import Boundary

Victim = Literal["plugin", "engine"]
VICTIMS: tuple[Victim, ...] = ("plugin", "engine")


class Case(msgspec.Struct, frozen=True):
    """`seed` draws the rest: the resource that is forced."""

    scenario: str
    boundary: Boundary
    victim: Victim
    continuation: str
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.scenario}: {self.boundary}, {self.victim} killed, then {self.continuation} (seed {self.seed})"


class Outcome(msgspec.Struct):
    """What came of a case: `met` is False where the update ended without the boundary, and nothing was killed."""

    case: Case
    met: bool = True
    faults: list[str] = []
    swept: list[str] = []
    """What the counter found to be too many before the orphans were swept, where that is allowed."""
    advised: bool = False
    """Whether the continuation failed first, and its error said to sweep the orphans."""
    log: list[str] = []
    """What the engine wrote, run by run."""
    seconds: float = 0.0
    code: str = ""
    """Fingerprint of the code that it is of, where it is kept."""

    def told(self) -> str:
        """All of it, for a person."""
        return "\n".join([str(self.case), *(f"fault: {fault}" for fault in self.faults), *self.log])
