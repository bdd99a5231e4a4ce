"""Where the result of `make crash` is written."""

from pathlib import Path

import pytest

from tools.crash import HEADING, written

BEFORE = "# Measurements\n\n| what | measured |\n| --- | --- |\n| one | 1 |\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "measurements.md"
    file.write_text(BEFORE)
    return file


def rows(file: Path) -> list[str]:
    return [line for line in file.read_text().partition(HEADING)[2].splitlines() if line.startswith("| 2")]


def test_the_first_result_makes_its_section(file: Path) -> None:
    written(file, "| 2026-11-30 | 44 |")

    assert file.read_text().startswith(f"{BEFORE}\n{HEADING}\n")
    assert rows(file) == ["| 2026-11-30 | 44 |"]


def test_the_newest_of_a_day_takes_the_place_of_that_days_others(file: Path) -> None:
    for row in ("| 2026-11-29 | 1 |", "| 2026-11-30 | 2 |", "| 2026-11-30 | 3 |"):
        written(file, row)

    assert rows(file) == ["| 2026-11-29 | 1 |", "| 2026-11-30 | 3 |"]


def test_what_stands_behind_the_section_stays(file: Path) -> None:
    written(file, "| 2026-11-29 | 1 |")
    with file.open("a") as more:
        more.write("\n## Something else\n\ntext\n")

    written(file, "| 2026-11-30 | 2 |")

    assert file.read_text().endswith("| 2026-11-30 | 2 |\n\n## Something else\n\ntext\n")
