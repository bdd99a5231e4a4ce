"""A copy of this project in which `make`'s tools run as in any clone: its own emulator, backend and stack."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.engine import Engine
from tools.local.emulator import Running
from tools.local.layout import Layout
from tools.local.processes import start_of

ROOT = Path(__file__).parent.parent.parent
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".tpuserve", ".hypothesis", ".ruff_cache", "__pycache__", "*.egg-info"
)
TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a tool: its exit code and everything it printed."""

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Clone:
    """The copy. `engine` is what its runs find."""

    layout: Layout
    engine: Engine

    @property
    def python(self) -> str:
        return str(self.layout.root / ".venv" / "bin" / "python")

    def environ(self) -> dict[str, str]:
        return os.environ | {"PULUMI": str(self.engine.pulumi), "PULUMI_STACK": "theirs"}

    def begin(self, *arguments: str) -> subprocess.Popen[str]:
        """Start `python -m tools.local ...`."""
        return subprocess.Popen(
            [self.python, "-m", "tools.local", *arguments],
            cwd=self.layout.root,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str) -> Ran:
        """Run `python -m tools.local ...` to its end."""
        with self.begin(*arguments) as process:
            return ended(process)

    def emulator(self) -> Running:
        """The emulator as it runs now."""
        from tools.local import emulator

        running = emulator.running(self.layout)
        assert running
        return running

    def processes(self) -> list[str]:
        """The command line of every process of this clone."""
        commands = {path.parent.name: _command(path) for path in Path("/proc").glob("[0-9]*/cmdline")}
        mine = {pid: command for pid, command in commands.items() if str(self.layout.root) in command}
        return [command for pid, command in mine.items() if start_of(int(pid))]


def ended(process: subprocess.Popen[str]) -> Ran:
    """Wait for a run."""
    said, _ = process.communicate(timeout=TIMEOUT)
    return Ran(process.returncode, said)


def make(folder: Path, engine: Engine) -> Clone:
    """Copy the project, with this environment for its own."""
    root = Path(shutil.copytree(ROOT, folder / "clone", ignore=LEFT_OUT))
    (root / ".venv").symlink_to(sys.prefix)
    return Clone(Layout(root), engine)


def children(pid: int, name: str) -> list[int]:
    """The pids of a process's children that run a program of this name."""
    asked = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    rows = [line.split(None, 1) for line in asked.stdout.splitlines()]
    return [int(row[0]) for row in rows if row[1].strip() == name]


def _command(path: Path) -> str:
    try:
        return path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
