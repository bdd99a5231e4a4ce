"""The plugin's process: how fast it starts, what it loads, and when it ends."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wire import programs
from tests.wire.harness import connected
from tests.wire.processes import EXECUTABLE, PYTHON, ROOT, Plugin, address_of, listening, started
from tests.wire.programs import ENDPOINT, endpoint
from tests.wire.stack import urn_of
from tools.engine import Engine

RATIO = 1.8  # start of the plugin against `import pulumi`
RUNS = 5
END_SECONDS = 5
RSS_KB = 70 * 1024
# Starts the plugin as its child, and stays.
PARENT = "import subprocess, sys, signal; subprocess.Popen(sys.argv[1:]); signal.pause()"


def seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def start_and_leave() -> None:
    with started():
        pass


def import_pulumi() -> None:
    subprocess.run([PYTHON, "-c", "import pulumi"], check=True)


def test_start_is_at_most_so_many_times_an_import_of_pulumi(record_property: Callable[[str, object], None]) -> None:
    pairs = [(seconds(start_and_leave), seconds(import_pulumi)) for _ in range(RUNS)]

    ratio = statistics.median(plugin / pulumi for plugin, pulumi in pairs)
    record_property("plugin start / import pulumi", round(ratio, 2))
    assert ratio <= RATIO


def modules_loaded(plugin: Plugin) -> set[str]:
    """From `-X importtime`: every module that the process imported until its end."""
    plugin.process.terminate()
    _, told = plugin.process.communicate(timeout=END_SECONDS)
    return {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}


async def test_no_client_of_google_is_loaded_before_the_first_call() -> None:
    with started(command=(PYTHON, "-X", "importtime", str(ROOT / "plugin"))) as plugin:
        async with connected(plugin.port) as wire:
            await wire.configure(project=programs.PROJECT, location=programs.LOCATION, ownerId=programs.OWNER)
            await wire.checked(urn_of(ENDPOINT, "e"), endpoint())
        loaded = modules_loaded(plugin)

    assert "tpuserve.provider.server" in loaded
    assert [name for name in loaded if name.startswith(("google.cloud", "google.api_core", "google.auth"))] == []


def test_memory_after_start(record_property: Callable[[str, object], None]) -> None:
    with started() as plugin:
        status = Path(f"/proc/{plugin.process.pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))
    record_property("resident KB", resident)

    assert resident <= RSS_KB


def test_ends_when_its_engine_no_longer_answers() -> None:
    with listening() as server, started(address_of(server)) as plugin:
        server.close()

        assert plugin.process.wait(END_SECONDS) == 0


def test_ends_when_the_process_that_started_it_is_killed() -> None:
    """The address answers on: another process may have the port by then."""
    with listening() as server, started(address_of(server), (PYTHON, "-c", PARENT, str(EXECUTABLE))) as plugin:
        plugin.process.kill()

        assert plugin.process.stdout is not None
        began = time.monotonic()
        # The end of the pipe is the end of the last process that holds it.
        plugin.process.stdout.read()
        assert time.monotonic() - began <= END_SECONDS


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ends_at_a_signal(number: int) -> None:
    with listening() as server, started(address_of(server)) as plugin:
        os.kill(plugin.process.pid, number)

        assert plugin.process.wait(END_SECONDS) == 0


@pytest.mark.engine
def test_engine_reads_its_schema(engine: Engine, tmp_path: Path) -> None:
    command = [str(engine.pulumi), "package", "get-schema", str(EXECUTABLE)]

    got = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=True).stdout

    assert '"tpuserve:vertex:Deployment"' in got


@pytest.mark.engine
def test_engine_finds_no_fault_in_the_schema(engine: Engine, tmp_path: Path) -> None:
    golden = ROOT / "tests" / "golden" / "schema.json"
    command = [str(engine.pulumi), "schema", "check", str(golden)]

    told = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=False)

    assert (told.returncode, told.stderr) == (0, "")


def environment(folder: Path) -> dict[str, str]:
    own = {"PULUMI_HOME": str(folder / "home"), "PULUMI_BACKEND_URL": f"file://{folder}?metadata=skip"}
    quiet = {"PULUMI_SKIP_UPDATE_CHECK": "true", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true"}
    return {**os.environ, **own, **quiet, "PULUMI_CONFIG_PASSPHRASE": ""}
