"""Orphans on a terminal: a table where it fits, a block an orphan where it does not."""

import io

import pytest

from tests.unit.cli.exports import ENDPOINT, MODEL, OWNER
from tpuserve.cli import console as consoles
from tpuserve.cli.console import NarrowConsole
from tpuserve.orphans import Kind, Orphan
from tpuserve.orphans.table import show

DEPLOYED = Orphan(Kind.DEPLOYED_MODEL, ENDPOINT, "0 % of the requests", deployed_model_id="2310230385980317864")
UPLOADED = Orphan(Kind.MODEL, MODEL, "version 1")


def shown(width: int) -> list[str]:
    console = NarrowConsole(file=io.StringIO(), width=width)
    show([DEPLOYED, UPLOADED], console, OWNER, "p/us-east5 (Vertex AI)")
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()[1:]


def test_on_a_narrow_terminal_each_orphan_is_a_block() -> None:
    assert shown(80) == [
        "deployed model",
        f"  name  {ENDPOINT}/deployedModels/2310230385980317864",
        "  now   0 % of the requests",
        "  why   in no entry of the state",
        "model",
        f"  name  {MODEL}",
        "  now   version 1",
        "  why   in no entry of the state",
    ]


def test_a_name_longer_than_the_line_is_left_to_the_terminal() -> None:
    assert f"  name  {ENDPOINT}/deployedModels/2310230385980317864" in shown(30)


def test_on_a_wide_terminal_each_orphan_is_a_row() -> None:
    head, _, *rows = shown(160)

    assert head.split() == ["orphan", "name", "now", "why"]
    assert len(rows) == 2


@pytest.mark.parametrize("less", [0, 1])
def test_a_table_stands_as_long_as_it_fits(less: int) -> None:
    needed = max(map(len, map(str.rstrip, shown(1000))))

    assert shown(needed - less)[0].startswith("deployed model" if less else "orphan")


def test_what_is_piped_is_never_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr("sys.stdout", io.StringIO())

    assert consoles.make().width == consoles.UNBROKEN
