"""The pack's process: how fast it starts, and that it ends when its engine does, however that ended."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

ANALYZER = Path(__file__).parents[2] / "policies" / "analyzer"
ENGINE = f"{ANALYZER} 127.0.0.1:9 & wait"  # a shell that starts the pack, as the engine does
STARTED = 0.6
"""Seconds of the processor until the pack says its port: all that a start takes on a machine that does nothing else."""


def test_pack_ends_when_its_engine_is_killed() -> None:
    with subprocess.Popen(["sh", "-c", ENGINE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as engine:
        assert engine.stdout is not None
        port = engine.stdout.readline().strip()

        engine.kill()

        # The pack holds the other end of the pipe until it ends.
        rest, _ = engine.communicate(timeout=10)
        assert port.isdigit()
        assert rest == b""


def start() -> float:
    """Processor seconds from the start of the process until it listens, and to its end."""
    process = subprocess.Popen([ANALYZER, "127.0.0.1:9"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline().strip().isdigit()
        process.kill()
    usage = os.wait4(process.pid, 0)[2]
    process.returncode = -9  # it has been waited for
    return usage.ru_utime + usage.ru_stime


def test_pack_starts_within_so_many_seconds_of_the_processor(record_property: Callable[[str, object], None]) -> None:
    took = min(start() for _ in range(3))

    record_property("start of the policy pack, processor seconds", round(took, 2))
    assert took < STARTED
