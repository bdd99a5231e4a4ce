"""Where trials happen: an emulator and a stack, set back before each to what a program was brought up to once."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.programs import Program
from tests.engine.harness.cloud import LOCATION, PROJECT, ZONE, Cloud
from tests.engine.harness.stack import NAME, OWNER, PROJECT_NAME, Stack
from tests.least import least
from tools.engine import Engine
from tpuserve.cli import orphans, sources
from tpuserve.emulator import Emulator


@dataclass(frozen=True, slots=True)
class World:
    """One emulator with its objects, one stack with its state."""

    cloud: Cloud
    stack: Stack
    owner: str

    def urns(self) -> list[str]:
        """The resources of ours in the state, in its order, each once."""
        return list(dict.fromkeys(item["urn"] for item in self.stack.resources))

    def sweep(self) -> int:
        """`tpuserve orphans --delete` on the state as it is; its exit code, 0 when nothing is left."""
        url = f"http://{self.cloud.address}"
        options = sources.Options(
            state=self._exported(),
            given={"ownerId": self.owner, "project": PROJECT, "location": LOCATION, "zone": ZONE},
            endpoints={"tpu": url, "aiplatform": url},
        )
        return orphans.run(options, delete=True)

    def _exported(self) -> Path:
        """The state in the form of `pulumi stack export`, which is what the backend keeps, called otherwise."""
        kept = self.stack.folder / "backend" / ".pulumi" / "stacks" / PROJECT_NAME / f"{NAME}.json"
        content = json.loads(kept.read_text(encoding="utf-8"))
        file = self.stack.folder / "exported.json"
        file.write_text(json.dumps({"version": 3, "deployment": content["checkpoint"]["latest"]}), encoding="utf-8")
        return file


@dataclass(slots=True)
class Worlds:
    """Makes worlds. What a scenario starts from is brought up once; the emulator's address is always the same."""

    folder: Path
    engine: Engine
    owner: str = OWNER
    _port: int = 0
    _stacks: dict[tuple[Program, ...], Stack] = field(default_factory=dict)

    @contextlib.contextmanager
    def new(self, *starts: Program) -> Iterator[World]:
        """A world on which `starts` were up, one after the other, for the length of the block."""
        if starts not in self._stacks:
            self._bring_up(starts)
        stack = self._stacks[starts]
        shutil.rmtree(stack.folder / "backend")
        shutil.copytree(_kept(stack) / "backend", stack.folder / "backend")
        _copied(_kept(stack) / "emulator.json", self.folder / "emulator.json")
        with self._cloud() as cloud:
            yield World(cloud, stack, self.owner)
            stack.stop()

    def _bring_up(self, starts: tuple[Program, ...]) -> None:
        (self.folder / "emulator.json").unlink(missing_ok=True)
        folder = self.folder / str(len(self._stacks))
        with self._cloud() as cloud:
            stack = Stack(folder, self.engine, cloud, owner=self.owner)
            for start in starts:
                stack.up(start)
        shutil.copytree(folder / "backend", _kept(stack) / "backend")
        _copied(self.folder / "emulator.json", _kept(stack) / "emulator.json")
        self._stacks[starts] = stack

    @contextlib.contextmanager
    def _cloud(self) -> Iterator[Cloud]:
        with Emulator(least(), state=self.folder / "emulator.json", port=self._port).running() as emulator:
            self._port = int(emulator.address.rpartition(":")[2])
            yield Cloud(emulator.address, emulator.control)


def _kept(stack: Stack) -> Path:
    return stack.folder.with_name(f"{stack.folder.name}-kept")


def _copied(source: Path, target: Path) -> None:
    """An emulator in which nothing ever was has written nothing."""
    target.unlink(missing_ok=True)
    if source.exists():
        shutil.copy(source, target)
