"""The emulator that `make up` starts in the background, and `make down` stops."""

import contextlib
import hashlib
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.local.layout import Layout, write_whole
from tools.local.processes import Process, start_of

READY_SECONDS = 60.0
PORT_SECONDS = 2.0
PORTS = ("port", "rest-port", "console-port")
"""Flags of the emulator: of gRPC, of REST and of the page."""
COMMAND = (sys.executable, "-m", "tpuserve.emulator")


class EmulatorError(Exception):
    """The emulator did not come up; the message holds the last lines of its log."""


@dataclass(frozen=True, slots=True)
class Running:
    """`address` of gRPC and `rest` are host:port on the loopback range, `console` is the page's URL.

    `rest` is empty where `tpuserve[emulator]` is not installed.
    """

    process: Process
    address: str
    rest: str = ""
    console: str = ""


def ensure(layout: Layout, settings: str, say: Callable[[str], None], patience: float = READY_SECONDS) -> Running:
    """The emulator that runs already, else a new one from its state file, on the same port where that is free."""
    files = _Files(layout.emulator)
    recorded = _recorded(files)
    if recorded and recorded.alive() and _read(files.record).get("settings") == _digest(settings):
        with contextlib.suppress(EmulatorError):
            return _note(files, _ready(files, recorded, patience))
    if recorded and recorded.alive():
        say(f"emulator (pid {recorded.pid}): its settings changed, or it does not answer; starting it again")
        recorded.end()
    elif recorded:
        say("emulator: was stopped from outside; starting it again from its state file")
    write_whole(files.settings, settings)
    return _start(files, settings, _ports(files, say), patience)


def stop(layout: Layout) -> int | None:
    """End what `ensure` started, and nothing else; its pid, or nothing if it does not run. State and record go."""
    files = _Files(layout.emulator)
    recorded = _recorded(files)
    running = recorded is not None and recorded.alive()
    if recorded and running:
        recorded.end()
    for left in (files.record, files.ready, files.state):
        left.unlink(missing_ok=True)
    return recorded.pid if recorded and running else None


def running(layout: Layout) -> Running | None:
    """The emulator as it runs now, or nothing."""
    files = _Files(layout.emulator)
    recorded = _recorded(files)
    return _running(files, recorded) if recorded and recorded.alive() else None


@dataclass(frozen=True, slots=True)
class _Files:
    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings.json"

    @property
    def state(self) -> Path:
        return self.folder / "state.json"

    @property
    def ready(self) -> Path:
        return self.folder / "ready.json"

    @property
    def log(self) -> Path:
        return self.folder / "log.txt"

    @property
    def record(self) -> Path:
        return self.folder / "process.json"


def _start(files: _Files, settings: str, ports: Mapping[str, int], patience: float) -> Running:
    files.ready.unlink(missing_ok=True)
    arguments = [str(part) for name, port in ports.items() for part in (f"--{name}", port)]
    arguments += ["--settings", files.settings, "--state", files.state, "--ready", files.ready]
    pid = _spawn([*COMMAND, *map(str, arguments)], files.log)
    process = Process(pid, start_of(pid))
    record = {"pid": process.pid, "started": process.started, "settings": _digest(settings), "ports": ports}
    write_whole(files.record, json.dumps(record))
    return _note(files, _ready(files, process, patience))


def _note(files: _Files, running: Running) -> Running:
    """Keep the addresses: from then on they do not depend on the ready file."""
    told = dict(zip(PORTS, (running.address, running.rest, running.console), strict=True))
    ports = {name: int(address.rstrip("/").rpartition(":")[2] or 0) for name, address in told.items()}
    known = {"address": running.address, "rest": running.rest, "console": running.console, "ports": ports}
    write_whole(files.record, json.dumps(_read(files.record) | known))
    return running


def _spawn(command: list[str], log: Path) -> int:
    """Start it in a session of its own, for it outlives this process, and a Ctrl-C in this terminal is not for it."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsid=True)


def _ready(files: _Files, process: Process, patience: float) -> Running:
    until = time.monotonic() + patience
    while time.monotonic() < until:
        found = _running(files, process)
        if found and _answers(found.address):
            return found
        if not process.alive():
            raise EmulatorError(f"the emulator ended at its start; its log says:\n{_tail(files.log)}")
        time.sleep(0.02)
    raise EmulatorError(f"the emulator is not ready after {patience:.0f} s; its log says:\n{_tail(files.log)}")


def _running(files: _Files, process: Process) -> Running | None:
    """Where it was found ready before; else what it says itself, once it is ready."""
    for source in (files.record, files.ready):
        told = _read(source)
        if told.get("pid") == process.pid and told.get("address"):
            return Running(process, str(told["address"]), told.get("rest", ""), told.get("console", ""))
    return None


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def _recorded(files: _Files) -> Process | None:
    record = _read(files.record)
    if not record.get("pid") or not record.get("started"):
        return None
    return Process(int(record["pid"]), str(record["started"]))


def _ports(files: _Files, say: Callable[[str], None]) -> dict[str, int]:
    """The ports it had, so that the stack's endpoints stay the same; any free one for what another program has."""
    had = _read(files.record).get("ports", {})
    return {name: _port(int(had.get(name, 0)), say) for name in PORTS}


def _port(port: int, say: Callable[[str], None]) -> int:
    if port and not _becomes_free(port):
        say(
            f"emulator: port {port} is taken by another program; another port is used, and the stack's endpoints follow"
        )
        return 0
    return port


def _becomes_free(port: int) -> bool:
    """A process that was just killed may hold its port for a moment longer."""
    until = time.monotonic() + PORT_SECONDS
    while not _free(port):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _free(port: int) -> bool:
    with socket.socket() as probe:
        # As a server would: the rests of ended connections do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _read(path: Path) -> dict[str, Any]:
    """A file that is absent, or half written, says nothing."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _digest(settings: str) -> str:
    return hashlib.sha256(settings.encode()).hexdigest()


def _tail(log: Path, lines: int = 12) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return os.linesep.join(f"  {line}" for line in text.splitlines()[-lines:])
