"""The pytest plugin, on a test file of its own: a fault that nobody met fails its test."""

import subprocess
import sys

import pytest

PROGRAM = """
from contextlib import contextmanager

import grpc, pytest
from tpuserve.emulator import Emulator
from tpuserve.emulator.messages import vertex

MODEL = {"display_name": "digits", "container_spec": {"image_uri": "registry/digits:1"}}
REQUEST = vertex("UploadModelRequest")(parent="projects/tpuserve-local/locations/us-east5", model=MODEL)

@pytest.fixture(scope="module")
def shared():
    with Emulator().running() as emulator:
        yield emulator

@pytest.fixture
def control(shared):
    shared.control.reset()
    yield shared.control
    shared.control.clear_faults()

def called(control):
    with grpc.insecure_channel(control.address) as channel, pytest.raises(grpc.RpcError, match="told to fail"):
        channel.unary_unary("/google.cloud.aiplatform.v1.ModelService/ListModels")(b"")

def test_met(control):
    control.fail("ListModels", "INTERNAL")
    called(control)

def test_unmet(control):
    control.fail("GetModel", "INTERNAL", match={"name": "m"})

def test_one_of_two(control):
    control.fail("ListModels", "INTERNAL")
    control.fail("GetModel", "INTERNAL")
    called(control)

def test_taken_back(control):
    control.fail("GetModel", "INTERNAL")
    control.clear_faults()

def test_reset(control):
    control.fail("GetModel", "INTERNAL")
    control.reset()

def test_own_emulator():
    with Emulator().running() as emulator:
        emulator.control.fail("GetModel", "INTERNAL")

@contextmanager
def uploading(control):
    with grpc.insecure_channel(control.address) as channel:
        ask = channel.unary_unary("/google.cloud.aiplatform.v1.ModelService/UploadModel")
        yield ask.future(REQUEST.SerializeToString())

def test_held(control):
    control.hold("upload_model")
    with uploading(control) as call:
        call.result()

def test_nothing_held(control):
    control.hold("upload_model")
    control.release("upload_model")

def test_broken(control):
    control.break_at(0)
    with uploading(control):
        assert control.wait_broken()["method"] == "UploadModel"

def test_nothing_broken(control):
    control.break_at(3, "after")
    control.release_break()

def test_nothing_asked_for(control):
    assert control.unmet() == []

@pytest.mark.unmet_faults
def test_marked(control):
    control.fail("GetModel", "INTERNAL")
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program's report, from a process of its own: it must not share this one's plugin."""
    program = tmp_path_factory.mktemp("program") / "test_program.py"
    program.write_text(PROGRAM)
    plugins = ["-p", "tpuserve.testing.faults", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "-rA", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=program.parent)
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "name", ["unmet", "one_of_two", "taken_back", "own_emulator", "nothing_held", "nothing_broken"]
)
def test_a_test_fails_for_what_was_never_met(told: str, name: str) -> None:
    assert f"FAILED test_program.py::test_{name}" in told


@pytest.mark.parametrize("name", ["met", "held", "broken", "reset", "nothing_asked_for", "marked"])
def test_another_test_passes(told: str, name: str) -> None:
    assert f"PASSED test_program.py::test_{name}\n" in told


def test_the_fault_is_told_as_it_was_asked_for(told: str) -> None:
    fault = "call GetModel: INTERNAL (match={'name': 'm'}, phase='before', it had no occasion)"

    assert f"asked for and never met: {fault}" in told


def test_a_hold_and_a_break_are_told_as_they_were_asked_for(told: str) -> None:
    assert "asked for and never met: operation upload_model: hold (it had no occasion)" in told
    assert "asked for and never met: call 3: break (phase='after', it had no occasion)" in told
