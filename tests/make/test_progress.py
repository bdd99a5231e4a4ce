"""The lines of a long step."""

import io
import re

import pytest

from tools.progress import duration, step


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (365, "6 min 05 s")],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_piped_step_has_a_line_at_its_start_and_one_at_its_end() -> None:
    out = io.StringIO()

    with step("Building", "once, about 6 minutes", out):
        started = out.getvalue()

    assert started == "Building (once, about 6 minutes) ...\n"
    assert re.fullmatch(r"Building: done in \d\.\d s\n", out.getvalue().removeprefix(started))


def test_failed_step_says_so() -> None:
    out = io.StringIO()

    with pytest.raises(RuntimeError), step("Building", stream=out):
        raise RuntimeError

    assert "Building: failed after" in out.getvalue()


def test_step_on_a_terminal_ends_as_one_line() -> None:
    out = Terminal()

    with step("Building", "about a second", out):
        pass

    assert out.getvalue().endswith(" s\n")
    assert out.getvalue().count("\n") == 1


def test_piped_step_writes_no_control_characters() -> None:
    out = io.StringIO()

    with step("Building", stream=out):
        pass

    assert "\x1b" not in out.getvalue()
