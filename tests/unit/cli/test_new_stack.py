"""`tpuserve stack new`."""

import json
from pathlib import Path

import pytest
import yaml

from tpuserve.cli import main
from tpuserve.cli.new_stack import TEMPLATE
from tpuserve.resources.provider import OWNER_ID
from tpuserve.stack.config import read_stack


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\nstackConfigDir: stacks\n")
    return tmp_path


def new(project: Path, *arguments: str) -> int:
    return main(["stack", "new", *arguments, "--directory", str(project)])


def config(project: Path, name: str) -> dict[str, str]:
    return yaml.safe_load((project / "stacks" / f"Pulumi.{name}.yaml").read_text())["config"]


def test_the_file_has_what_was_given_and_an_owner_id(project: Path) -> None:
    assert new(project, "prod", "--project", "my-project", "--zone", "us-east5-b") == 0

    written = config(project, "prod")
    assert OWNER_ID.fullmatch(written.pop("tpuserve:ownerId"))
    assert written == {"tpuserve:project": "my-project", "tpuserve:zone": "us-east5-b"}


def test_two_stacks_have_two_owner_ids(project: Path) -> None:
    new(project, "one")
    new(project, "two")

    assert config(project, "one") != config(project, "two")


def test_an_existing_file_is_left_as_it_is(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new(project, "prod")
    before = config(project, "prod")

    assert new(project, "prod") == 2

    assert config(project, "prod") == before
    assert "exists and was left as it is" in capsys.readouterr().err


def test_a_folder_inside_the_project_will_do(project: Path) -> None:
    (project / "deep").mkdir()

    assert new(project / "deep", "prod") == 0
    assert config(project, "prod")


def test_without_a_project_the_message_says_what_to_give(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(tmp_path, "prod") == 2
    assert "no Pulumi.yaml" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a/b", "", "a b", "x" * 101])
def test_a_name_that_no_stack_can_have_is_refused(project: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(project, name) == 2
    assert "is not a stack's name" in capsys.readouterr().err
    assert not (project / "stacks").exists()


@pytest.fixture
def program(project: Path) -> Path:
    """A project whose program is the one of this repository."""
    (project / "Pulumi.yaml").write_text("name: tpu-inference\nruntime: python\nstackConfigDir: stacks\n")
    return project


def test_the_program_s_keys_are_there_as_comments(program: Path) -> None:
    new(program, "prod")

    assert (program / "stacks" / "Pulumi.prod.yaml").read_text().endswith(TEMPLATE)
    assert list(config(program, "prod")) == ["tpuserve:ownerId"]


def test_without_the_first_hash_the_comments_are_a_configuration(program: Path) -> None:
    new(program, "prod", "--zone", "us-east5-b", "--location", "us-east5")
    path = program / "stacks" / "Pulumi.prod.yaml"
    path.write_text("\n".join(line.removeprefix("#") for line in path.read_text().splitlines()[2:]))

    written = {
        key: value if isinstance(value, str) else json.dumps(value) for key, value in config(program, "prod").items()
    }
    read = read_stack(written, "tpu-inference", program)

    assert read.settings.collection
    assert read.settings.model
    assert read.settings.endpoint


def test_the_last_line_says_what_to_fill_in(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new(program, "prod")

    last = capsys.readouterr().out.splitlines()[-1]
    assert "fill in tpu-inference:collection, model and endpoint" in last
    assert last.endswith("pulumi stack init prod")


def test_a_program_of_one_s_own_has_nothing_of_ours_to_fill_in(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(project, "prod")

    assert "tpu-inference" not in (project / "stacks" / "Pulumi.prod.yaml").read_text()
    assert capsys.readouterr().out.splitlines()[-1] == "now: pulumi stack init prod"
