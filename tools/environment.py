"""Make the project's environment from its lock, and run a command in it. Standard library only.

python -m tools.environment up                    # what `make up` needs
python -m tools.environment test                  # that, and what the checks and tests need
python -m tools.environment up -m tools.local up  # the same, then `.venv/bin/python -m tools.local up`
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.progress import say, step

ROOT = Path(__file__).parent.parent
LOCKS = {"up": ("requirements.txt",), "test": ("requirements.txt", "tests/requirements.txt")}
ABOUT = {"up": "once, about half a minute", "test": "once, about a minute"}
PREPARED = "TPUSERVE_PREPARED_SECONDS"


class PrepareError(Exception):
    """The environment cannot be made; the message holds the last lines of the tool that failed."""


def ensure(root: Path, group: str) -> None:
    """Bring `.venv` to what the lock says for this group; nothing to do takes a few milliseconds."""
    stamp = _stamp(root, group)
    if stamp.exists() and (Path(sys.prefix) == root / ".venv" or _runs(_python(root))):
        return
    # What is installed for tests stays when `up` is asked for: one environment, never two states in turn.
    if group == "up" and any((root / ".venv").glob("tpuserve-test-*.stamp")):
        group = "test"
    with step("Preparing the environment in .venv", ABOUT[group]):
        _make_venv(root)
        _install(root, group)
    for name in LOCKS if group == "test" else ("up",):
        _renew(_stamp(root, name))


def _stamp(root: Path, group: str) -> Path:
    # An environment does not work from another folder, so the folder is part of what is stamped.
    digest = hashlib.sha256(str(root).encode())
    for name in (*LOCKS[group], "pyproject.toml"):
        digest.update((root / name).read_bytes())
    return root / ".venv" / f"tpuserve-{group}-{digest.hexdigest()[:16]}.stamp"


def _renew(stamp: Path) -> None:
    group = stamp.name.split("-")[1]
    for old in stamp.parent.glob(f"tpuserve-{group}-*.stamp"):
        old.unlink()
    stamp.touch()


def _python(root: Path) -> Path:
    return root / ".venv" / "bin" / "python"


def _make_venv(root: Path) -> None:
    if not _runs(_python(root)):
        shutil.rmtree(root / ".venv", ignore_errors=True)
        _run([sys.executable, "-m", "venv", ".venv"], root)
    # The engine's Python language host asks pip for the packages that are there.
    if not _runs(_python(root), "import pip"):
        _run([str(_python(root)), "-m", "ensurepip"], root)


def _runs(python: Path, code: str = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))") -> bool:
    return python.exists() and subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


def _install(root: Path, group: str) -> None:
    _install_uv(root)
    uv = [str(root / ".venv" / "bin" / "uv"), "--system-certs", "pip"]
    into = ["--python", str(_python(root)), "--quiet"]
    _run([*uv, "sync", *into, "--require-hashes", *LOCKS[group]], root)
    _run([*uv, "install", *into, "--no-deps", "--no-build-isolation", "--editable", "."], root)
    if sys.dont_write_bytecode:
        _compile(root)


def _compile(root: Path) -> None:
    # Where Python may not cache what it compiles, each start of the plugin or the emulator would compile for seconds.
    # pulumi_gcp is far larger than all the rest, and hardly any of it is imported.
    command = [str(_python(root)), "-m", "compileall", "-q", "-j", "0", "-x", "/pulumi_gcp/|/tests?/", ".venv/lib"]
    subprocess.run(command, cwd=root, capture_output=True, check=False)


def _install_uv(root: Path) -> None:
    block = uv_requirement((root / "requirements.txt").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder) / "uv.txt"
        pinned.write_text(block, encoding="utf-8")
        command = [str(_python(root)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([*command, "--require-hashes", "--no-deps", "-r", str(pinned)], root)


def uv_requirement(lock: str) -> str:
    """The lines of the lock that pin uv, with its hashes."""
    found = re.search(r"^uv==(?:.*\\\n)+.*--hash=.*", lock, re.MULTILINE)
    if not found:
        raise PrepareError("requirements.txt pins no uv; run `make lock`")
    return found.group(0) + "\n"


def _run(command: Sequence[str], root: Path) -> None:
    environ = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", **_index(os.environ)}
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-15:])
        raise PrepareError(f"`{' '.join(command[:4])}` failed:\n  {last}")


def _index(environ: Mapping[str, str]) -> dict[str, str]:
    """A package index that pip was told of in its environment is uv's as well."""
    if "UV_DEFAULT_INDEX" in environ or "PIP_INDEX_URL" not in environ:
        return {}
    return {"UV_DEFAULT_INDEX": environ["PIP_INDEX_URL"]}


def main(arguments: Sequence[str]) -> int:
    """Prepare the group named first; run the rest, if any, with the environment's Python in place of this process."""
    began = time.monotonic()
    group, *command = arguments
    try:
        ensure(ROOT, group)
    except PrepareError as error:
        say(f"error: {error}")
        return 1
    if command:
        os.environ[PREPARED] = f"{time.monotonic() - began:.2f}"
        os.execv(_python(ROOT), [str(_python(ROOT)), *command])  # noqa: S606
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
