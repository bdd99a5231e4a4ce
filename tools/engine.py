"""Find the Pulumi engine that this project is tried with, or build it once from pinned Go modules.

No package registry ships the engine's binary, so the order is: `PULUMI=<path>`, `pulumi` on PATH, the cache of this
user, and at last a build from `tools/engine/`. Standard library only: it runs before the environment is there.

    python -m tools.engine          # prints the folder that holds `pulumi`
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.progress import say, step

VERSION = "v3.274.1"
HOST = "pulumi-language-python"
HOST_EXECUTOR = "pulumi-language-python-exec"
MODULES = Path(__file__).parent / "engine"
CLI_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
CLI_VERSION_FLAG = f"-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version={VERSION}"
HOST_MODULE = "github.com/pulumi/pulumi/sdk/v3"
ABANDONED_AFTER_SECONDS = 24 * 3600


class EngineError(Exception):
    """The engine can be neither found nor built; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A `pulumi` and the folder of its Python language host."""

    pulumi: Path
    host_folder: Path

    def path(self, before: Sequence[Path], inherited: str) -> str:
        """PATH for a run of the engine: `before` (an environment's `bin`), the engine, then what was there."""
        folders = [*before, self.pulumi.parent, self.host_folder]
        return os.pathsep.join([*dict.fromkeys(map(str, folders)), inherited])


def resolve(environ: Mapping[str, str] = os.environ) -> Engine:
    """The engine to use; builds it where nothing else is found. Raises EngineError."""
    return _given(environ) or _on_path(environ) or _cached(environ) or _build(environ)


def required() -> Engine:
    """The engine for a command that cannot do without: it ends with the reason and code 1 where there is none."""
    try:
        return resolve()
    except EngineError as error:
        say(f"error: {error}")
        raise SystemExit(1) from None


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Outside any clone, so that the next clone does not build again."""
    caches = environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(caches) / "tpuserve" / "engine" / VERSION


def _given(environ: Mapping[str, str]) -> Engine | None:
    if not (value := environ.get("PULUMI")):
        return None
    pulumi = Path(value).expanduser().absolute()
    pulumi = pulumi / "pulumi" if pulumi.is_dir() else pulumi
    if pulumi.name != "pulumi" or not os.access(pulumi, os.X_OK):
        raise EngineError(f"PULUMI={value}: no executable named `pulumi` there; give its path, or its folder")
    if (found := _version(pulumi)) != VERSION:
        say(f"warning: PULUMI={value} is {found or 'of an unknown version'}; this project is tried with {VERSION}")
    return Engine(pulumi, _host_folder(pulumi, environ) or _no_host(pulumi))


def _no_host(pulumi: Path) -> Path:
    raise EngineError(f"{pulumi}: no `{HOST}` beside it or on PATH; install the whole Pulumi CLI, or unset PULUMI")


def _on_path(environ: Mapping[str, str]) -> Engine | None:
    found = shutil.which("pulumi", path=environ.get("PATH", ""))
    if not found:
        return None
    pulumi = Path(found).absolute()
    host_folder = _host_folder(pulumi, environ)
    return Engine(pulumi, host_folder) if host_folder and _version(pulumi) == VERSION else None


def _cached(environ: Mapping[str, str]) -> Engine | None:
    folder = cache_folder(environ)
    return Engine(folder / "pulumi", folder) if _whole(folder) else None


def _whole(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in ("pulumi", HOST, HOST_EXECUTOR))


def _host_folder(pulumi: Path, environ: Mapping[str, str]) -> Path | None:
    path = os.pathsep.join([str(pulumi.parent), str(pulumi.resolve().parent), environ.get("PATH", "")])
    found = shutil.which(HOST, path=path)
    return Path(found).parent.absolute() if found else None


def _version(pulumi: Path) -> str:
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "PULUMI_HOME": home, "PULUMI_SKIP_UPDATE_CHECK": "true"}
        asked = subprocess.run([pulumi, "version"], env=environ, capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def _build(environ: Mapping[str, str]) -> Engine:
    go = _go(environ)
    folder = cache_folder(environ)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder.parent)
    build = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    try:
        _build_into(build, go, environ)
        _publish(build, folder)
    finally:
        shutil.rmtree(build, ignore_errors=True)
    return _cached(environ) or _incomplete(folder)


def _incomplete(folder: Path) -> Engine:
    raise EngineError(f"{folder}: incomplete although just built; delete it and try again")


def _build_into(folder: Path, go: str, environ: Mapping[str, str]) -> None:
    with step(f"Building the Pulumi language host for Python in {folder.parent}", "once, about 30 s on 2 cores"):
        package = f"{HOST_MODULE}/python/cmd/{HOST}"
        _run([go, "build", "-o", str(folder / HOST), package], MODULES / "python", environ)
        source = _run([go, "list", "-m", "-f", "{{.Dir}}", HOST_MODULE], MODULES / "python", environ).strip()
        shutil.copyfile(Path(source) / "python" / "cmd" / HOST_EXECUTOR, folder / HOST_EXECUTOR)
        (folder / HOST_EXECUTOR).chmod(0o755)
    with step(f"Building the Pulumi CLI {VERSION} in {folder.parent}", "once, about 6 minutes on 2 cores"):
        command = [go, "build", "-ldflags", CLI_VERSION_FLAG, "-o", str(folder / "pulumi"), CLI_PACKAGE]
        _run(command, MODULES / "cli", environ)


def _publish(build: Path, folder: Path) -> None:
    build.chmod(0o755)
    try:
        build.rename(folder)
    except OSError:
        # Another builder came first: its result is as good. A broken one is replaced.
        if not _whole(folder):
            shutil.rmtree(folder, ignore_errors=True)
            build.rename(folder)


def _sweep(folder: Path) -> None:
    for left in folder.glob(".building-*"):
        if time.time() - left.stat().st_mtime > ABANDONED_AFTER_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def _run(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> str:
    environ = {**environ, "GOWORK": "off"}
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n  ".join(done.stderr.strip().splitlines()[-15:])
        raise EngineError(f"`{' '.join(command[:2])}` failed in {folder}:\n  {last}")
    return done.stdout


def _go(environ: Mapping[str, str]) -> str:
    go = shutil.which("go", path=environ.get("PATH", ""))
    wanted = needed_go()
    if not go:
        raise EngineError(
            f"neither Pulumi {VERSION} nor Go is on PATH; install Pulumi {VERSION} (with {HOST}), set PULUMI to its"
            f" path, or install Go {_text(wanted)} or newer, from which it is built once"
        )
    found = _parse(_run([go, "env", "GOVERSION"], MODULES, environ))
    # A newer toolchain is fetched by Go itself, unless it was told to stay as it is.
    local = _run([go, "env", "GOTOOLCHAIN"], MODULES, environ).strip() == "local"
    if found < (1, 21) or (found < wanted and local):
        raise EngineError(
            f"{go} is Go {_text(found)}; building Pulumi {VERSION} needs Go {_text(wanted)} or newer"
            f" (or Pulumi {VERSION} itself on PATH, or PULUMI=<its path>)"
        )
    return go


def needed_go() -> tuple[int, ...]:
    """The Go version that the pinned modules ask for."""
    line = re.search(r"^go (\S+)$", (MODULES / "cli" / "go.mod").read_text(encoding="utf-8"), re.MULTILINE)
    return _parse(line.group(1)) if line else (1, 26)


def _parse(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def main() -> int:
    """Print the folder that holds `pulumi`; 1 with the reason if there is none."""
    engine = required()
    sys.stdout.write(f"{engine.pulumi.parent}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
