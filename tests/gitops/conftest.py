"""The pipelines of examples/gitops: their scripts, and what they talk to."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.gitops import github
from tests.gitops.github import Repository

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples" / "gitops" / "github" / "scripts"
LINTER = "github.com/rhysd/actionlint/cmd/actionlint"


@pytest.fixture
def repository() -> Iterator[Repository]:
    with github.running() as running:
        yield running


@pytest.fixture(scope="session")
def post() -> ModuleType:
    """scripts/post.py."""
    spec = importlib.util.spec_from_file_location("post", SCRIPTS / "post.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Its dataclasses look their module up.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "post", module)
        spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def actionlint(inherited: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The linter, built from its Go module: no package registry has it built."""
    if not shutil.which("go", path=inherited["PATH"]):
        pytest.skip("actionlint is built from its Go module, and Go is not on PATH")
    folder = Path(__file__).parent / "actionlint"
    # A proxy may refuse a module at first and have it a moment later.
    tries = [_go(folder, inherited, "mod", "download") for _ in range(2)]
    if tries[-1].returncode:
        pytest.skip(f"actionlint's Go modules cannot be had here: {tries[-1].stderr}")
    made = tmp_path_factory.mktemp("actionlint") / "actionlint"
    done = _go(folder, inherited, "build", "-o", str(made), LINTER)
    assert done.returncode == 0, done.stderr
    return made


def _go(folder: Path, environ: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["go", *words], cwd=folder, env=environ, capture_output=True, text=True, check=False)
