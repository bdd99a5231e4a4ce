"""A customer: the wheel of this project installed into an environment of its own, and a project in another folder."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools.engine import Engine

ROOT = Path(__file__).parents[2]
SOURCES = ("tpuserve", "components", "policies")
BESIDE = ("pyproject.toml", "README.md")
UV = (str(Path(sys.prefix) / "bin" / "uv"), "--offline", "--quiet")


def build(folder: Path) -> Path:
    """The wheel, made of a copy: a build writes beside its sources."""
    copy = folder / "sources"
    for name in SOURCES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in BESIDE:
        shutil.copy(ROOT / name, copy / name)
    # The build backend is the one that is installed here, as for the editable install.
    _run([*UV, "build", "--wheel", "--no-build-isolation", "--python", sys.executable, "-o", str(folder), str(copy)])
    [wheel] = folder.glob("*.whl")
    return wheel


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the wheel; what the wheel depends on comes from the one that runs the tests."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> str:
        return str(self.bin / "python")

    def says(self, code: str) -> str:
        """What Python prints there, started in a folder that has nothing of this project."""
        return _run([self.python, "-c", code], self.folder).strip()


def install(wheel: Path, folder: Path) -> Environment:
    """A new environment. This one's site-packages is a folder of its path only: no `.pth` file in it is read there."""
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    environment = Environment(folder)
    own = environment.says("import sysconfig; print(sysconfig.get_path('purelib'))")
    (Path(own) / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    _run([*UV, "pip", "install", "--no-deps", "--python", environment.python, str(wheel)])
    return environment


@dataclass(frozen=True)
class Project:
    """A Pulumi project: `Pulumi.yaml`, `__main__.py`, and the engine with the environment's `bin` first on PATH."""

    folder: Path
    environment: Environment
    engine: Engine

    def write(self, program: str) -> None:
        (self.folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
        (self.folder / "__main__.py").write_text(program)

    def set(self, stack: str, values: Mapping[str, Any]) -> None:
        """More keys of the stack's configuration."""
        file = self.folder / f"Pulumi.{stack}.yaml"
        settings = yaml.safe_load(file.read_text())
        file.write_text(yaml.safe_dump({"config": settings["config"] | values}))

    def run(self, *command: str) -> str:
        """A command of the user's; its output. Fails with all of it."""
        (self.folder / "backend").mkdir(exist_ok=True)
        environ = {
            **os.environ,
            "PATH": self.engine.path([self.environment.bin], os.environ.get("PATH", "")),
            "PULUMI_HOME": str(self.folder / "home"),
            "PULUMI_BACKEND_URL": f"{(self.folder / 'backend').as_uri()}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
        }
        return _run(command, self.folder, environ)


def _run(
    command: list[str] | tuple[str, ...], folder: Path | None = None, environ: Mapping[str, str] | None = None
) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
