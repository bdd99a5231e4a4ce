"""docs/pipelines.md says what examples/gitops has, and what it tells a user to run, runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import README, ROOT, blocks, commands, section

PAGE = ROOT / "docs" / "pipelines.md"
GITHUB = ROOT / "examples" / "gitops" / "github"
TEXT = PAGE.read_text(encoding="utf-8")
USED = {
    (found[1], found[2])
    for file in (GITHUB / "workflows").glob("*.yml")
    for found in re.finditer(r"uses: (\S+)@\w+ # (v\S+)", file.read_text(encoding="utf-8"))
}


def rows(title: str) -> set[str]:
    """What the tables of a section name first."""
    return set(re.findall(r"^\| `([\w.]+)` \|", section(PAGE, title), flags=re.MULTILINE))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read."""
    made = tmp_path_factory.mktemp("pipelines")
    for name in ("examples", "tests"):
        (made / name).symlink_to(ROOT / name)
    return made


def test_every_command_succeeds_one_after_the_other(project: Path) -> None:
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
    done = [
        subprocess.run(
            ["sh", "-c", command],
            cwd=project,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        for command in commands(PAGE)
    ]

    assert [(each.args, each.stderr) for each in done if each.returncode] == []
    assert len(done) == 2


def test_every_console_line_is_a_command() -> None:
    lines = [line for block in blocks(PAGE, "console") for line in block.splitlines()]

    assert len(lines) == len(commands(PAGE)) == len(re.findall(r"^ *\$ ", TEXT, re.MULTILINE))


def test_the_table_has_every_workflow() -> None:
    assert rows("Who may do what") == {file.name for file in (GITHUB / "workflows").glob("*.yml")}


def test_the_table_has_every_script_that_is_run() -> None:
    scripts = {file.name for file in (GITHUB / "scripts").iterdir() if file.suffix in (".sh", ".py")}

    assert rows("The scripts") == scripts - {"stack.sh", "install.sh"}


def test_the_versions_of_actions_are_those_that_are_used() -> None:
    told = re.findall(r"([\w/-]+) (v\d+\.\d+\.\d+)", section(PAGE, "Set up").partition("looked up")[2])

    assert {(name.removeprefix("actions/"), version) for name, version in USED} == set(told)


def test_the_picture_has_every_job() -> None:
    [picture] = blocks(PAGE, "mermaid")

    assert re.findall(r"<b>(\w+)</b>", picture) == ["preview", "comment", "preview", "apply", "look", "tell"]


def test_the_readme_leads_there() -> None:
    assert "](docs/pipelines.md)" in README.read_text(encoding="utf-8")
