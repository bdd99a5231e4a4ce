"""The server as a process: what it logs, answers, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from digits_client import ask

from examples.digits import held_out

ROOT = Path(__file__).parents[2]
METRICS = json.loads((held_out.FOLDER / "metrics.json").read_text(encoding="utf-8"))
Start = Callable[..., "Server"]


class Server:
    """A running server process; reading its log is how a test waits for it."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "examples.digits.server", "--port", "0", *arguments]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("AIP_", "DIGITS_"))}
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)

    def logged(self, pattern: str) -> re.Match[str]:
        """The first line of the log, from here on, that matches."""
        assert self.process.stderr is not None
        seen = []
        for line in self.process.stderr:
            seen.append(line)
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"ended with {self.process.wait(30)} and no {pattern!r}: {''.join(seen)}")

    def port(self) -> int:
        return int(self.logged(r"listening on http://127\.0\.0\.1:(\d+)")[1])

    def ended(self) -> tuple[int, str]:
        """Exit code and the rest of the log."""
        _, rest = self.process.communicate(timeout=60)
        return self.process.returncode, rest


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    started: list[Server] = []

    def begin(*arguments: str) -> Server:
        started.append(Server(*arguments))
        return started[-1]

    yield begin
    for server in started:
        server.process.kill()
        server.process.communicate()


@pytest.fixture(scope="module")
def served(start: Start) -> tuple[int, str]:
    """Port of a warm server and the line that says so."""
    server = start()
    port = server.port()
    return port, server.logged("ready after.*")[0]


def test_the_log_says_on_which_kind_of_device_it_serves(served):
    assert re.match(r"ready after \d+\.\d\d s on cpu \(cpu\) as ", served[1])


def test_the_log_says_what_became_of_the_limit_of_locked_memory(served):
    assert re.search(r"; memlock soft \S+ -> \S+, hard \S+ -> \S+", served[1])


def test_without_a_version_the_hash_of_the_weights_says_who_served(served, digits):
    answer = ask(served[0], "POST", "/predict", {"instances": [digits[0].pixels]})

    assert answer.body["predictions"][0]["served_by"] == "weights-" + METRICS["weights_sha256"][:12]


def test_logits_of_another_process_are_the_offline_ones(served, digits, reference):
    answer = ask(served[0], "POST", "/predict", {"instances": [digit.pixels for digit in digits]})

    logits = np.array([prediction["logits"] for prediction in answer.body["predictions"]])
    assert np.max(np.abs(logits - np.array(reference.logits))) <= 1e-5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_warm_server_ends_well_on_a_signal(start, number):
    server = start("--model-version", "2")
    server.logged("ready after .* as 2; ")

    server.process.send_signal(number)

    code, rest = server.ended()
    assert code == 0
    assert re.fullmatch(r"\S+ \S+ INFO ended\n", rest)


def test_a_server_that_is_still_loading_ends_well_on_sigterm(start):
    server = start()
    server.port()

    server.process.terminate()

    assert server.ended()[0] == 0


def test_weights_that_cannot_be_read_end_the_server_with_1(start, tmp_path):
    (tmp_path / "weights.npz").write_bytes(b"no zip file")
    server = start("--weights", str(tmp_path))

    code, log = server.ended()

    assert code == 1
    assert "the model cannot be served" in log


def test_wrong_settings_end_the_server_with_2_and_all_faults(start):
    code, log = start("--health-route", "ping", "--weights", "/nowhere").ended()

    assert code == 2
    assert [line.split(" ERROR ")[1][:16] for line in log.splitlines()] == ["--health-route (", "--weights (AIP_S"]


def test_a_taken_port_ends_the_server_with_2(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, log = start("--port", str(taken.getsockname()[1])).ended()

    assert code == 2
    assert re.fullmatch(r"\S+ \S+ ERROR cannot listen on 127\.0\.0\.1:\d+: .*\n", log)


def test_the_offline_script_prints_what_is_compared_with(reference):
    ran = subprocess.run(
        [sys.executable, "-m", "examples.digits.offline"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert json.loads(ran.stdout) == reference._asdict()
