"""The pack's process: it ends when the engine that started it does, however that ended."""

import subprocess
from pathlib import Path

ANALYZER = Path(__file__).parents[2] / "policies" / "analyzer"
ENGINE = f"{ANALYZER} 127.0.0.1:9 & wait"  # a shell that starts the pack, as the engine does


def test_pack_ends_when_its_engine_is_killed() -> None:
    with subprocess.Popen(["sh", "-c", ENGINE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as engine:
        assert engine.stdout is not None
        port = engine.stdout.readline().strip()

        engine.kill()

        # The pack holds the other end of the pipe until it ends.
        rest, _ = engine.communicate(timeout=10)
        assert port.isdigit()
        assert rest == b""
