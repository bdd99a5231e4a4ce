"""What each URN is known to hold, in one process and in two of one engine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tpuserve.provider.memory import STALE, Memory, shared

URN = "urn:pulumi:s::p::tpuserve:vertex:Model::m"
OTHER = "urn:pulumi:s::p::tpuserve:vertex:Model::n"
HOLD = """
import sys
from pathlib import Path
from tpuserve.provider.memory import Memory
for number in range(50):
    Memory(Path(sys.argv[1])).holds(f"{sys.argv[2]}{number}", [f"{sys.argv[2]}{number}"])
"""


@pytest.fixture(params=["alone", "shared"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    return Memory(tmp_path / "memory.jsonl" if request.param == "shared" else None)


def test_nothing_is_held_at_first(memory: Memory) -> None:
    assert memory.held() == frozenset()


def test_what_is_held_is_known(memory: Memory) -> None:
    memory.holds(URN, ["a", "b"])

    assert memory.held() == {"a", "b"}


def test_the_last_word_counts(memory: Memory) -> None:
    memory.holds(URN, ["a"])
    memory.holds(URN, ["b"])

    assert memory.held() == {"b"}


def test_forgotten_before_a_replacement(memory: Memory) -> None:
    memory.holds(URN, ["a"])
    memory.forget(URN)

    assert memory.held() == frozenset()


def test_forgetting_what_was_never_known_is_fine(memory: Memory) -> None:
    memory.forget(URN)

    assert memory.held() == frozenset()


def test_what_any_urn_holds_is_held(memory: Memory) -> None:
    """An entry that is to be deleted may stand under the name that the resource had before."""
    memory.holds(URN, ["a"])
    memory.holds(OTHER, ["b"])

    assert memory.held() == {"a", "b"}


def test_a_failed_create_is_remembered_by_its_urn(memory: Memory) -> None:
    memory.failed(URN)

    assert (memory.has_failed(URN), memory.has_failed(OTHER)) == (True, False)


def test_checked_is_remembered_through_a_forgetting(memory: Memory) -> None:
    memory.checked(URN)
    memory.forget(URN)

    assert (memory.was_checked(URN), memory.was_checked(OTHER)) == (True, False)


def test_two_processes_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", HOLD, str(path), name]) for name in ("a", "b")]

    assert [writer.wait(60) for writer in writers] == [0, 0]
    memory = Memory(path)
    assert memory.held() == {f"{name}{number}" for name in ("a", "b") for number in range(50)}


def test_each_sees_what_the_other_learns_later(tmp_path: Path) -> None:
    one, other = Memory(tmp_path / "memory.jsonl"), Memory(tmp_path / "memory.jsonl")
    one.holds(URN, ["a"])
    seen = other.held()
    other.forget(URN)
    one.checked(OTHER)

    assert (seen, one.held(), other.was_checked(OTHER)) == ({"a"}, frozenset(), True)


def test_line_that_a_killed_process_wrote_by_half_takes_nothing_along(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    Memory(path).holds(URN, ["a"])
    reader = Memory(path)
    before = reader.held()
    with path.open("a", encoding="utf-8") as file:
        file.write(f'\n["{OTHER}", "hol')
    between = reader.held()
    Memory(path).holds(OTHER, ["b"])

    assert (before, between, reader.held(), Memory(path).held()) == ({"a"}, {"a"}, {"a", "b"}, {"a", "b"})


def test_what_is_known_already_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    for _ in range(3):
        Memory(path).holds(URN, ["a"])

    assert len(path.read_text().split()) == len(f'["{URN}", "holds", ["a"]]'.split())


def test_a_line_costs_the_same_however_much_is_known(tmp_path: Path) -> None:
    """The journal grows by what is new alone: a run of many resources is not slower for each."""
    memory = Memory(tmp_path / "memory.jsonl")
    sizes = [0]
    for number in range(100):
        memory.holds(f"{URN}{number:03}", [f"{number:03}"])
        sizes.append((tmp_path / "memory.jsonl").stat().st_size)

    assert len({after - before for before, after in pairwise(sizes)}) == 1


def test_plugins_of_one_engine_share(tmp_path: Path) -> None:
    shared("127.0.0.1:1", tmp_path / "home").holds(URN, ["a"])

    assert shared("127.0.0.1:1", tmp_path / "home").held() == {"a"}


def test_plugins_of_two_engines_do_not(tmp_path: Path) -> None:
    shared("127.0.0.1:1", tmp_path / "home").holds(URN, ["a"])

    assert shared("127.0.0.1:2", tmp_path / "home").held() == frozenset()


def test_folder_is_private(tmp_path: Path) -> None:
    shared("127.0.0.1:1", tmp_path / "home").holds(URN, ["a"])

    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


def test_folder_that_others_may_write_is_not_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)

    assert shared("127.0.0.1:1", home).path is None


def test_file_of_an_engine_long_gone_is_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shared("127.0.0.1:1", home).holds(URN, ["a"])
    (old,) = home.glob("*.jsonl")
    long_ago = time.time() - 2 * STALE
    os.utime(old, (long_ago, long_ago))
    shared("127.0.0.1:2", home).holds(URN, ["b"])

    shared("127.0.0.1:2", home)

    assert old not in home.iterdir()


def test_folder_of_the_user_behind_a_link_loses_nothing(tmp_path: Path) -> None:
    private, home = tmp_path / "private", tmp_path / "home"
    private.mkdir(mode=0o700)
    (private / "key").write_text("old")
    os.utime(private / "key", (1, 1))
    (private / "new").write_text("new")
    home.symlink_to(private)

    memory = shared("127.0.0.1:1", home)

    assert (memory.path, (private / "key").exists()) == (None, True)


def test_a_strangers_file_in_the_folder_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    shared("127.0.0.1:1", home).holds(URN, ["a"])
    (home / "notes.txt").write_text("mine")
    os.utime(home / "notes.txt", (1, 1))

    shared("127.0.0.1:2", home)

    assert (home / "notes.txt").exists()


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_leaves_each_process_its_own(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    if kind == "file":
        home.write_text("")
    else:
        home.symlink_to(tmp_path / "nowhere")

    assert shared("127.0.0.1:1", home).path is None
