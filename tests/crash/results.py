"""What `make crash` has found so far, in a file that outlives it: one line an outcome; other code begins it anew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tests.crash.case import Case, Outcome

TRIES = 3  # of a case whose boundary was not met


@dataclass(slots=True)
class Results:
    """Outcomes by case. The first line of the file says which code they are of."""

    file: Path
    code: str
    outcomes: dict[Case, Outcome] = field(default_factory=dict)
    _misses: dict[Case, int] = field(default_factory=dict)

    def load(self, *, keep_passed: bool = False) -> None:
        """Take up what is there, if it is of the same code; with `keep_passed` also what passed with other code."""
        lines = self.file.read_bytes().splitlines() if self.file.exists() else []
        found = [msgspec.json.decode(line, type=Outcome) for line in lines[1:]]
        if not lines or lines[0].decode() != self.code:
            found = [outcome for outcome in found if keep_passed and outcome.met and not outcome.faults]
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_bytes(b"\n".join([self.code.encode(), *map(msgspec.json.encode, found), b""]))
        self.outcomes = {outcome.case: outcome for outcome in found}

    def add(self, outcome: Outcome) -> bool:
        """Keep an outcome; False where its boundary was not met and it is to be tried again."""
        misses = self._misses[outcome.case] = self._misses.get(outcome.case, 0) + (not outcome.met)
        if not outcome.met and misses < TRIES:
            return False
        outcome.code = self.code
        self.outcomes[outcome.case] = outcome
        with self.file.open("ab") as file:
            file.write(msgspec.json.encode(outcome) + b"\n")
        return True

    def left(self, cases: Iterable[Case]) -> list[Case]:
        """The cases without an outcome."""
        return [case for case in cases if case not in self.outcomes]


def fingerprint(root: Path, parts: Sequence[str]) -> str:
    """Hash of every Python file below `parts`: outcomes of other code say nothing."""
    files = sorted(file for part in parts for file in (root / part).rglob("*.py"))
    whole = hashlib.sha256()
    for file in files:
        whole.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return whole.hexdigest()
