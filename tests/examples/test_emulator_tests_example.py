"""examples/emulator_tests: its tests pass as a user runs them, in a project of their own."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT

EXAMPLE = ROOT / "examples" / "emulator_tests"


def test_its_tests_pass(tmp_path: Path) -> None:
    for file in EXAMPLE.glob("*.py"):
        shutil.copy(file, tmp_path)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--rootdir", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout
