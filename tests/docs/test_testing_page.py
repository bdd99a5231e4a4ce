"""docs/testing.md: its tests run as they stand there."""

import subprocess
import sys
from pathlib import Path

from tests.docs.pages import ROOT, blocks
from tpuserve.testing import fixtures

PAGE = ROOT / "docs" / "testing.md"


def test_the_tests_on_the_page_pass(tmp_path: Path) -> None:
    conftest, tests = blocks(PAGE, "python")
    (tmp_path / "conftest.py").write_text(conftest)
    (tmp_path / "test_digits.py").write_text(tests)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


def test_the_page_names_every_fixture_that_a_test_asks_for() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = [name for name in vars(fixtures) if name.startswith("tpuserve_")]

    assert [name for name in names if name not in text and name != "tpuserve_running_emulator"] == []
