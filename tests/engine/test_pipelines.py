"""The scripts of examples/gitops/github on the real engine, a backend of files and the emulator."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.stack import NAME, Stack
from tools.engine import Engine

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("pipelines")]

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples" / "gitops" / "github" / "scripts"
PROGRAM = """
from tpuserve import resources

container = {"image_uri": "i:1", "predict_route": "/predict", "health_route": "/health"}
resources.Model("m", {"display_name": "m", "container_spec": {**container, "ports": [{"container_port": 8080}]}})
"""
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Runs:
    """What each script answered, in order, and what there was after it."""

    preview: Done
    failed: Done
    apply: Done
    models: list[dict[str, Any]]
    drift: Done
    night: Done


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with clouds.running() as running:
        yield running


@pytest.fixture(scope="module")
def runs(engine: Engine, cloud: Cloud, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """A stack from its first preview, over an update that Google refuses, to the night after."""
    stack = Stack(tmp_path_factory.mktemp("pipelines") / "stack", engine, cloud)
    (stack.folder / "__main__.py").write_text(PROGRAM, encoding="utf-8")
    (stack.folder / "stacks").mkdir()
    shutil.copy(ROOT / "stacks" / "policy-config.local.json", stack.folder / "stacks" / f"policy-config.{NAME}.json")

    preview = ran(stack, str(ROOT / "policies" / "analyzer"), "preview.sh", NAME, "approved")
    cloud.control.fail("UploadModel", "PERMISSION_DENIED", "not yet", times=1)
    failed = ran(stack, "", "apply.sh", NAME, f"approved/{NAME}.jsonl", "out")
    apply = ran(stack, "", "apply.sh", NAME, f"approved/{NAME}.jsonl", "out")
    models = cloud.objects("models")
    drift = ran(stack, "", "drift.sh", NAME, "night")
    night = ran(stack, "", "all.sh", "night", "report", NAME)
    return Runs(preview, failed, apply, models, drift, night)


def ran(stack: Stack, pack: str, script: str, *arguments: str) -> Done:
    """One script in the stack's folder, with this policy pack."""
    environ = stack.environ | {"POLICY_PACK": pack}
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), environ["PATH"]])
    return subprocess.run(
        [SCRIPTS / script, *arguments],
        cwd=stack.folder,
        env=environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_preview_says_that_there_are_changes(runs: Runs) -> None:
    assert runs.preview.returncode == 2, runs.preview.stdout + runs.preview.stderr


def test_a_preview_asks_the_policies(runs: Runs) -> None:
    assert "tpuserve" in runs.preview.stdout.partition("Policies:")[2], runs.preview.stdout


def test_what_was_approved_is_applied_though_it_failed_before(runs: Runs) -> None:
    assert (runs.apply.returncode, len(runs.models)) == (0, 1), runs.apply.stdout + runs.apply.stderr


def test_a_night_after_it_finds_nothing(runs: Runs) -> None:
    assert (runs.drift.returncode, runs.night.returncode) == (0, 0), runs.drift.stdout + runs.drift.stderr


def test_after_a_failed_update_it_is_said_what_no_state_knows(runs: Runs) -> None:
    assert runs.failed.returncode == 1
    assert "the update failed. What it made and the state does not know:" in runs.failed.stderr
    assert "no orphans" in runs.failed.stdout
