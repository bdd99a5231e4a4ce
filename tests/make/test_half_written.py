"""Starts of `make up` over files of which a crash of the machine left a part."""

from pathlib import Path

import pytest

from tools.local import backend, emulator
from tools.local.backend import StackDamagedError
from tools.local.emulator import EmulatorError
from tools.local.layout import Layout


@pytest.mark.parametrize("text", ["", '{"models": {', "[1]"])
def test_the_emulators_state_file_is_named_and_left(tmp_path: Path, text: str) -> None:
    state = Layout(tmp_path).emulator / "state.json"
    state.parent.mkdir(parents=True)
    state.write_text(text)

    with pytest.raises(EmulatorError, match=r"state\.json is no state of this emulator .*; move it away to begin anew"):
        emulator.ensure(Layout(tmp_path), "{}", [].append)

    assert state.read_text() == text


@pytest.fixture
def stack_state(tmp_path: Path) -> Path:
    """Where the engine keeps the state of the stack."""
    path = backend.state_file(Layout(tmp_path), "p")
    path.parent.mkdir(parents=True)
    return path


def test_a_state_that_is_whole_is_fine(tmp_path: Path, stack_state: Path) -> None:
    stack_state.write_text('{"version": 3}')

    assert backend.readable(Layout(tmp_path), "p") is None


@pytest.mark.parametrize("text", ["", '{"version": 3, "checkp'])
def test_the_last_whole_state_is_offered(tmp_path: Path, stack_state: Path, text: str) -> None:
    """The engine keeps the one before as `.bak`."""
    stack_state.write_text(text)
    stack_state.with_name("local.json.bak").write_text("{}")

    with pytest.raises(StackDamagedError, match=rf"written by half: .*mv {stack_state}\.bak {stack_state}\)"):
        backend.readable(Layout(tmp_path), "p")


def test_a_state_without_one_before_is_to_be_moved_away(tmp_path: Path, stack_state: Path) -> None:
    stack_state.write_text("{")

    with pytest.raises(StackDamagedError, match=rf"move it away \({stack_state}\) and run `make up` again"):
        backend.readable(Layout(tmp_path), "p")
