"""A process as (pid, start time), so that a pid used again by another process is never taken for ours."""

import contextlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """`started` is what the system says of the start: compared, never interpreted."""

    pid: int
    started: str

    def alive(self) -> bool:
        """Whether this very process still runs."""
        return start_of(self.pid) == self.started

    def end(self, patience: float = 10.0) -> bool:
        """SIGTERM, then SIGKILL after `patience` seconds, to it alone. Whether it ended by the first."""
        if self.alive():
            _send(self.pid, signal.SIGTERM)
        if ended := _gone(self, patience):
            return ended
        _send(self.pid, signal.SIGKILL)
        _gone(self, patience)
        return False


def start_of(pid: int) -> str:
    """When the process started, as the system tells it; empty where there is none, or only its zombie."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            # The name, in parentheses, may hold anything; state and start time are fields 3 and 22.
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] in "ZX" else fields[19]
    asked = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return "" if asked[:1] in ("", "Z") else asked.partition(" ")[2].strip()


def name_of(pid: int) -> str:
    """The file name of the running program; empty where there is none."""
    asked = subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return Path(asked.stdout.strip()).name


def age_of(pid: int) -> float:
    """For how many seconds the process has run."""
    asked = subprocess.run(["ps", "-o", "etime=", "-p", str(pid)], capture_output=True, text=True, check=False)
    days, _, clock = asked.stdout.strip().rpartition("-")
    parts = [float(part) for part in clock.split(":") if part]
    return sum(part * 60**power for power, part in enumerate(reversed(parts))) + 86400 * float(days or 0)


def started_after(pid: int, moment: datetime) -> bool:
    """Whether the process is younger than `moment`, with a second's grace."""
    return datetime.now(UTC).timestamp() - age_of(pid) > moment.timestamp() + 1.5


def _send(pid: int, what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, what)


def _gone(process: Process, patience: float) -> bool:
    until = time.monotonic() + patience
    while process.alive():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
