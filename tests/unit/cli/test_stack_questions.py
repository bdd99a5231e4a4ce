"""The questions of `tpuserve stack new`: asked on a terminal alone, each answer checked as it is given."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tpuserve.cli import main, questions
from tpuserve.cli.errors import UserError
from tpuserve.cli.new_stack import Answers, Project, project_of
from tpuserve.resources.provider import ENVIRONMENT as VARIABLES


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in VARIABLES.values():
        for name in names:
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    return project_of(tmp_path)


class Typed:
    """Somebody who types these lines and then closes the terminal; `asked` are the questions that came."""

    def __init__(self, *lines: str) -> None:
        self._lines: Iterator[str] = iter(lines)
        self.asked: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        try:
            return next(self._lines)
        except StopIteration:
            raise EOFError from None


def test_enter_takes_what_is_proposed(project: Project) -> None:
    answers = questions.ask(project, {}, Typed("", "", "my-project", "", ""))

    assert answers == Answers(
        name="dev", environment="dev", project="my-project", location="us-east5", zone="us-east5-a"
    )


def test_the_proposed_name_is_the_first_environment_without_a_stack(project: Project) -> None:
    project.stack_file("dev").touch()

    assert questions.ask(project, {}, Typed("", "", "my-project", "", "")).name == "staging"


@pytest.mark.parametrize("key", ["project", "location", "zone"])
def test_a_place_is_proposed_from_the_provider_s_variables(
    project: Project, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLES[key][-1], "europe-west4-a")

    assert questions.proposed(project, key, {"location": "us-east5"}) == "europe-west4-a"


def test_a_zone_is_proposed_in_the_region_that_was_given(project: Project) -> None:
    assert questions.ask(project, {}, Typed("", "", "my-project", "europe-west4", "")).zone == "europe-west4-a"


def test_a_region_without_a_documented_zone_has_none_proposed(project: Project) -> None:
    assert questions.proposed(project, "zone", {"location": "us-west1"}) == ""


def test_what_is_given_is_not_asked(project: Project) -> None:
    typed = Typed("prod", "", "")

    questions.ask(project, {"environment": "prod", "project": "my-project"}, typed)

    assert [prompt.split(" [")[0] for prompt in typed.asked] == [
        "Name of the stack",
        "Region of models and endpoints",
        "Zone of TPU slices",
    ]


def test_a_wrong_answer_is_told_and_asked_again(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    answers = questions.ask(project, {}, Typed("a b", "prod", "prd", "prod", "X_", "my-project", "", ""))

    told = capsys.readouterr().out
    assert (answers.name, answers.environment, answers.project) == ("prod", "prod", "my-project")
    assert all(part in told for part in ("'a b' is not a stack's name", "'prd' is no environment", "'X_' is not a"))


def test_a_dash_leaves_a_key_out(project: Project) -> None:
    assert questions.ask(project, {}, Typed("dev", "-", "-", "-", "-")) == Answers(name="dev")


def test_a_stack_s_name_cannot_be_left_out(project: Project) -> None:
    assert questions.ask(project, {}, Typed("-", "-", "-", "-", "-")).name == "-"


def test_an_answer_without_a_proposal_is_asked_again(project: Project) -> None:
    assert questions.ask(project, {}, Typed("", "", "", "my-project", "", "")).project == "my-project"


def test_a_terminal_that_is_closed_writes_nothing(project: Project) -> None:
    with pytest.raises(UserError, match="nothing was written"):
        questions.ask(project, {}, Typed("dev"))


def test_nothing_is_asked_in_a_pipe(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stack", "new", "--directory", str(project.file.parent)]) == 2

    assert capsys.readouterr() == ("", "error: NAME: missing; give it, or run this on a terminal to be asked\n")


def test_nothing_is_asked_where_there_is_no_input_at_all(project: Project) -> None:
    command = f"exec {sys.executable} -m tpuserve.cli stack new <&-"

    done = subprocess.run(["sh", "-c", command], cwd=project.file.parent, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.count("NAME: missing")) == (2, 1)


def test_what_is_no_text_is_asked_again(project: Project) -> None:
    typed = iter([UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "dev", "-", "-", "-", "-"])

    def read(_prompt: str) -> str:
        said = next(typed)
        if isinstance(said, UnicodeDecodeError):
            raise said
        return said

    assert questions.ask(project, {}, read) == Answers(name="dev")


@pytest.mark.parametrize(("reads", "writes"), [(True, False), (False, True)])
def test_half_a_terminal_is_none(reads: bool, writes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: reads, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: writes, raising=False)

    assert not questions.is_terminal()


def test_a_terminal_is_asked(project: Project) -> None:
    """By a real one, of which both ends are here."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "r+b", buffering=0) as terminal:
        command = [sys.executable, "-m", "tpuserve.cli", "stack", "new", "--zone", "us-east5-b"]
        process = subprocess.Popen(command, cwd=project.file.parent, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        terminal.write(b"prod\n\nmy-project\n\n")

        assert process.wait(30) == 0
        assert b"Name of the stack [dev]: " in terminal.read(4096)
    assert {path.name for path in project.folder.iterdir()} > {"Pulumi.prod.yaml", "policy-config.prod.json"}


@pytest.mark.parametrize(
    ("said", "surroundings"), [("", ""), ("organization/tpu-serving/dev", "organization/tpu-serving/dev")]
)
def test_the_program_of_this_repository_is_asked_for_its_surroundings(
    tmp_path: Path, said: str, surroundings: str
) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: tpu-inference\nruntime: python\n")

    answers = questions.ask(project_of(tmp_path), {}, Typed("", "", "my-project", "", "", said))

    assert answers.surroundings == surroundings
