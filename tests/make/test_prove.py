"""The checks of `make check`."""

import sys

import pytest

from tools import prove


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, ...]]:
    """Checks to be filled, run with this environment's Python."""
    checks: dict[str, tuple[str, ...]] = {}
    monkeypatch.setattr(prove, "CHECKS", checks)
    return checks


def python(code: str) -> tuple[str, ...]:
    return ("python", "-c", code)


def test_all_are_well(checks: dict[str, tuple[str, ...]]) -> None:
    checks |= {"one": python(""), "two": python("")}

    assert prove.check() == 0


def test_one_that_fails_fails_all(checks: dict[str, tuple[str, ...]]) -> None:
    checks |= {"one": python("raise SystemExit(3)"), "two": python("")}

    assert prove.check() == 1


def test_one_that_fails_does_not_keep_the_others_from_running(
    checks: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    checks |= {"one": python("raise SystemExit(1)"), "two": python("")}

    prove.check()

    assert "check two (python -c): ok, " in capsys.readouterr().out


def test_one_that_fails_shows_what_it_says(
    checks: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    checks |= {"one": python("raise SystemExit('line too long')")}

    prove.check()

    assert capsys.readouterr().out.startswith("line too long\ncheck one (python -c): FAILED, ")


def test_check_is_named_when_it_starts(checks: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    checks |= {"one": python("")}

    prove.check()

    assert capsys.readouterr().err == "check one ...\n"


def test_one_that_is_well_says_nothing(checks: dict[str, tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    checks |= {"one": python("print('all is well')")}

    prove.check()

    assert "all is well" not in capsys.readouterr().out


@pytest.mark.parametrize("tool", ["ruff", "basedpyright", "lint-imports"])
def test_tool_is_among_the_checks_and_installed(tool: str) -> None:
    commands = [command[0] for command in prove.CHECKS.values()]

    assert tool in commands
    assert (prove.BIN / tool).exists(), sys.prefix
