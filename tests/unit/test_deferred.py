"""A package that is put in place without running it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tpuserve.deferred import defer

PACKAGE = "sample_of_a_package"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that tells in `log` when its own code runs, with a submodule that does the same."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (tmp_path / "log.txt").touch()
    told = f"with open({str(tmp_path / 'log.txt')!r}, 'a') as log:\n    log.write"
    (folder / "__init__.py").write_text(f"{told}('package ')\nfrom {PACKAGE}.part import NAME\n__all__ = ['NAME']\n")
    (folder / "part.py").write_text(f"from {PACKAGE} import other\n{told}('part ')\nNAME = other.NAME\n")
    (folder / "other.py").write_text("NAME = 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield PACKAGE
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


def test_a_submodule_comes_without_the_package(package: str, log: Path) -> None:
    defer(package)

    from sample_of_a_package import part  # pyright: ignore[reportMissingImports]

    assert (part.NAME, log.read_text()) == (7, "part ")


def test_a_name_of_the_package_runs_it_once(package: str, log: Path) -> None:
    defer(package)

    from sample_of_a_package import NAME  # pyright: ignore[reportMissingImports]

    again = sys.modules[package].__all__
    assert (NAME, again, log.read_text()) == (7, ["NAME"], "package part ")


def test_everything_of_the_package_comes_with_a_star(package: str) -> None:
    defer(package)
    names: dict[str, object] = {}

    exec(f"from {package} import *", names)

    assert names["NAME"] == 7


def test_a_name_that_it_does_not_have_is_told(package: str) -> None:
    defer(package)

    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = sys.modules[package].nothing


def test_a_package_that_was_imported_stays_as_it_is(package: str, log: Path) -> None:
    __import__(package)
    before = sys.modules[package]

    defer(package)

    assert (sys.modules[package], log.read_text()) == (before, "package part ")


def test_a_package_that_is_not_there_is_told() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package_here"):
        defer("no_such_package_here")


CLIENTS = """
import sys, warnings
warnings.simplefilter("ignore")
from tpuserve.google import _services
_services("EndpointService")
print("google.cloud.aiplatform_v1.services.job_service" in sys.modules)
from google.cloud.aiplatform_v1 import JobServiceClient, Endpoint
from google.cloud.aiplatform_v1.types import Endpoint as same
print("google.cloud.aiplatform_v1.services.job_service" in sys.modules, Endpoint is same)
"""


def test_googles_package_is_deferred_and_whole_when_asked() -> None:
    done = subprocess.run([sys.executable, "-c", CLIENTS], capture_output=True, text=True, check=False)

    assert (done.stdout.split(), done.stderr) == (["False", "True", "True"], "")
