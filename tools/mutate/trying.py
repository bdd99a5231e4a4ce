"""A clone of the project in which changes are tried, one at a time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tools.mutate.callers import VARIABLE
from tools.mutate.mutants import Mutant
from tools.mutate.plan import TABLES, quick

LIKELY = 10
LIMIT = 1800.0  # seconds; a change that makes the tests run for ever has been noticed
REMEMBERED = 12
WORDS = re.compile(r"[A-Za-z_]{5,}")
OWN_WORDS = frozenset({"taken", "without", "check", "before", "False", "IN_PLACE", "REPLACE", "is_name", "await"})
"""Of the sentence that tells a change, not of the code."""
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", re.MULTILINE)


@dataclass(slots=True)
class Clone:
    """A copy of what git has, with an environment of its own."""

    folder: Path
    tests: Sequence[str]
    left_out: Sequence[str]
    _texts: Mapping[str, str]
    _killers: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=REMEMBERED)))

    @classmethod
    def of(cls, root: Path, folder: Path, tests: Sequence[str], left_out: Sequence[str]) -> Clone:
        subprocess.run(["git", "clone", "--quiet", str(root), str(folder)], check=True)
        subprocess.run([sys.executable, "-m", "tools.environment", "test"], cwd=folder, check=True, capture_output=True)
        compiled = [".venv/bin/python", "-m", "compileall", "-q", "tpuserve", "components", "policies", "tests"]
        subprocess.run(compiled, cwd=folder, check=True, capture_output=True)
        files = {path for place in tests for path in (folder / place).rglob("test_*.py")}
        texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}
        return cls(folder, tests, left_out, {name: text for name, text in texts.items() if name not in left_out})

    def failing(self) -> str | None:
        """A test that fails without any change; on the way it is learnt which tests call what is changed."""
        self.callers.unlink(missing_ok=True)
        return self._noticed(self.tests, "-p", "tools.mutate.callers", **{VARIABLE: str(self.callers)})

    @property
    def callers(self) -> Path:
        """One file for all clones beside one another."""
        return self.folder.parent / "callers.json"

    def killer(self, mutant: Mutant, hint: str, *, by_all: bool) -> str | None:
        """The test that notices the change, or None; `hint` is the one that did last time, "" for none.

        Of a function every test that calls it is asked, the quickest first. Of a table the tests of all tables and the
        files that speak of the change most are, or `by_all` the rest.
        """
        file, known = self.folder / mutant.path, self._killers[mutant.path]
        before = file.read_text(encoding="utf-8")
        file.write_text(mutant.text, encoding="utf-8")
        try:
            found = self._hinted(hint) or self._asked(mutant, tuple(known), by_all=by_all)
        finally:
            file.write_text(before, encoding="utf-8")
        # Without what stands in brackets: a change may take away the one case that noticed another.
        test = found.partition("[")[0] if found and "::" in found else None
        if test and test not in known:
            known.appendleft(test)
        return found

    def _hinted(self, hint: str) -> str | None:
        file, _, function = hint.partition("[")[0].partition("::")
        # A test that is there no more would end pytest as if it had noticed something.
        return self._noticed([f"{file}::{function}"]) if f"def {function}(" in self._texts.get(file, "") else None

    def _asked(self, mutant: Mutant, known: Sequence[str], *, by_all: bool) -> str | None:
        if not mutant.path.startswith(TABLES):
            return (self._noticed(known) if known else None) or self._noticed(self._calling(mutant))
        if by_all:
            return self._noticed(self.tests)
        return self._noticed(quick(mutant)) or self._noticed(likely(mutant, self._texts))

    def _calling(self, mutant: Mutant) -> Sequence[str]:
        function = mutant.what.partition(":")[0]
        calling = msgspec.json.decode(self.callers.read_bytes()).get(f"{mutant.path} {function}", [])
        return calling or self.tests

    def _noticed(self, tests: Sequence[str], *flags: str, **environ: str) -> str | None:
        """The first test that fails."""
        ignored = [f"--ignore={path}" for path in self.left_out]
        command = [str(self.folder / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "-n0", "-p", "no:randomly"]
        # What Python compiles is told by time and size: a change written within the second of another may have both.
        once = {"PYTHONDONTWRITEBYTECODE": "1"}
        asked = self.folder.parent / f"{self.folder.name}.tests"
        asked.write_text("\n".join(tests), encoding="utf-8")
        try:
            done = subprocess.run(
                [*command, *ignored, *flags, f"@{asked}"],
                cwd=self.folder,
                env={**os.environ, **once, **environ},
                capture_output=True,
                text=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "the tests did not end"
        if done.returncode == 0:
            return None
        found = FAILED.search(done.stdout)
        return found[1] if found else f"pytest ended with {done.returncode}"


def likely(mutant: Mutant, texts: Mapping[str, str]) -> list[str]:
    """The test files whose text has the rarest words of the change most often, best first."""
    told = {word.removesuffix("Args") for word in WORDS.findall(mutant.what)} - OWN_WORDS
    words = told | {_camel(word) for word in told}
    score: dict[str, float] = defaultdict(float)
    for word in words:
        here = {name: count for name, text in texts.items() if (count := text.count(word))}
        for name, count in here.items():
            score[name] += count / sum(here.values())
    return sorted(score, key=lambda name: (-score[name], name))[:LIKELY] or list(texts)[:1]


def _camel(word: str) -> str:
    head, *rest = word.strip("_").split("_")
    return head + "".join(part.capitalize() for part in rest)
