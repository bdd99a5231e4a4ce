"""Where things are taken out, and which tests have to notice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tools.mutate.mutants import Mutant, conditions, orders, rows

TABLES = "tpuserve/resources"
"""Every `...Args` below is a field table."""
ADOPTION = {
    "tpuserve/provider/ownership.py": ("has", "is_claim_of", "is_anothers", "object_id"),
    "tpuserve/provider/owned.py": ("ours_or_error", "goes_on", "present", "present_or_refused"),
    "tpuserve/provider/memory.py": ("held", "has_failed", "was_checked"),
    "tpuserve/provider/model/versions.py": (
        "is_ours",
        "is_unread",
        "existing",
        "_has_the_secrets",
        "keeps_secrets",
        "secrets_since",
        "remembered",
        "untold",
    ),
    "tpuserve/provider/model/aliases.py": ("takes_back", "change", "_take_back", "taken_over"),
    "tpuserve/provider/model/pruning.py": ("superfluous", "_is_in_use", "prune"),
    "tpuserve/provider/model/lifecycle.py": ("_still_ours",),
    "tpuserve/provider/deployment/deployed_model.py": ("is_specified", "_may_be_one_project"),
    "tpuserve/provider/endpoint/view.py": ("less_anothers", "_is_anothers"),
    "tpuserve/provider/endpoint/lifecycle.py": ("_check_ours", "_leftover_or_error", "delete"),
    "tpuserve/provider/deployment/lifecycle.py": ("claim", "release", "delete", "protected"),
    "tpuserve/provider/queued_resource/lifecycle.py": ("_converge", "_ask", "_adopt", "_as_asked_or_error", "delete"),
}
"""What decides whether an object that exists is ours, and what of it goes."""
ORDERS = {
    "tpuserve/provider/deployment/rollout.py": ("run", "_deploy", "_make_room", "_shift"),
    "tpuserve/provider/endpoint/calls.py": ("take_away", "move_split", "undeploy"),
    "tpuserve/provider/deployment/lifecycle.py": ("_converge", "delete", "claim", "release"),
    "tpuserve/provider/endpoint/lifecycle.py": ("create", "update", "_ensure", "_patch", "delete"),
    "tpuserve/provider/model/lifecycle.py": ("create", "update", "_ensure", "_upload_once", "_patch", "delete"),
    "tpuserve/provider/queued_resource/lifecycle.py": ("create", "update", "_converge", "_ask", "_remove", "delete"),
}
"""Whose steps stand in an order that matters."""
TESTS = ("tests/unit/resources", "tests/unit/provider", "tests/unit/catalog", "tests/contract", "tests/wire")
QUICK = {
    f"{TABLES}/functions/": ("tests/unit/resources/test_function_shapes.py", "tests/wire/test_wire_functions.py"),
    f"{TABLES}/provider.py": ("tests/wire/test_provider_settings.py",),
    f"{TABLES}/": (
        "tests/unit/resources",
        "tests/unit/provider/test_check_unknowns.py",
        "tests/unit/provider/test_every_argument.py",
        "tests/contract/test_contract_effects.py",
        "tests/wire/test_wire_check.py",
    ),
}
"""Of all tables in a folder or a file at once, in seconds: asked first where a table is changed."""
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
    return HARMLESS.get(mutant.name)


def quick(mutant: Mutant) -> tuple[str, ...]:
    """The tests that are asked first of a table."""
    return next(tests for folder, tests in QUICK.items() if mutant.path.startswith(folder))
