"""`tpuserve orphans` after kills and losses: what is listed, what is removed, and what is left alone."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import Collection, Serving
from tests.engine.harness.stack import NAME, Program, Stack

EMPTY = {"version": 3, "deployment": {"manifest": {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""}}}


def orphans(stack: Stack, *options: str) -> "subprocess.CompletedProcess[str]":
    """The command, as a user has it, on the stack of the folder."""
    command = [str(Path(sys.prefix) / "bin" / "tpuserve"), "orphans", "--stack", NAME, *options]
    return subprocess.run(command, cwd=stack.folder, env=stack.environ, capture_output=True, text=True, check=False)


def killed(stack: Stack, cloud: Cloud, program: Program, call: int) -> None:
    """An update whose engine and plugin are killed when a changing call is committed and not answered."""
    cloud.control.break_at(call, "after")
    running = stack.begin("up", program)
    assert cloud.control.wait_broken(60)
    running.kill_all()
    cloud.control.release_break()
    stack.unlock()


def test_a_kill_and_a_destroy_leave_an_orphan_that_is_taken_in_or_removed(stack: Stack, cloud: Cloud) -> None:
    killed(stack, cloud, Collection(), call=0)
    stack.destroy()
    found = orphans(stack)
    assert found.returncode == 1, found.stderr

    [command] = [line for line in found.stdout.splitlines() if line.strip().startswith("pulumi import")]
    stack.command(*shlex.split(command)[1:], "--yes", "--skip-preview")
    assert orphans(stack).returncode == 0
    stack.unchanged(Collection())

    stack.import_state(EMPTY)
    removed = orphans(stack, "--delete")
    assert removed.returncode == 0, removed.stdout + removed.stderr
    assert cloud.is_empty()


def test_a_lost_state_leaves_orphans_and_the_other_stack_is_left_alone(
    stacks: Callable[..., Stack], cloud: Cloud, predicting: Callable[..., Predictor]
) -> None:
    other, lost = stacks(owner="b" * 20), stacks()
    other.up(Serving(names={"m": "other-m", "e": "other-e"}))
    client, kept = predicting("1"), cloud.objects("endpoints")
    lost.up(Serving())
    assert orphans(lost).returncode == 0

    refused = orphans(lost, "--owner-id", "b" * 20, "--delete")
    assert refused.returncode == 2
    assert "with another stack's state everything would look like an orphan" in refused.stderr

    lost.import_state(EMPTY)
    with client.expecting("1"):
        removed = orphans(lost, "--delete")
    assert removed.returncode == 0, removed.stdout + removed.stderr
    assert [item["name"] for item in cloud.objects("endpoints")] == [item["name"] for item in kept]
    assert [item["labels"]["tpuserve-owner"] for item in cloud.objects("models")] == ["b" * 20]
