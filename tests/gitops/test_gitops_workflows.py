"""The workflows of examples/gitops/github: what each job may do, and what it runs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.conftest import ROOT, SCRIPTS

FOLDER = SCRIPTS.parent / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
WORKFLOWS = {file.stem: yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader) for file in FILES}
JOBS = [(name, job) for name, workflow in WORKFLOWS.items() for job in workflow["jobs"]]
SHELL = sorted(SCRIPTS.glob("*.sh"))
TOOLS = Path(sys.prefix) / "bin"
RUN = re.compile(r"\.github/scripts/(\w+\.sh)((?: [\w/.-]+| \"[\w/.$-]+\")*)")
"""A script, and words: no operators, no expressions of GitHub's."""


def job(workflow: str, name: str) -> dict[str, Any]:
    return WORKFLOWS[workflow]["jobs"][name]


def steps(workflow: str, name: str, key: str) -> list[str]:
    return [step[key] for step in job(workflow, name)["steps"] if key in step]


def rights(workflow: str, name: str) -> dict[str, str]:
    return job(workflow, name)["permissions"]


def stacks(workflow: str, name: str) -> list[str]:
    return [each["stack"] for each in job(workflow, name)["strategy"]["matrix"]["include"]]


def test_actionlint_finds_nothing(actionlint: Path) -> None:
    command = [actionlint, "-no-color", "-shellcheck", TOOLS / "shellcheck", *FILES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("script", SHELL, ids=lambda script: script.name)
def test_shellcheck_finds_nothing(script: Path) -> None:
    command = [TOOLS / "shellcheck", "-x", "-P", "SCRIPTDIR", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_what_a_job_may_do_is_said_for_each(workflow: str) -> None:
    assert WORKFLOWS[workflow]["permissions"] == {}
    assert [name for name, each in WORKFLOWS[workflow]["jobs"].items() if not each.get("permissions")] == []


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_who_may_write_here_has_no_account_of_google_s(workflow: str, name: str) -> None:
    writes = {right for right, kind in rights(workflow, name).items() if kind == "write"}

    assert len(writes) == 1
    assert ("id-token" in writes) == any("google-github-actions/auth" in each for each in steps(workflow, name, "uses"))


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_a_job_runs_scripts_alone(workflow: str, name: str) -> None:
    assert [each for each in steps(workflow, name, "run") if not RUN.fullmatch(each)] == []


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_the_scripts_of_a_job_are_there(workflow: str, name: str) -> None:
    scripts = {found[1] for each in steps(workflow, name, "run") if (found := RUN.fullmatch(each))}

    assert scripts <= {script.name for script in SHELL}


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_an_action_is_one_commit(workflow: str, name: str) -> None:
    assert [each for each in steps(workflow, name, "uses") if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_an_action_is_the_same_commit_everywhere() -> None:
    used = {each for file in FILES for each in re.findall(r"uses: (.+)", file.read_text(encoding="utf-8"))}

    assert len({each.partition("@")[0] for each in used}) == len(used)


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_no_token_of_github_s_is_left_in_the_clone(workflow: str, name: str) -> None:
    clones = [each for each in job(workflow, name)["steps"] if "actions/checkout" in each.get("uses", "")]

    assert [each["with"]["persist-credentials"] for each in clones] == ["false"] * len(clones) != []


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_a_job_ends(workflow: str, name: str) -> None:
    assert int(job(workflow, name)["timeout-minutes"]) <= 360


def test_code_of_a_pull_request_runs_with_accounts_that_read_alone() -> None:
    assert WORKFLOWS["preview"]["on"] == {"pull_request": ""}
    assert rights("preview", "preview") == {"contents": "read", "id-token": "write"}
    assert accounts("preview", "preview") == ["tpu-preview"]


def accounts(workflow: str, name: str) -> list[str]:
    given = [
        each["with"] for each in job(workflow, name)["steps"] if "google-github-actions/auth" in each.get("uses", "")
    ]
    return [each["service_account"].partition("@")[0] for each in given]


def test_who_comments_has_the_code_of_the_default_branch() -> None:
    clone = job("comment", "comment")["steps"][0]["with"]

    assert clone["ref"] == "${{ github.event.repository.default_branch }}"


def test_who_comments_keeps_what_a_preview_left_out_of_the_clone() -> None:
    [download] = [each for each in job("comment", "comment")["steps"] if "download-artifact" in each.get("uses", "")]

    assert download["with"]["path"].startswith("${{ runner.temp }}/")


@pytest.mark.parametrize(("workflow", "name"), [("apply", "preview"), ("drift", "look")])
def test_only_an_approved_job_deploys(workflow: str, name: str) -> None:
    assert accounts(workflow, name) == ["tpu-preview"]
    assert (accounts("apply", "apply"), job("apply", "apply")["environment"]) == (["tpu-deploy"], "${{ matrix.stack }}")


def test_a_stack_has_one_update_at_a_time_and_one_that_has_begun_is_not_cut_off() -> None:
    assert job("apply", "apply")["concurrency"] == {"group": "apply-${{ matrix.stack }}"}
    assert "concurrency" not in WORKFLOWS["apply"]


def test_the_stacks_are_the_same_everywhere() -> None:
    lists = [
        stacks(*each) for each in (("preview", "preview"), ("apply", "preview"), ("apply", "apply"), ("drift", "look"))
    ]
    told = [steps(*each, "run")[-1].split()[-3:] for each in (("comment", "comment"), ("drift", "tell"))]

    assert lists + told == [["dev", "staging", "prod"]] * 6


def test_the_engine_is_the_one_that_this_project_is_tried_with() -> None:
    from tools.engine import VERSION

    given = [
        each["with"]["pulumi-version"]
        for workflow, name in JOBS
        for each in job(workflow, name)["steps"]
        if "pulumi/actions" in each.get("uses", "")
    ]

    assert {f"v{version}" for version in given} == {VERSION}


def test_the_accounts_are_those_that_the_bootstrap_project_makes() -> None:
    file = ROOT / "examples" / "environments" / "bootstrap" / "Pulumi.shared.yaml"
    pipelines = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]["tpu-bootstrap:pipelines"]
    made = [(stack, pair["preview"]["project"], pair["preview"]["account_id"]) for stack, pair in pipelines.items()]

    rows = job("preview", "preview")["strategy"]["matrix"]["include"]
    assert [(each["stack"], each["project"], "tpu-preview") for each in rows] == made


@pytest.mark.parametrize("subject", ["repo:acme/tpu:pull_request", "repo:acme/tpu:ref:refs/heads/main"])
def test_the_bootstrap_project_lets_each_preview_in(subject: str) -> None:
    file = ROOT / "examples" / "environments" / "bootstrap" / "Pulumi.shared.yaml"
    pipelines = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]["tpu-bootstrap:pipelines"]

    assert [
        stack
        for stack, pair in pipelines.items()
        if not any(principal.endswith(f"/subject/{subject}") for principal in pair["preview"]["jobs"].values())
    ] == []
