"""The startup script of a TPU VM, run with stand-ins for curl, gcloud and docker that write down their arguments."""

from __future__ import annotations

import os
import subprocess

import pytest

from examples.digits import held_out

SCRIPT = held_out.FOLDER / "startup.sh"
IMAGE = "us-east5-docker.pkg.dev/project/repository/digits:1"
STAND_IN = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n'


@pytest.fixture
def run(tmp_path):
    """Run the script on a node with this metadata; gives the process and the calls it made."""

    def script(image: str | None) -> tuple[subprocess.CompletedProcess[str], list[str]]:
        answer = "exit 22" if image is None else f"echo {image}"
        for name, body in {"curl": f"{STAND_IN}{answer}\n", "gcloud": STAND_IN, "docker": STAND_IN}.items():
            (tmp_path / name).write_text(body)
            (tmp_path / name).chmod(0o755)
        calls = tmp_path / "calls"
        environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(calls)}
        ran = subprocess.run(["bash", SCRIPT], env=environment, capture_output=True, text=True, check=False, timeout=30)
        return ran, calls.read_text().splitlines()

    return script


def test_the_image_comes_from_the_nodes_metadata(run):
    _, calls = run(IMAGE)

    assert calls[0].endswith("/computeMetadata/v1/instance/attributes/serving-image")


def test_docker_may_read_the_images_registry(run):
    _, calls = run(IMAGE)

    assert "gcloud auth configure-docker us-east5-docker.pkg.dev --quiet" in calls


def test_the_image_is_served_on_port_8080_with_the_chips_in_reach(run):
    ran, calls = run(IMAGE)

    assert ran.returncode == 0
    assert calls[-1] == (
        "docker run --detach --name digits --restart always --privileged --net host --env AIP_HTTP_PORT=8080"
        f" --env AIP_HEALTH_ROUTE=/health --env AIP_PREDICT_ROUTE=/predict {IMAGE}"
    )


def test_a_container_of_the_last_boot_is_replaced(run):
    _, calls = run(IMAGE)

    assert calls.index("docker rm --force digits") < len(calls) - 1


def test_a_node_without_an_image_says_what_to_set_and_starts_nothing(run):
    ran, calls = run(None)

    assert ran.returncode == 1
    assert "set the node's metadata key serving-image" in ran.stderr
    assert not [call for call in calls if call.startswith("docker")]
