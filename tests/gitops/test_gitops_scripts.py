"""The scripts of examples/gitops/github, with an engine that plays recordings: what they make of each outcome."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gitops.conftest import ROOT, SCRIPTS
from tests.gitops.github import Repository
from tests.report.streams import END, ENDPOINT, lines, step

RECORDED = ROOT / "tests" / "report" / "recorded"
PLAYER = f"""#!{sys.executable}
import os, shutil, sys
verb, given = sys.argv[1], sys.argv[1:]
with open(os.environ["PLAYED"], "a") as played:
    print(*given, file=played)
recording = os.environ.get("PLAY_" + verb.upper(), "")
if recording and "--event-log" in given:
    shutil.copy(recording, given[given.index("--event-log") + 1])
sys.exit(int(os.environ.get("ENDS_" + verb.upper(), "0")))
"""
LIMITS = {
    "quotas": {
        "limits": {
            "*": {
                "TPUV6EPerProjectPerZoneForTPUAPI": {"us-east5-b": 400},
                "CustomModelServingV6ETPUPerProjectPerRegion": {"us-east5": 400},
            }
        }
    }
}
"""More than any recording asks for."""
Script = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder, with an engine that plays what PLAY_<verb> names."""
    (tmp_path / "bin").mkdir()
    engine = tmp_path / "bin" / "pulumi"
    engine.write_text(PLAYER, encoding="utf-8")
    engine.chmod(0o755)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "policy-config.prod.json").write_text(json.dumps(LIMITS), encoding="utf-8")
    return tmp_path


@pytest.fixture
def script(folder: Path) -> Script:
    """Runs one: `script("preview.sh", "prod", "out", PLAY_PREVIEW=...)`."""

    def run(name: str, *arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        path = os.pathsep.join([str(folder / "bin"), str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
        return subprocess.run(
            [SCRIPTS / name, *arguments],
            cwd=folder,
            env=os.environ | {"PATH": path, "PLAYED": str(folder / "played")} | environ,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def recorded(name: str) -> str:
    return str(RECORDED / f"{name}.jsonl")


def played(folder: Path) -> list[str]:
    """What the engine was asked for."""
    file = folder / "played"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.mark.parametrize(("recording", "code"), [("nothing", 0), ("policies", 1), ("update", 2), ("", 3)])
def test_a_preview_ends_with_the_code_of_its_report(recording: str, code: int, script: Script) -> None:
    environ = {"PLAY_PREVIEW": recorded(recording)} if recording else {}

    assert script("preview.sh", "prod", "out", **environ).returncode == code


@pytest.mark.parametrize(("recording", "code"), [("policies", 1), ("update", 0)])
def test_as_a_check_of_a_pull_request_a_stack_may_change(recording: str, code: int, script: Script) -> None:
    assert script("check.sh", "prod", "out", PLAY_PREVIEW=recorded(recording)).returncode == code


def test_a_blocked_preview_is_reported(script: Script, folder: Path) -> None:
    summary = folder / "summary.md"

    script(
        "preview.sh",
        "prod",
        "out",
        PLAY_PREVIEW=recorded("policies"),
        ENDS_PREVIEW="255",
        GITHUB_STEP_SUMMARY=str(summary),
    )

    assert summary.read_text(encoding="utf-8") == (folder / "out" / "prod.md").read_text(encoding="utf-8") != ""


def test_a_preview_asks_the_pack_with_the_stacks_configuration(script: Script, folder: Path) -> None:
    script("preview.sh", "prod", "out", "--refresh", PLAY_PREVIEW=recorded("update"))

    [asked] = played(folder)
    pack = "--policy-pack policies/analyzer --policy-pack-config stacks/policy-config.prod.json"
    assert asked == f"preview --stack prod --non-interactive --color never --event-log out/prod.jsonl {pack} --refresh"


def test_a_stack_without_a_configuration_of_policies_is_previewed_too(script: Script, folder: Path) -> None:
    done = script("preview.sh", "dev", "out", PLAY_PREVIEW=recorded("update"), POLICY_PACK="")

    assert (done.returncode, "--policy-pack" in played(folder)[0]) == (2, False)


def test_events_of_an_earlier_run_are_not_reported(script: Script) -> None:
    script("preview.sh", "prod", "out", PLAY_PREVIEW=recorded("update"))

    assert script("preview.sh", "prod", "out", ENDS_PREVIEW="1").returncode == 3


def test_what_was_approved_is_applied(script: Script, folder: Path) -> None:
    done = script(
        "apply.sh", "prod", recorded("update"), "out", PLAY_PREVIEW=recorded("update"), PLAY_UP=recorded("up")
    )

    assert (done.returncode, [each.split()[0] for each in played(folder)]) == (0, ["preview", "up"]), done.stderr
    assert played(folder)[1].endswith("--yes --skip-preview")


def test_another_change_than_the_approved_one_is_not_applied(script: Script, folder: Path) -> None:
    done = script("apply.sh", "prod", recorded("update"), "out", PLAY_PREVIEW=recorded("replace"))

    assert done.returncode == 1
    assert "What would be done now is not what was approved; nothing was changed." in done.stderr
    assert [each.split()[0] for each in played(folder)] == ["preview"]


def test_a_blocked_preview_is_not_applied_though_it_was_approved(script: Script, folder: Path) -> None:
    done = script("apply.sh", "prod", recorded("policies"), "out", PLAY_PREVIEW=recorded("policies"))

    assert (done.returncode, [each.split()[0] for each in played(folder)]) == (1, ["preview"])


@pytest.mark.parametrize("approved", ["update", "nothing"])
def test_where_no_resource_changes_the_outputs_are_written(approved: str, script: Script, folder: Path) -> None:
    nothing = recorded("nothing")

    done = script("apply.sh", "prod", recorded(approved), "out", PLAY_PREVIEW=nothing, PLAY_UP=nothing)

    assert (done.returncode, [each.split()[0] for each in played(folder)]) == (0, ["preview", "up"])


@pytest.mark.parametrize("approved", ["missing.jsonl", "stacks/policy-config.prod.json"])
def test_what_cannot_be_compared_is_not_applied(approved: str, script: Script, folder: Path) -> None:
    done = script("apply.sh", "prod", approved, "out", PLAY_PREVIEW=recorded("update"))

    assert (done.returncode != 0, "cannot compare" in done.stderr) == (True, True)
    assert [each.split()[0] for each in played(folder)] == ["preview"]


def test_an_approval_of_events_that_are_cut_off_counts_for_nothing(script: Script, folder: Path) -> None:
    whole = Path(recorded("update")).read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "cut.jsonl").write_text("".join(whole[: len(whole) // 2]), encoding="utf-8")

    done = script("apply.sh", "prod", "cut.jsonl", "out", PLAY_PREVIEW=recorded("update"))

    assert "did not come to its end" in done.stderr


def test_the_order_in_which_the_engine_tells_is_no_difference(folder: Path) -> None:
    events = [json.loads(line) for line in Path(recorded("update")).read_text(encoding="utf-8").splitlines()]
    turned = [_turned(each) for each in events]
    (folder / "turned.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in turned), encoding="utf-8")

    done = compared(folder, recorded("update"), "turned.jsonl")

    assert (done.returncode, done.stderr) == (0, "")


def test_deleting_what_was_left_behind_is_not_deleting_the_resource(folder: Path) -> None:
    gone = [step("delete", ENDPOINT, "web", {}), END]
    for name, events in (("left", [step("same", ENDPOINT, "web", {}, {}), *gone]), ("gone", gone)):
        (folder / f"{name}.jsonl").write_text("\n".join(lines(events)), encoding="utf-8")

    done = compared(folder, "left.jsonl", "gone.jsonl")

    assert (done.returncode, "web: another change of why" in done.stderr) == (1, True)


def _turned(event: dict) -> dict:
    """With the properties that differ in the other order."""
    metadata = event.get("resourcePreEvent", {}).get("metadata", {})
    if metadata.get("detailedDiff"):
        metadata["detailedDiff"] = dict(reversed(metadata["detailedDiff"].items()))
    return event


def compared(folder: Path, *files: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
    command = [sys.executable, SCRIPTS / "same.py", *files]
    return subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def artifacts(folder: Path) -> Path:
    made = folder / "artifacts"
    made.mkdir()
    return made


def test_all_stacks_are_one_comment(script: Script, artifacts: Path, repository: Repository) -> None:
    shutil.copy(recorded("update"), artifacts / "prod.jsonl")
    shutil.copy(recorded("nothing"), artifacts / "dev.jsonl")

    done = script("comment.sh", str(artifacts), "reports", "dev", "prod", **repository.environ())

    assert done.returncode == 0, done.stderr
    [comment] = repository.comments
    assert comment["body"].startswith("<!-- tpuserve:report -->\n### 🔷 ")
    assert [name in comment["body"] for name in ("dev", "prod", "no report")] == [True, True, False]


def test_where_nothing_changes_there_is_no_comment(script: Script, artifacts: Path, repository: Repository) -> None:
    for name in ("dev", "prod"):
        shutil.copy(recorded("nothing"), artifacts / f"{name}.jsonl")

    done = script("comment.sh", str(artifacts), "reports", "dev", "prod", **repository.environ())

    assert (done.returncode, repository.comments) == (0, [])


@pytest.mark.parametrize("content", ["", '[1, "x"]', "[" * 100_000])
def test_events_that_are_none_are_told_as_no_report(
    content: str, script: Script, artifacts: Path, repository: Repository
) -> None:
    (artifacts / "prod.jsonl").write_text(content, encoding="utf-8")

    assert script("comment.sh", str(artifacts), "reports", "prod", **repository.environ()).returncode == 0

    [comment] = repository.comments
    assert "### 🛑 prod: there is no report;" in comment["body"]


def test_a_stack_without_events_takes_no_other_stacks_report_away(
    script: Script, artifacts: Path, repository: Repository
) -> None:
    shutil.copy(recorded("update"), artifacts / "dev.jsonl")

    script("comment.sh", str(artifacts), "reports", "dev", "prod", **repository.environ())

    lines = repository.comments[0]["body"].splitlines()
    assert lines[1].startswith("### 🛑 prod: there is no report;")
    assert lines[2].startswith("### 🔷 dev: ")


def test_a_wrong_policy_configuration_is_not_told_as_missing_events(
    script: Script, artifacts: Path, folder: Path
) -> None:
    shutil.copy(recorded("update"), artifacts / "prod.jsonl")
    (folder / "stacks" / "policy-config.prod.json").write_text("{", encoding="utf-8")

    assert script("all.sh", str(artifacts), "out", "prod").returncode == 1
    assert "or its policy configuration is wrong" in (folder / "out" / "report.md").read_text(encoding="utf-8")


def test_a_comment_is_never_empty(script: Script, artifacts: Path, folder: Path) -> None:
    assert script("all.sh", str(artifacts), "out").returncode == 1
    assert "there is no report of all stacks" in (folder / "out" / "report.md").read_text(encoding="utf-8")


def test_a_link_among_the_artifacts_is_not_followed(script: Script, artifacts: Path, repository: Repository) -> None:
    (artifacts / "prod.jsonl").symlink_to(recorded("update"))

    script("comment.sh", str(artifacts), "reports", "prod", **repository.environ())

    assert "prod: there is no report;" in repository.comments[0]["body"]


def test_what_else_is_among_the_artifacts_is_not_run(
    script: Script, artifacts: Path, repository: Repository, folder: Path
) -> None:
    for name in ("tpuserve", "python3", "post.py", "stack.sh", "other.jsonl"):
        (artifacts / name).write_text("#!/bin/sh\ntouch hacked\n", encoding="utf-8")
        (artifacts / name).chmod(0o755)

    script("comment.sh", str(artifacts), "reports", "prod", **repository.environ())

    assert (list(folder.rglob("hacked")), len(repository.comments)) == ([], 1)


def test_a_night_that_finds_drift_leaves_an_issue(script: Script, repository: Repository) -> None:
    assert script("drift.sh", "prod", "out", PLAY_PREVIEW=recorded("drift")).returncode == 0

    done = script("issue.sh", "out", "report", "prod", **repository.environ())

    assert (done.returncode, len(repository.issues)) == (0, 1), done.stderr


def test_a_night_that_finds_nothing_leaves_none(script: Script, repository: Repository) -> None:
    script("drift.sh", "prod", "out", PLAY_PREVIEW=recorded("nothing"))

    done = script("issue.sh", "out", "report", "prod", **repository.environ())

    assert (done.returncode, repository.issues) == (0, [])


def test_a_stack_that_could_not_be_looked_at_is_a_failure_and_told(script: Script, repository: Repository) -> None:
    assert script("drift.sh", "dev", "out").returncode == 3

    script("issue.sh", "out", "report", "dev", **repository.environ())

    assert "dev: there is no report;" in repository.issues[0]["body"]


def test_the_locked_environment_is_on_the_path_of_later_steps(folder: Path) -> None:
    python = folder / "bin" / "python3"
    python.write_text('#!/bin/sh\necho "$@" >asked\n', encoding="utf-8")
    python.chmod(0o755)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])

    subprocess.run([SCRIPTS / "install.sh"], cwd=folder, env={"PATH": path, "GITHUB_PATH": "path"}, check=True)

    assert (folder / "asked").read_text(encoding="utf-8") == "-m tools.environment up\n"
    assert (folder / "path").read_text(encoding="utf-8") == f"{folder}/.venv/bin\n"
