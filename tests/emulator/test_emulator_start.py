"""What a start costs: nothing is loaded before it is needed, and the first answers come within a second."""

import json
import os
import select
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.emulator.google import LOCATION, ZONE
from tpuserve.emulator.__main__ import main
from tpuserve.emulator.messages import tpu, vertex

ASKED = {
    "/google.cloud.tpu.v2alpha1.Tpu/ListQueuedResources": tpu("ListQueuedResourcesRequest")(parent=ZONE),
    "/google.cloud.aiplatform.v1.EndpointService/ListEndpoints": vertex("ListEndpointsRequest")(parent=LOCATION),
}
NOT_NEEDED = (
    "cryptography",
    "google.api_core",
    "google.auth",
    "google.cloud.aiplatform_v1.services",
    "google.cloud.aiplatform_v1.types.pipeline_job",
    "google.cloud.tpu_v2.services",
    "google.cloud.tpu_v2alpha1.services",
    "googleapiclient",
    "pulumi",
    "requests",
    "rich",
)
# The command as it is, which tells at its end what it has loaded.
PROGRAM = """
import json, sys
from tpuserve.emulator.__main__ import main
code = main(sys.argv[1:])
json.dump(sorted(sys.modules), sys.stderr)
sys.exit(code)
"""
LONGEST = 30.0  # seconds until this test gives up


@dataclass(frozen=True)
class Started:
    """A start, with one answer of each API, and its end."""

    loaded: frozenset[str]
    processor_seconds: float


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Started:
    folder = tmp_path_factory.mktemp("start")
    ready, told = folder / "ready.json", folder / "loaded.json"
    command = [sys.executable, "-c", PROGRAM, "--ready", str(ready)]
    with told.open("w") as stream, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream) as process:
        try:
            with grpc.insecure_channel(address(process, ready)) as channel:
                for path, request in ASKED.items():
                    ask(channel, path, request)
        finally:
            process.terminate()
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0  # it was waited for here
    return Started(frozenset(json.loads(told.read_text())), used.ru_utime + used.ru_stime)


def address(process: "subprocess.Popen[Any]", ready: Path) -> str:
    """Where it serves; the line that it says then, or its end, is what ends the wait."""
    assert process.stdout is not None
    spoken, _, _ = select.select([process.stdout], [], [], LONGEST)
    assert spoken, "the emulator did not start in time"
    assert process.stdout.readline(), "the emulator did not start"
    return str(json.loads(ready.read_text())["address"])


def ask(channel: Any, path: str, request: Any) -> None:
    channel.unary_unary(path, request_serializer=type(request).SerializeToString)(request, timeout=LONGEST)


def test_the_first_answers_take_less_than_a_second_of_the_processor(first: Started) -> None:
    assert first.processor_seconds < 1


def test_the_messages_of_both_apis_are_loaded(first: Started) -> None:
    assert {"google.cloud.tpu_v2alpha1.types.cloud_tpu", "google.cloud.aiplatform_v1.types.endpoint"} <= first.loaded


@pytest.mark.parametrize("package", NOT_NEEDED)
def test_is_not_loaded_for_the_first_answers(first: Started, package: str) -> None:
    assert [name for name in sorted(first.loaded) if name == package or name.startswith(f"{package}.")] == []


@pytest.mark.parametrize("flag", ["--port", "--rest-port", "--console-port"])
def test_a_port_that_another_has_ends_the_start_in_a_line(flag: str, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        code = main([flag, str(other.getsockname()[1])])
    said = capfd.readouterr().err

    assert (code, "ddress already in use" in said, "Traceback" in said) == (2, True, False)


@pytest.mark.parametrize("port", ["65536", "-1", "x", "٣", "9" * 5000])
def test_what_is_no_port_is_refused_with_what_is_one(port: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([f"--port={port}"])

    assert "is no port: 0, any free one, or 1 to 65535" in capfd.readouterr().err
