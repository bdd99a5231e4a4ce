"""Which Python is picked."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def put(folder: Path, name: str, code: int) -> None:
    (folder / name).write_text(f"#!/bin/sh\nexit {code}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def find(bin_folder: Path) -> subprocess.CompletedProcess[str]:
    command = ["/bin/sh", str(ROOT / "tools" / "find-python")]
    return subprocess.run(
        command, cwd=bin_folder.parent, env={"PATH": str(bin_folder)}, capture_output=True, text=True, check=False
    )


def test_newest_wins(bin_folder: Path) -> None:
    for name in ("python3.11", "python3.12", "python3.13", "python3"):
        put(bin_folder, name, 0)

    assert find(bin_folder).stdout == "python3.13\n"


def test_one_that_does_not_run_is_passed_over(bin_folder: Path) -> None:
    put(bin_folder, "python3.13", 127)
    put(bin_folder, "python3.12", 0)

    assert find(bin_folder).stdout == "python3.12\n"


def test_environment_that_runs_is_used(bin_folder: Path) -> None:
    put(bin_folder, "python3.13", 0)
    (bin_folder.parent / ".venv" / "bin").mkdir(parents=True)
    put(bin_folder.parent / ".venv" / "bin", "python", 0)

    assert find(bin_folder).stdout == ".venv/bin/python\n"


def test_none_says_what_to_install(bin_folder: Path) -> None:
    put(bin_folder, "python3", 1)

    found = find(bin_folder)

    assert found.returncode == 1
    assert found.stderr.startswith("error: no Python 3.11, 3.12 or 3.13 with the venv module on PATH; install one")
