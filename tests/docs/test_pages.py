"""The pages say what the project is."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, README, ROOT, blocks, commands, links, section
from tools.docs import policies, resources
from tpuserve.resources.fields import camel
from tpuserve.resources.provider import ApiUrlsArgs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (page.parent / link).exists()] == []


def test_reference_of_the_resources_is_not_stale() -> None:
    written = (ROOT / "docs" / "resources.md").read_text(encoding="utf-8")

    assert written == resources.page() + "\n", "run `.venv/bin/python -m tools.docs resources`"


def test_reference_of_the_policies_is_not_stale() -> None:
    written = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")

    assert written == policies.page() + "\n", "run `.venv/bin/python -m tools.docs resources`"


def test_reference_of_the_resources_names_arguments_as_a_program_does() -> None:
    of_resources = resources.page().partition("\n## QueuedResource\n")[2]

    assert re.findall(r"`[a-z]+(?:[A-Z][a-z]*)+`", of_resources) == []


def test_the_part_on_google_cloud_has_nothing_to_run() -> None:
    text = section(README, "On Google Cloud")

    assert text
    assert "```" not in text


def test_the_readme_says_that_nobody_has_run_it_on_google_cloud() -> None:
    assert "Nobody has done this yet" in section(README, "On Google Cloud")


def test_every_console_line_is_a_command() -> None:
    lines = [line for block in blocks(README, "console") for line in block.splitlines()]

    assert len(lines) == len(commands(README))


def test_text_and_picture_of_make_up_are_of_one_run() -> None:
    [report] = blocks(README, "text")
    picture = (ROOT / "docs" / "images" / "up.svg").read_text(encoding="utf-8")
    names = [word for word in report.split() if word.startswith("inference-")]

    assert len(names) == 3
    assert [name for name in names if name not in picture] == []


def test_the_recorded_run_read_at_least_95_digits_everywhere() -> None:
    [report] = blocks(README, "text")
    right = [int(line.split()[1]) for line in report.splitlines() if " of 100 " in line]

    assert len(right) == 4
    assert min(right) >= 95


def test_a_stack_against_the_emulator_asks_google_for_nothing() -> None:
    lines = commands(ROOT / "docs" / "emulator.md")
    given = {found[1] for line in lines if (found := re.search(r"tpuserve:endpoints\.(\w+) ", line))}

    # Tokens are asked for by impersonation alone.
    assert given == {camel(key) for key in ApiUrlsArgs.__annotations__} - {"iamcredentials"}
