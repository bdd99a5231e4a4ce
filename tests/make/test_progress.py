"""The lines of a long step."""

import io
import re
import threading

import pytest

from tools.progress import cut, duration, step


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


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "Building the CLI ... 3 s"),
        (25, "Building the CLI ... 3 s"),
        (20, "Building th ... 3 s"),
        (4, " .."),
        (0, ""),
    ],
)
def test_live_line_is_shorter_than_the_terminal(width: int, line: str) -> None:
    assert cut("Building the CLI", " ... 3 s", width) == line


def test_live_line_of_a_narrow_terminal_does_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr("tools.progress.LIVE_SECONDS", 0.001)
    out, drawn = Terminal(), threading.Event()
    out.write = lambda text: drawn.set() or io.StringIO.write(out, text)  # type: ignore[method-assign]

    with step("Building the Pulumi CLI in a folder with a long name", stream=out):
        assert drawn.wait(30)

    live = out.getvalue().split("\r\x1b[K")[1:-1]
    assert max(map(len, live)) == 19
