"""What docs/report.md tells a user to run, run."""

import json
import shlex

import pytest

from tests.docs.pages import ROOT, blocks, commands
from tpuserve.cli import main

PAGE = ROOT / "docs" / "report.md"


def test_every_console_line_is_a_command() -> None:
    lines = [line for block in blocks(PAGE, "console") for line in block.splitlines()]

    assert len(lines) == len(commands(PAGE)) > 0


@pytest.mark.parametrize("command", commands(PAGE))
def test_the_command_reports(command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    name, *arguments = shlex.split(command)

    code = main(arguments)

    assert (name, code in (0, 1, 2)) == ("tpuserve", True)
    assert "prod" in capsys.readouterr().out


def test_the_schema_that_the_page_leads_to_has_the_version_that_it_names() -> None:
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    [version] = schema["$defs"]["Report"]["properties"]["schema"]["enum"]

    assert f"`{version}`" in PAGE.read_text(encoding="utf-8")
