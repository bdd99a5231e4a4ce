"""Compile the two lock files again from pyproject.toml: `make lock`."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMPILE = (
    "--system-certs",
    "pip",
    "compile",
    "--universal",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--no-header",
    "--no-emit-index-url",
    "--quiet",
)
# Tests run in the same environment as `make up`: what both need has the version that `make up` has.
LOCKS: dict[str, Sequence[str]] = {
    "requirements.txt": ("pyproject.toml", "--extra", "up"),
    "tests/requirements.txt": ("--group", "dev", "--constraint", "requirements.txt"),
}


def main(arguments: Sequence[str]) -> int:
    """Compile both; `--upgrade` as an argument takes the newest versions that fit."""
    uv = Path(sys.prefix) / "bin" / "uv"
    for lock, extra in LOCKS.items():
        command = [str(uv), *COMPILE, *extra, "--output-file", lock, *arguments]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"}, check=False)
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
