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
