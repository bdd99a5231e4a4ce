"""What is told of each recorded run of the real engine, word for word; `python -m tests.report.goldens` writes it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.table import Table

from tests.report import goldens
from tests.report.goldens import GOLDENS, NAMES, SCHEMAS, made
from tpuserve.report import terminal
from tpuserve.report.report import Report

CODES = {"nothing": 0, "policies": 1, "refused": 1, "failure": 1}
"""Exit codes; 2 of every other."""


STATES = {
    "create": ("create", "🌱 create"),
    "update": ("update", "✏️ update"),
    "replace, old one first": ("replace", "🔁 replace, delete first"),
    "replace, new one first": ("replace", "🔁 replace, create first"),
    "delete": ("delete", "🗑️ delete"),
    "import": ("import", "📥 import"),
    "drift": ("drift", "#### Drift"),
    "failure half way": ("failure", "🌱 create, failed"),
    "arguments that are refused": ("refused", "the preview failed"),
    "policies": ("policies", "#### Policies"),
    "secrets": ("update", "&#91;secret&#93; → &#91;secret&#93;"),
    "unknowns": ("update", "→ _(known after up)_"),
    "nothing": ("nothing", "prod: nothing changes"),
    "several stacks": ("stacks", "#### Not the same in every stack"),
    "several stacks alike": ("alike", "All stacks change in the same way"),
    "several stacks, nothing": ("unchanged", "2 stacks: nothing changes"),
}
"""What a run can come to -> the golden that shows it, and by what it is known there."""


@pytest.mark.parametrize(("name", "shown"), STATES.values(), ids=STATES)
def test_a_golden_shows_each_state(name: str, shown: str) -> None:
    assert shown in (GOLDENS / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return goldens.texts()


@pytest.mark.parametrize("path", sorted(GOLDENS.iterdir()), ids=lambda path: path.name)
def test_golden(path: Any, texts: dict[str, str]) -> None:
    assert texts[path.name] == path.read_text(encoding="utf-8")


def test_every_recording_has_its_golden(texts: dict[str, str]) -> None:
    assert texts.keys() == {path.name for path in GOLDENS.iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_no_two_columns_on_a_terminal_have_one_name(name: str) -> None:
    tables = [part for part in terminal.parts(made(name)) if isinstance(part, Table)]
    headers = [[column.header for column in table.columns] for table in tables]

    assert [each for each in headers if len(set(each)) < len(each)] == []


@pytest.mark.parametrize("name", NAMES)
def test_exit_code(name: str) -> None:
    assert made(name).code == CODES.get(name, 2)


@pytest.mark.parametrize("name", NAMES)
def test_no_secret_is_told(name: str, texts: dict[str, str]) -> None:
    told = "".join(text for file, text in texts.items() if file.startswith(f"{name}."))

    assert [word for word in ("hush", "4dabf18193072939515e22adb298388d", "ciphertext") if word in told] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_mark_of_an_unknown_is_told(name: str, texts: dict[str, str]) -> None:
    assert not [file for file, text in texts.items() if "04da6b54-80e4" in text]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_the_schema_is_that_of_the_types(path: Path) -> None:
    assert goldens.schema(SCHEMAS[path]) == path.read_text(encoding="utf-8"), (
        "run `.venv/bin/python -m tests.report.goldens`"
    )


@pytest.mark.parametrize("name", goldens.SHOWN)
def test_the_json_is_read_back_as_it_was(name: str) -> None:
    told = (GOLDENS / f"{name}.json").read_text(encoding="utf-8")

    assert msgspec.json.decode(told, type=Report) == made(name)
