"""What a killed engine leaves in the file backend."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tools.local import backend
from tools.local.layout import Layout

WAITS = "import signal; print(flush=True); signal.pause()"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


@pytest.fixture
def said() -> list[str]:
    return []


def lock(layout: Layout, text: str, stack: str = "local") -> Path:
    path = layout.backend / ".pulumi" / "locks" / "organization" / "tpu-inference" / stack / "id.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def holder(pid: int, minutes: float = 0) -> str:
    moment = datetime.now(UTC) + timedelta(minutes=minutes)
    return json.dumps({"pid": pid, "username": "u", "hostname": "h", "timestamp": moment.isoformat()})


@pytest.fixture
def running_pulumi(tmp_path: Path) -> Iterator[int]:
    """A process whose program is called pulumi."""
    program = Path(shutil.copy(Path(sys.executable).resolve(), tmp_path / "pulumi"))
    environ = os.environ | {"PYTHONHOME": sys.base_prefix}
    with subprocess.Popen([program, "-S", "-c", WAITS], stdout=subprocess.PIPE, env=environ) as child:
        assert child.stdout
        child.stdout.readline()
        yield child.pid
        child.kill()


def ended_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        return child.pid


def test_no_lock_is_no_stale_lock(layout: Layout, said: list[str]) -> None:
    assert not backend.stale_locks(layout, said.append)


def test_lock_of_an_ended_process_is_stale(layout: Layout, said: list[str]) -> None:
    lock(layout, holder(ended_pid()))

    assert backend.stale_locks(layout, said.append)


def test_stale_lock_is_told(layout: Layout, said: list[str]) -> None:
    lock(layout, json.dumps({"pid": (pid := ended_pid()), "timestamp": "2026-11-30T18:00:00Z"}))

    backend.stale_locks(layout, said.append)

    assert said == [
        f"backend: the lock of a killed engine is still there (pid {pid}, since 2026-11-30T18:00:00Z); taking it off"
    ]


def test_lock_written_by_half_is_stale(layout: Layout, said: list[str]) -> None:
    lock(layout, '{"pid": 1')

    assert backend.stale_locks(layout, said.append)


def test_lock_whose_pid_another_program_has_is_stale(layout: Layout, said: list[str]) -> None:
    lock(layout, holder(os.getpid()))

    assert backend.stale_locks(layout, said.append)


def test_lock_older_than_the_pulumi_that_has_its_pid_is_stale(
    layout: Layout, said: list[str], running_pulumi: int
) -> None:
    lock(layout, holder(running_pulumi, minutes=-60))

    assert backend.stale_locks(layout, said.append)


def test_lock_of_a_running_pulumi_is_respected(layout: Layout, said: list[str], running_pulumi: int) -> None:
    lock(layout, holder(running_pulumi))

    with pytest.raises(backend.StackBusyError, match=rf"another pulumi \(pid {running_pulumi}\); wait for it"):
        backend.stale_locks(layout, said.append)


def test_lock_of_another_stack_is_not_ours(layout: Layout, said: list[str]) -> None:
    lock(layout, holder(ended_pid()), stack="other")

    assert not backend.stale_locks(layout, said.append)


def test_empty_attributes_are_removed(layout: Layout, said: list[str]) -> None:
    layout.backend.mkdir(parents=True)
    (layout.backend / "a.json.attrs").touch()

    backend.remove_empty_attributes(layout, said.append)

    assert list(layout.backend.iterdir()) == []


def test_removal_of_empty_attributes_is_told(layout: Layout, said: list[str]) -> None:
    layout.backend.mkdir(parents=True)
    (layout.backend / "a.json.attrs").touch()

    backend.remove_empty_attributes(layout, said.append)

    assert said == ["backend: removed .tpuserve/backend/a.json.attrs, left empty by an engine that was killed"]


def test_attributes_that_say_something_stay(layout: Layout, said: list[str]) -> None:
    layout.backend.mkdir(parents=True)
    (layout.backend / "a.json.attrs").write_text("{}")

    backend.remove_empty_attributes(layout, said.append)

    assert (layout.backend / "a.json.attrs").exists()
