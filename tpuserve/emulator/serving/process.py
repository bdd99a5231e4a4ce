"""One process in the place of a container or a startup script: started, watched, ended."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tpuserve.emulator.serving import guard as guardian
from tpuserve.emulator.serving import launch as launcher
from tpuserve.emulator.serving.variables import expanded, extended
from tpuserve.emulator.settings import Launch

LOG_LINES = 20
POLL = 0.03
_TERMINATE = 3.0


class Routes(NamedTuple):
    """The paths a process answers on."""

    health: str = ""
    predict: str = ""


class Served:
    """What answers for one replica or node: a process with a port, or a builtin without."""

    def __init__(self, name: str, launch: Launch, routes: Routes) -> None:
        self.name, self.launch, self.routes = name, launch, routes
        self.log: Path | None = None
        self.log_start = 0  # where this run begins in a log that earlier ones share
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.killed = asyncio.Event()
        self.in_flight = 0

    @property
    def alive(self) -> bool:
        return not self.killed.is_set() and (self.process is None or self.process.poll() is None)

    def last_lines(self, count: int = LOG_LINES) -> str:
        """The end of what this run wrote."""
        if self.log is None or not self.log.exists():
            return f"(builtin {self.launch.builtin}: no output)"
        return "\n".join(tail(self.log, count, self.log_start)) or "(no output)"

    def how_it_ended(self) -> str:
        """In words, of one that is not alive."""
        code = self.process.poll() if self.process is not None else None
        if code is None or self.killed.is_set():
            return "killed"
        return f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def spawn(self, log: Path, variables: dict[str, str], arguments: tuple[str, ...]) -> None:
        """Starts the process; OSError where it cannot even be started."""
        values = extended({"PORT": str(self.port)}, (*variables.items(), *self.launch.env.items()))
        command = [expanded(part, values) for part in (*self.launch.command, *arguments)]
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", launcher.__file__, str(os.getpid()), *command],
                env=os.environ | values,
                cwd=self.launch.cwd or None,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Ends it, and what it started, as a crash would."""
        self.killed.set()
        if self.process is not None:
            signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()

    async def end(self) -> None:
        """Asks it to end, then insists."""
        if self.process is None:
            return
        signal_group(self.process.pid, signal.SIGTERM)
        deadline = time.monotonic() + _TERMINATE
        while self.process.poll() is None and time.monotonic() < deadline:  # noqa: ASYNC110 - a process is no event
            await asyncio.sleep(POLL)
        signal_group(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Guard:
    """The one process that outlives the emulator, for a moment: it ends the groups that are left."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def began(self, group: int) -> None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        self._tell(f"-{group}\n")

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None

    def _tell(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        with contextlib.suppress(BrokenPipeError):  # somebody ended it: the parent-death signal is left, on Linux
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


def tail(path: Path, count: int, start: int = 0) -> list[str]:
    """The last lines of a file from that byte on."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(start, end - 256 * 1024))
        return file.read().decode(errors="replace").splitlines()[-count:]


def signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def started_at(pid: int) -> str:
    """When a process began, as the system tells it; empty if there is none. A pid alone may be another's by now."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.joinpath("self").exists():
        try:
            return stat.read_text().rpartition(")")[2].split()[19]
        except OSError:
            return ""
    shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return shown.stdout.strip()
