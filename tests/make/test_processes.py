"""A process is known by pid and start time."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tools.local.processes import Process, name_of, start_of, started_after

IGNORES_TERM = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
WAITS = "import signal; print(flush=True); signal.pause()"


@pytest.fixture
def child(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", getattr(request, "param", WAITS)], stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        yield child
        child.kill()


def test_process_is_alive_under_its_own_start(child: subprocess.Popen[bytes]) -> None:
    assert Process(child.pid, start_of(child.pid)).alive()


def test_pid_used_again_by_another_is_not_ours(child: subprocess.Popen[bytes]) -> None:
    assert not Process(child.pid, "1").alive()


def test_another_process_with_our_pid_is_not_ended(child: subprocess.Popen[bytes]) -> None:
    Process(child.pid, "1").end()

    assert child.poll() is None


def test_ended_process_that_nobody_waited_for_is_not_alive(child: subprocess.Popen[bytes]) -> None:
    process = Process(child.pid, start_of(child.pid))

    assert process.end()
    assert not process.alive()


@pytest.mark.parametrize("child", [IGNORES_TERM], indirect=True)
def test_process_that_ignores_the_request_is_killed(child: subprocess.Popen[bytes]) -> None:
    process = Process(child.pid, start_of(child.pid))

    assert not process.end(patience=0.2)
    assert not process.alive()


def test_no_process_has_no_start() -> None:
    assert start_of(2**22 + 1) == ""


def test_name_is_that_of_the_program() -> None:
    assert name_of(os.getpid()).startswith(("python", "pytest"))


@pytest.mark.parametrize(("minutes", "after"), [(-60 * 24 * 365, True), (60, False)])
def test_started_after(child: subprocess.Popen[bytes], minutes: int, after: bool) -> None:
    assert started_after(child.pid, datetime.now(UTC) + timedelta(minutes=minutes)) is after
