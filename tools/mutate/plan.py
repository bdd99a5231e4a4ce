"""Where things are taken out, and which tests have to notice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.mutate.mutants import Mutant, conditions, orders, rows

TABLES = "tpuserve/resources"
"""Every `...Args` below is a field table."""
ADOPTION = {
    "tpuserve/provider/ownership.py": ("has", "is_claim_of", "object_id"),
    "tpuserve/provider/vertex.py": ("ours_or_error",),
    "tpuserve/provider/model_versions.py": ("is_unread", "remembered", "untold"),
    "tpuserve/provider/model_aliases.py": ("takes_back", "change", "_take_back", "taken_over"),
    "tpuserve/provider/model_pruning.py": ("superfluous", "_is_in_use"),
}
"""What decides whether an object that exists is ours, and what of it goes."""
ORDERS = {
    "tpuserve/provider/model.py": ("update",),
    "tpuserve/provider/rollout.py": ("run",),
    "tpuserve/provider/deployment.py": ("_converge", "delete", "claim", "release"),
}
"""Whose steps stand in an order that matters."""
TESTS = ("tests/unit", "tests/wire", "tests/contract", "tests/emulator")
GOLDEN = ("tests/unit/resources/test_schema.py",)
"""A recorded schema notices any change of a table; what counts is whether a test of behaviour does."""
HARMLESS: dict[str, str] = {}
"""`path what` of changes that change nothing, each with the reason."""


def everything(root: Path) -> Iterator[Mutant]:
    """Every change to be tried, file by file."""
    for file in sorted((root / TABLES).rglob("*.py")):
        yield from rows(str(file.relative_to(root)), file.read_text(encoding="utf-8"))
    for path, functions in ADOPTION.items():
        yield from conditions(path, (root / path).read_text(encoding="utf-8"), functions)
    for path, functions in ORDERS.items():
        yield from orders(path, (root / path).read_text(encoding="utf-8"), functions)


def why_harmless(mutant: Mutant) -> str | None:
    """The reason why no test can notice, where one is known."""
    return HARMLESS.get(f"{mutant.path} {mutant.what}")
