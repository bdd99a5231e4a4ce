"""The checks and the tests, as `make check` and `make test` run them."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.engine import EngineError, resolve
from tools.layers import arranged
from tools.progress import duration, say

ROOT = Path(__file__).parent.parent
BIN = Path(sys.prefix) / "bin"
CHECKS: dict[str, Sequence[str]] = {
    "lint": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("basedpyright",),
    "layers": ("lint-imports", str(ROOT / ".importlinter"), "--no-cache", "--no-logo"),
}
# Tests of one xdist_group share what takes long to make. Three workers on two cores: each waits a third of its time.
TESTS = ("-m", "pytest", "-n", "3", "--dist", "loadgroup")


def check() -> int:
    """Every check, each with one line, and with its output where it fails. 1 if any failed."""
    return max([_check(name, command) for name, command in CHECKS.items()])


def test(arguments: Sequence[str]) -> int:
    """The checks, then the tests; pytest's closing line comes last."""
    failed = check()
    return _pytest([*TESTS, *arguments]) or failed


def _check(name: str, command: Sequence[str]) -> int:
    began = time.monotonic()
    say(f"check {name} ...")
    with arranged(ROOT) as layers:
        folder = layers if name == "layers" else ROOT
        tool = [str(BIN / command[0]), *command[1:]]
        done = subprocess.run(tool, cwd=folder, env=_environ(os.environ), capture_output=True, text=True, check=False)
    if done.returncode:
        say((done.stdout + done.stderr).rstrip(), sys.stdout)
    verdict = "FAILED" if done.returncode else "ok"
    say(f"check {name} ({' '.join(command[:2])}): {verdict}, {duration(time.monotonic() - began)}", sys.stdout)
    return min(done.returncode, 1)


def _pytest(arguments: Sequence[str]) -> int:
    try:
        path = resolve().path([BIN], os.environ.get("PATH", ""))
    except EngineError as error:
        say(f"error: {error}")
        return 1
    environ = _environ(os.environ) | {"PATH": path}
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environ, check=False).returncode


def _environ(inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment's tools first on PATH; and Python keeps what it compiles, for tests start it a thousand times."""
    kept = {name: value for name, value in inherited.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PATH": os.pathsep.join([str(BIN), inherited.get("PATH", "")])}


def main(arguments: Sequence[str]) -> int:
    """`check`, or `test [pytest's arguments]`."""
    verb, *rest = arguments
    return {"check": lambda _: check(), "test": test}[verb](rest)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
