"""The image of the sample model server, as far as it can be seen without building it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "examples" / "digits" / "Dockerfile"


def copied() -> list[str]:
    """What the Dockerfile copies, less the place where it goes."""
    lines = [line.split() for line in DOCKERFILE.read_text(encoding="utf-8").splitlines()]
    return [source for line in lines if line[:1] == ["COPY"] for source in line[1:-1]]


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """The image's folder of the application."""
    for source in copied():
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tmp_path / source, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / source).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / source, tmp_path / source)
    return tmp_path


def test_the_image_holds_all_that_the_server_imports(app: Path) -> None:
    code = "import examples.digits.server, tpuserve.container as c; print(examples.digits.server.__file__, c.__file__)"

    ran = subprocess.run([sys.executable, "-c", code], cwd=app, capture_output=True, text=True, check=True)

    assert ran.stdout.split() == [str(app / "examples/digits/server.py"), str(app / "tpuserve/container.py")]


def test_the_context_holds_all_that_the_image_copies() -> None:
    ignore = (DOCKERFILE.parent / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    kept = [line[1:] for line in ignore if line.startswith("!")]

    assert [source.rstrip("/") for source in copied()] == kept
