"""google-cloud-aiplatform, unmodified, over gRPC and over REST: one program, one fact a test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tpuserve.emulator import Emulator

PROGRAM = Path(__file__).with_name("sdk_program.py")
pytestmark = pytest.mark.xdist_group("clients_sdk")


@pytest.fixture(scope="module", params=["grpc", "rest"])
def told(request: pytest.FixtureRequest, emulator: Emulator) -> dict[str, Any]:
    """What the program printed. gRPC over TLS, for the SDK speaks no other."""
    emulator.control.reset()
    addresses = {"grpc": emulator.addresses.grpc_tls, "rest": f"http://{emulator.addresses.rest}"}
    trusted = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str((emulator.tls or Path()) / "ca.pem")}
    command = [sys.executable, "-W", "ignore", str(PROGRAM), request.param, addresses[request.param]]
    done = subprocess.run(
        command, env=os.environ | trusted, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stderr.splitlines()[-1])


def test_the_uploads_of_the_page_are_taken(told: dict[str, Any]) -> None:
    names = ("manual", "automatic", "partitioned", "pytorch")

    assert told["uploaded"] == {name: ["1", name] for name in names}


def test_the_first_deployment_has_its_name_and_machine(told: dict[str, Any]) -> None:
    assert told["deployed"] == ["My deployed model", "ct5lp-hightpu-1t"]


def test_a_prediction_comes_back(told: dict[str, Any]) -> None:
    assert [answer["instance"] for answer in told["prediction"]] == [[1.0]]


def test_the_second_deployment_has_its_share(told: dict[str, Any]) -> None:
    assert (told["split"], told["served"]) == ([10, 90], [False, True])


def test_an_endpoint_is_found_by_its_display_name(told: dict[str, Any]) -> None:
    assert told["found"] == 1


def test_all_models_are_undeployed(told: dict[str, Any]) -> None:
    assert told["left"] == []


def test_nothing_is_left(told: dict[str, Any]) -> None:
    assert told["gone"] == [[], []]
