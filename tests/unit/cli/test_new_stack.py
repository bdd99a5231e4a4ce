"""`tpuserve stack new`."""

import json
from pathlib import Path

import pytest
import yaml
from tpuserve.policies.in_process import configure  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import Pack  # pyright: ignore[reportMissingImports]

from tpuserve.cli import main
from tpuserve.cli.new_stack import Answers, template
from tpuserve.resources.provider import OWNER_ID
from tpuserve.stack.config import read_stack
from tpuserve.stack.environments import ENVIRONMENTS, policies_of


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

    assert (program / "stacks" / "Pulumi.prod.yaml").read_text().endswith(template(Answers(name="prod")))
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


def test_every_fault_of_the_options_is_told_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(project, "a b", "--environment", "prd", "--project", "X_", "--location", "us", "--zone", "z") == 2

    faults = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[1] for line in faults] == ["NAME", "--environment", "--project", "--location", "--zone"]


def test_with_a_fault_nothing_is_written(project: Path) -> None:
    new(project, "prod", "--zone", "z")

    assert list(project.iterdir()) == [project / "Pulumi.yaml"]


def test_a_mistyped_environment_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new(project, "prod", "--environment", "prd")

    assert "did you mean prod?; use dev, staging or prod" in capsys.readouterr().err


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_s_policies_are_what_the_pack_takes(environment: str) -> None:
    configure(pack := Pack(), policies_of(environment, "us-east5"), False)

    assert pack.policies


def test_slices_in_another_region_than_the_endpoints_are_allowed_by_the_stack_s_own_policies(project: Path) -> None:
    new(project, "prod", "--environment", "prod", "--location", "us-east5", "--zone", "europe-west4-a")

    written = json.loads((project / "stacks" / "policy-config.prod.json").read_text())
    assert written["locations"] == {"allowed": ["us-east5", "europe-west4"]}


@pytest.mark.parametrize("name", [".", "..", "..."])
def test_dots_alone_are_no_name(name: str, project: Path) -> None:
    assert new(project, name) == 2


def test_an_environment_s_policies_are_beside_the_stack_file(project: Path) -> None:
    new(project, "eu", "--environment", "prod", "--zone", "europe-west4-a")

    written = json.loads((project / "stacks" / "policy-config.eu.json").read_text())
    assert written == policies_of("prod", "europe-west4")


def test_policies_that_are_there_stay(project: Path) -> None:
    (project / "stacks").mkdir()
    (own := project / "stacks" / "policy-config.prod.json").write_text("{}")

    assert new(project, "prod", "--environment", "prod") == 0
    assert own.read_text() == "{}"


def test_without_an_environment_there_are_no_policies(project: Path) -> None:
    new(project, "prod")

    assert [path.name for path in (project / "stacks").iterdir()] == ["Pulumi.prod.yaml"]


def test_in_a_project_of_ones_own_the_label_is_one_of_the_provider_s(project: Path) -> None:
    new(project, "eu", "--environment", "prod")

    assert config(project, "eu")["tpuserve:defaultLabels"] == policies_of("prod", None)["production"]["labels"]


def test_how_the_policies_of_an_environment_are_used_is_the_last_step(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(project, "eu", "--environment", "prod")

    last = capsys.readouterr().out.splitlines()[-1].rpartition("; then ")[2]
    flags = "--policy-pack path/to/tpuserve/policies/analyzer --policy-pack-config stacks/policy-config.eu.json"
    assert last == f"pulumi preview {flags}"


def test_production_s_policies_want_the_label_that_the_stack_file_gives(program: Path) -> None:
    new(program, "eu", "--environment", "prod")

    assert config(program, "eu")["tpu-inference:labels"] == policies_of("prod", None)["production"]["labels"]


@pytest.mark.parametrize(("environment", "protect"), [("dev", None), ("staging", None), ("prod", True)])
def test_production_is_protected(program: Path, environment: str, protect: bool | None) -> None:
    new(program, "eu", "--environment", environment)

    assert config(program, "eu").get("tpu-inference:protect") is protect


def test_the_surroundings_that_are_proposed_are_the_environment_s(program: Path) -> None:
    new(program, "eu", "--environment", "staging")

    text = (program / "stacks" / "Pulumi.eu.yaml").read_text()
    assert "#  tpu-inference:surroundings: organization/tpu-serving/staging\n" in text


@pytest.mark.parametrize(("page", "named"), [(True, True), (False, False)])
def test_the_page_on_stacks_is_named_where_it_is(
    program: Path, page: bool, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if page:
        (program / "docs").mkdir()
        (program / "docs" / "stacks.md").touch()

    new(program, "prod")

    told = capsys.readouterr().out + (program / "stacks" / "Pulumi.prod.yaml").read_text()
    assert ("docs/stacks.md" in told) is named


def test_a_project_file_that_is_no_yaml_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "Pulumi.yaml").write_text("{")

    assert new(project, "prod") == 2
    assert "Pulumi.yaml" in capsys.readouterr().err


def test_a_folder_that_is_a_file_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "stacks").touch()

    assert new(project, "prod") == 2
    assert capsys.readouterr().err.startswith("error: cannot be written: ")


def test_stack_files_outside_the_project_are_named_from_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (inside := tmp_path / "project").mkdir()
    (inside / "Pulumi.yaml").write_text(f"name: p\nruntime: python\nstackConfigDir: {tmp_path / 'stacks'}\n")

    assert new(inside, "prod", "--environment", "prod") == 0
    assert capsys.readouterr().out.rstrip().endswith("--policy-pack-config ../stacks/policy-config.prod.json")


def test_surroundings_that_are_given_are_in_the_file(program: Path) -> None:
    new(program, "prod", "--surroundings", "organization/tpu-serving/prod")

    assert config(program, "prod")["tpu-inference:surroundings"] == "organization/tpu-serving/prod"
    assert (program / "stacks" / "Pulumi.prod.yaml").read_text().count("surroundings") == 1


def test_surroundings_that_are_no_stack_are_refused(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(program, "prod", "--surroundings", "prod") == 2
    assert "--surroundings: 'prod' is not the full name of a stack" in capsys.readouterr().err


def test_surroundings_are_for_the_program_of_this_repository(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(project, "prod", "--surroundings", "organization/tpu-serving/prod") == 2
    assert "is read by a program named tpu-inference alone, and this one is named 'p'" in capsys.readouterr().err
