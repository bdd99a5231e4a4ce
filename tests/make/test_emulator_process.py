"""The emulator that `make up` starts in the background, and `make down` stops."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.make.ports import taken
from tools.local import emulator
from tools.local.emulator import EmulatorError, Running
from tools.local.layout import Layout
from tools.local.processes import Process

pytestmark = pytest.mark.xdist_group("emulator-process")

SETTINGS = "{}"


@dataclass
class Life:
    """One clone's emulator, with everything that was said of it."""

    layout: Layout
    said: list[str] = field(default_factory=list)

    def ensure(self, settings: str = SETTINGS) -> Running:
        return emulator.ensure(self.layout, settings, self.said.append)

    def kill(self) -> Running:
        """SIGKILL, as from outside; what had run."""
        running = emulator.running(self.layout)
        assert running
        os.kill(running.process.pid, signal.SIGKILL)
        until = time.monotonic() + 10
        while running.process.alive() and time.monotonic() < until:
            os.sched_yield()
        return running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    life = Life(Layout(tmp_path_factory.mktemp("clone")))
    yield life
    emulator.stop(life.layout)


@pytest.fixture
def life(shared: Life) -> Life:
    """An emulator that runs, with the usual settings. Shared: a start takes a second or more."""
    shared.ensure()
    shared.said.clear()
    return shared


def port_of(running: Running) -> int:
    return int(running.address.rpartition(":")[2])


def test_it_answers_once_it_is_there(life: Life) -> None:
    with socket.create_connection(("127.0.0.1", port_of(life.ensure())), timeout=5) as connection:
        assert connection.getpeername()[0] == "127.0.0.1"


def test_it_is_started_once(life: Life) -> None:
    assert life.ensure() == life.ensure()


def test_running_tells_where_it_is(life: Life) -> None:
    assert emulator.running(life.layout) == life.ensure()


def test_record_of_it_is_its_identity(life: Life) -> None:
    running = life.ensure()
    record = json.loads((life.layout.emulator / "process.json").read_text())

    assert Process(record["pid"], record["started"]) == running.process


def test_killed_it_comes_back_on_the_same_port_and_that_is_told(life: Life) -> None:
    before = life.kill()

    after = life.ensure()

    assert after.process != before.process
    assert (after.address, life.said) == (
        before.address,
        ["emulator: was stopped from outside; starting it again from its state file"],
    )


def test_port_that_another_program_took_is_given_up_and_that_is_told(life: Life) -> None:
    before = life.kill()

    with taken(before.address):
        after = life.ensure()

    assert after.address != before.address
    assert life.said[-1] == (
        f"emulator: port {port_of(before)} is taken by another program; another port is used, and the stack's"
        " endpoints follow"
    )


def test_other_settings_start_it_again_on_the_same_port(life: Life) -> None:
    before = life.ensure()

    after = life.ensure('{"seed": 7}')

    assert (after.address, before.process.alive()) == (before.address, False)


def test_ready_file_that_was_damaged_later_does_not_matter(life: Life) -> None:
    before = life.ensure()
    ready = life.layout.emulator / "ready.json"
    whole = ready.read_text()
    ready.write_text('{"address": "127.0.0.1:1", "pi')

    again = life.ensure()

    ready.write_text(whole)
    assert again == before, life.said


def test_start_that_was_cut_off_is_waited_for(life: Life) -> None:
    before = life.ensure()
    record = life.layout.emulator / "process.json"
    record.write_text(
        json.dumps({key: value for key, value in json.loads(record.read_text()).items() if key != "address"})
    )

    assert life.ensure() == before, life.said


@pytest.mark.parametrize("content", ["", '{"address": "127.0.0', '{"address": "127.0.0.1:1", "pid": 1}', "[]"])
def test_ready_file_written_by_half_or_by_another_has_no_address(tmp_path: Path, content: str) -> None:
    files = emulator._Files(tmp_path)
    files.ready.write_text(content)

    assert emulator._running(files, Process(os.getpid(), "1")) is None


def test_wrong_settings_end_with_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(EmulatorError, match=r"ended at its start; its log says:\n(.*\n)*.*no_such_setting"):
        emulator.ensure(Layout(tmp_path), '{"no_such_setting": 1}', [].append)


def test_stop_ends_it_and_forgets_it(tmp_path: Path) -> None:
    life = Life(Layout(tmp_path))
    running = life.ensure()

    assert emulator.stop(life.layout) == running.process.pid
    assert not running.process.alive()
    assert not (life.layout.emulator / "state.json").exists()
    assert emulator.stop(life.layout) is None


def test_stop_leaves_a_process_that_only_has_its_pid(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as other:
        record = layout.emulator / "process.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"pid": other.pid, "started": "1", "settings": "", "port": 0}))
        emulator.stop(layout)
        spared = other.poll() is None
        other.kill()

    assert spared


def test_running_of_none_is_nothing(tmp_path: Path) -> None:
    assert emulator.running(Layout(tmp_path)) is None


def test_every_port_is_kept_after_a_kill(life: Life) -> None:
    before = life.kill()

    after = life.ensure()

    assert (after.address, after.rest, after.console) == (before.address, before.rest, before.console)


def test_console_answers(life: Life) -> None:
    with urllib.request.urlopen(life.ensure().console, timeout=5) as page:
        assert page.status == 200
