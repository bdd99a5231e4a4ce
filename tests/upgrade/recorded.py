"""States that builds of this project wrote, with what the emulator held at that time."""

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.stack import Stack
from tests.upgrade.program import program
from tools.engine import Engine
from tpuserve.emulator import Emulator
from tpuserve.provider.state_version import STATE_VERSION

FOLDER = Path(__file__).parent / "states"
ADDRESS = "EMULATOR-ADDRESS"
"""Stands in a recorded state for the emulator's host and port."""
PLACES = ("sourcePosition", "stackTrace")


@dataclass(frozen=True)
class Recorded:
    """One recording: `pulumi stack export` (secrets shown: they are this repository's own), and the emulator's file."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state.json"

    @property
    def emulator(self) -> Path:
        return self.folder / "emulator.json"

    @contextlib.contextmanager
    def restored(self, folder: Path, engine: Engine) -> Iterator[tuple[Stack, Cloud]]:
        """A stack with that state, on an emulator that holds what it held."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.emulator, folder / "emulator.json")
        with _cloud(folder / "emulator.json") as cloud:
            stack = Stack(folder / "stack", engine, cloud)
            stack.import_state(json.loads(self.state.read_text().replace(ADDRESS, cloud.address)))
            yield stack, cloud
            stack.stop()


def recordings() -> list[Recorded]:
    """Every recording, the oldest first."""
    return [Recorded(folder) for folder in sorted(FOLDER.iterdir())]


def current() -> Recorded:
    """The recording of the version that this build writes."""
    return Recorded(FOLDER / f"version-{STATE_VERSION}")


def record(folder: Path, engine: Engine) -> Recorded:
    """Bring the program up on an empty emulator, and keep what both wrote."""
    made = current()
    made.folder.mkdir(parents=True, exist_ok=True)
    with _cloud(folder / "emulator.json") as cloud:
        stack = Stack(folder / "stack", engine, cloud)
        stack.up(program)
        exported = stack.command("stack", "export", "--show-secrets", "--stack", "t")
        made.state.write_text(_portable(exported).replace(cloud.address, ADDRESS))
    made.emulator.write_text((folder / "emulator.json").read_text())
    return made


def _portable(exported: str) -> str:
    """The state less where on the recording machine each resource was declared."""
    state = json.loads(exported)
    for resource in state["deployment"]["resources"]:
        for key in PLACES:
            resource.pop(key, None)
    return json.dumps(state, indent=4) + "\n"


@contextlib.contextmanager
def _cloud(state: Path) -> Iterator[Cloud]:
    with Emulator(state=state).running() as emulator:
        yield Cloud(emulator.address, emulator.control)
