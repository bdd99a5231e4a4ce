"""Configuration, state and exit codes of `tpuserve orphans`, against the emulator and without an engine."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from tests.least import least
from tests.unit.cli.exports import OWNER
from tpuserve.cli import main
from tpuserve.emulator import Emulator

EMPTY = {"version": 3, "deployment": {"resources": []}}
CONFIG = {
    "tpuserve:project": "tpuserve-local",
    "tpuserve:location": "us-east5",
    "tpuserve:zone": "us-east5-b",
    "tpuserve:ownerId": OWNER,
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Emulator(least()).running() as emulator:
        yield f"http://{emulator.address}"


def files(folder: Path, config: Mapping[str, object], state: object = EMPTY) -> list[str]:
    """The options that name a configuration and a state."""
    (folder / "stack.yaml").write_text(yaml.safe_dump({"config": config}))
    (folder / "state.json").write_text(json.dumps(state))
    return ["--config-file", str(folder / "stack.yaml"), "--state", str(folder / "state.json")]


def test_nothing_left_is_exit_code_0(tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG | {"tpuserve:endpoints": {"tpu": url, "aiplatform": url}}

    assert main(["orphans", *files(tmp_path, config)]) == 0
    assert "no orphans" in capsys.readouterr().out


def test_options_come_before_the_configuration(tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--tpu-endpoint", url, "--aiplatform-endpoint", url, "--location", "us-west1", "--location", "us-east1"]

    assert main(["orphans", *files(tmp_path, CONFIG), *options]) == 0
    words = capsys.readouterr().out
    assert "tpuserve-local/us-east1 (Vertex AI), tpuserve-local/us-west1 (Vertex AI)" in words
    assert "us-east5 (Vertex AI)" not in words


def test_every_fault_of_the_configuration_is_told_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["orphans", *files(tmp_path, {"tpuserve:projekt": "p"})]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_plain_http_to_another_machine_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = CONFIG | {"tpuserve:endpoints": {"tpu": "http://192.0.2.1:80"}}

    assert main(["orphans", *files(tmp_path, config)]) == 2
    assert "tpuserve:endpoints.tpu" in capsys.readouterr().err


def test_a_state_of_another_owner_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    provider = {"urn": "u", "type": "pulumi:providers:tpuserve", "id": "i", "inputs": {"ownerId": "b" * 20}}
    state = {"version": 3, "deployment": {"resources": [provider]}}

    assert main(["orphans", *files(tmp_path, CONFIG, state)]) == 2
    assert "the state is that of owner id bbbb" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_file_that_is_no_export_is_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = files(tmp_path, CONFIG)
    (tmp_path / "state.json").write_text(text)

    assert main(["orphans", *options]) == 2
    assert "pulumi stack export" in capsys.readouterr().err


def test_a_stack_and_a_state_are_one_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["orphans", *files(tmp_path, CONFIG), "--stack", "prod"]) == 2
    assert "--state and --stack" in capsys.readouterr().err


def test_without_an_engine_the_message_says_what_to_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main(["orphans"]) == 2
    assert "pulumi is not on PATH" in capsys.readouterr().err


def test_an_unknown_option_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["orphans", "--al"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_help_loads_neither_pulumi_nor_grpc() -> None:
    loaded = "print(sorted({'pulumi', 'grpc'} & {*sys.modules}))"
    code = f"import sys; from tpuserve.cli import main; main(['--help']); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
