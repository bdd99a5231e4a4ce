"""Where the engine is taken from, in which order, and what is said when it cannot be had."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import engine
from tools.engine import HOST, HOST_EXECUTOR, VERSION, EngineError

Environ = dict[str, str]


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def pulumi(folder: Path, version: str = VERSION, host: bool = True) -> Path:
    if host:
        script(folder / HOST, "")
    return script(folder / "pulumi", f"echo {version}")


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    (tmp_path / "path").mkdir()
    # The system's folders hold sh and the like, never pulumi or go.
    return {"PATH": f"{tmp_path / 'path'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")}


def fill_cache(environ: Environ) -> Path:
    folder = engine.cache_folder(environ)
    for name in ("pulumi", HOST, HOST_EXECUTOR):
        script(folder / name, "")
    return folder


# A Go that "builds" by writing what it was asked for, and knows one module folder.
GO = """
case "$1 $2" in
"env GOVERSION") echo {version};;
"env GOTOOLCHAIN") echo {toolchain};;
"build "*) {build} while [ $# -gt 0 ]; do if [ "$1" = -o ]; then echo built > "$2"; chmod +x "$2"; fi; shift; done;;
"list "*) echo {module};;
esac
"""


def go(tmp_path: Path, version: str = "go1.26.8", toolchain: str = "local", build: str = "") -> None:
    module = tmp_path / "module"
    script(module / "python" / "cmd" / HOST_EXECUTOR, "")
    body = GO.format(version=version, toolchain=toolchain, build=build, module=module)
    script(tmp_path / "path" / "go", body)


def test_given_path_wins_over_path_and_cache(environ: Environ, tmp_path: Path) -> None:
    pulumi(tmp_path / "path")
    fill_cache(environ)
    given = pulumi(tmp_path / "given")

    assert engine.resolve({**environ, "PULUMI": str(given)}).pulumi == given


def test_given_folder_means_the_pulumi_in_it(environ: Environ, tmp_path: Path) -> None:
    given = pulumi(tmp_path / "given")

    assert engine.resolve({**environ, "PULUMI": str(given.parent)}).pulumi == given


def test_given_other_version_is_taken_with_a_warning(
    environ: Environ, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = pulumi(tmp_path / "given", "v3.200.0")

    engine.resolve({**environ, "PULUMI": str(given)})

    assert capsys.readouterr().err == (f"warning: PULUMI={given} is v3.200.0; this project is tried with {VERSION}\n")


def test_given_same_version_is_taken_in_silence(
    environ: Environ, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.resolve({**environ, "PULUMI": str(pulumi(tmp_path / "given"))})

    assert capsys.readouterr().err == ""


def test_given_path_without_a_pulumi_is_an_error(environ: Environ, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no executable named `pulumi` there"):
        engine.resolve({**environ, "PULUMI": str(tmp_path / "nothing")})


def test_given_pulumi_without_language_host_is_an_error(environ: Environ, tmp_path: Path) -> None:
    given = pulumi(tmp_path / "given", host=False)

    with pytest.raises(EngineError, match=f"no `{HOST}` beside it or on PATH"):
        engine.resolve({**environ, "PULUMI": str(given)})


def test_path_is_taken_if_it_is_exactly_the_version(environ: Environ, tmp_path: Path) -> None:
    found = pulumi(tmp_path / "path")
    fill_cache(environ)

    assert engine.resolve(environ).pulumi == found


@pytest.mark.parametrize("version", ["v3.274.0", "v3.275.0", "v3.274.1-dev"])
def test_path_of_another_version_is_passed_over(environ: Environ, tmp_path: Path, version: str) -> None:
    pulumi(tmp_path / "path", version)
    cached = fill_cache(environ)

    assert engine.resolve(environ).pulumi == cached / "pulumi"


def test_path_without_language_host_is_passed_over(environ: Environ, tmp_path: Path) -> None:
    pulumi(tmp_path / "path", host=False)
    cached = fill_cache(environ)

    assert engine.resolve(environ).pulumi == cached / "pulumi"


def test_incomplete_cache_is_built_again(environ: Environ, tmp_path: Path) -> None:
    (fill_cache(environ) / HOST).unlink()
    go(tmp_path)

    assert engine.resolve(environ).host_folder == engine.cache_folder(environ)


def test_build_fills_the_cache_and_leaves_nothing_else(environ: Environ, tmp_path: Path) -> None:
    go(tmp_path)

    engine.resolve(environ)

    folder = engine.cache_folder(environ)
    assert [path.name for path in folder.parent.iterdir()] == [VERSION]
    assert {path.name for path in folder.iterdir()} == {"pulumi", HOST, HOST_EXECUTOR}


def test_build_says_what_it_does_and_about_how_long(
    environ: Environ, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    go(tmp_path)

    engine.resolve(environ)

    assert "(once, about 6 minutes on 2 cores) ...\n" in capsys.readouterr().err


def test_failed_build_shows_the_compiler_and_leaves_no_folder(environ: Environ, tmp_path: Path) -> None:
    go(tmp_path, build="echo undefined: x >&2; exit 1;")

    with pytest.raises(EngineError, match="undefined: x"):
        engine.resolve(environ)

    assert list(engine.cache_folder(environ).parent.iterdir()) == []


def test_two_builders_at_once_are_fine(environ: Environ, tmp_path: Path) -> None:
    go(tmp_path)
    command = [sys.executable, "-m", "tools.engine"]
    both = [
        subprocess.Popen(
            command, cwd=engine.MODULES.parent.parent, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]

    said = [builder.communicate()[0].decode().strip() for builder in both]

    assert said == [str(engine.cache_folder(environ))] * 2


def test_neither_pulumi_nor_go_says_what_to_install(environ: Environ) -> None:
    with pytest.raises(EngineError) as raised:
        engine.resolve(environ)

    assert str(raised.value) == (
        "neither Pulumi v3.274.1 nor Go is on PATH; install Pulumi v3.274.1 (with pulumi-language-python), set PULUMI"
        f" to its path, or install Go {'.'.join(map(str, engine.needed_go()))} or newer, from which it is built once"
    )


def test_old_go_that_may_not_fetch_a_newer_one_is_an_error(environ: Environ, tmp_path: Path) -> None:
    go(tmp_path, "go1.25.3")

    with pytest.raises(EngineError, match=r"is Go 1\.25\.3; building Pulumi v3\.274\.1 needs Go 1\.26"):
        engine.resolve(environ)


def test_old_go_that_fetches_the_one_it_needs_builds(environ: Environ, tmp_path: Path) -> None:
    go(tmp_path, "go1.25.3", toolchain="auto")

    assert engine.resolve(environ).pulumi.exists()


def test_path_of_a_run_begins_with_environment_engine_and_host(tmp_path: Path) -> None:
    found = engine.Engine(tmp_path / "a" / "pulumi", tmp_path / "b")

    assert found.path([tmp_path / "venv"], "/usr/bin").split(os.pathsep) == [
        str(tmp_path / "venv"),
        str(tmp_path / "a"),
        str(tmp_path / "b"),
        "/usr/bin",
    ]
