"""`make bench`: what it compares with, what it tells, and when it fails."""

from pathlib import Path

import pytest
from rich.console import Console

from tests.wire.processes import PYTHON, ROOT, started
from tests.wire.programs import ENDPOINT, endpoint
from tools.bench import report
from tools.bench.runs import Found
from tools.measurements import put
from tpuserve.testing.stack import urn_of
from tpuserve.testing.wire import connected

NOOP = ROOT / "tools" / "bench" / "noop.py"
UP = "up, 50 resources"
HEAD = ["About.", "", "| a |", "| --- |"]


def found(*pairs: tuple[float, float], what: str = UP) -> list[report.Row]:
    measured = Found()
    for ours, other in pairs:
        measured.add(what, ours, other)
    return list(report.rows(measured))


async def test_the_provider_that_does_nothing_answers_as_the_engine_asks() -> None:
    urn = urn_of(ENDPOINT, "e")
    with started(command=(PYTHON, str(NOOP))) as plugin:
        async with connected(plugin.port) as wire:
            made = await wire.create(urn, await wire.checked(urn, endpoint()))
            found = await wire.read(urn, made.id, made)

    assert (made.properties, found) == ({**endpoint(), "name": "e", "versionName": "e@1"}, made)


def test_the_provider_that_does_nothing_is_short() -> None:
    assert len(NOOP.read_text().splitlines()) <= 80


def test_ratio_is_the_median_of_the_pairs() -> None:
    [row] = found((2, 1), (3, 1), (40, 1))

    assert (row.ratio, row.ours, row.against, row.spread) == (3, "3.00 s", "1.00 s", "(2.00 to 40.00)")


def test_what_passes_its_limit_fails() -> None:
    limit = report.LIMITS[UP]

    assert [report.failed(found((times, 1))) for times in (limit, limit + 0.01)] == [False, True]


def test_what_has_no_limit_is_told_alone() -> None:
    assert not report.failed(found((99, 1), what="up, 200 resources"))


def test_more_reads_than_resources_fail() -> None:
    assert [report.failed(list(report.rows(Found(reads={50: reads})))) for reads in (1.0, 1.1)] == [False, True]


def test_the_table_names_what_is_too_slow(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=140).print(report.table(found((9, 1)), 1))

    assert "TOO SLOW" in capsys.readouterr().out


def test_section_is_written_at_the_end_and_then_in_its_place(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nText.\n")
    put(page, "One", HEAD, ["| 1 |"])
    put(page, "Two", HEAD, ["| 2 |"])
    put(page, "One", HEAD, ["| 3 |"])

    table = "About.\n\n| a |\n| --- |\n"
    assert page.read_text() == f"# Page\n\nText.\n\n## One\n\n{table}| 3 |\n\n## Two\n\n{table}| 2 |\n"
