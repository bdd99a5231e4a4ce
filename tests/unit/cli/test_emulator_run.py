"""`tpuserve emulator run`."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tpuserve.cli import main

COMMAND = [sys.executable, "-m", "tpuserve.cli", "emulator", "run"]


def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    with subprocess.Popen([*COMMAND, "--ready", str(ready)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = process.stdout.readline()
        process.send_signal(signal.SIGTERM)

    told = json.loads(ready.read_text())
    assert said == f"serving gRPC at {told['address']}, REST at http://{told['rest']}; console: {told['console']}\n"
    assert process.returncode == 0


def test_settings_that_cannot_be_used_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "settings.json").write_text('{"prjects": {}}')

    assert main(["emulator", "run", "--settings", str(tmp_path / "settings.json")]) == 2
    assert "prjects" in capsys.readouterr().err
