"""The measuring: runs of the real engine with both providers in turn, each from the same state."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.language import Program
from tests.engine.harness.stack import NAME, Stack
from tests.wire.processes import started
from tools.bench.graph import graph
from tools.engine import Engine
from tools.progress import say
from tpuserve.emulator import Control

ROOT = Path(__file__).parent.parent.parent
PLUGIN = "pulumi-resource-tpuserve"
OURS, NOOP = "ours", "noop"
PACK = ("--policy-pack", str(ROOT / "policies" / "analyzer"))
READY_SECONDS = 60.0
STEPS = ("preview of what is new", "up", "preview without a change")
"""What is measured of each graph, in this order: each goes on where the last one ended."""
LOOKS = ("GetQueuedResource", "GetModel", "GetEndpoint")


@dataclass(slots=True)
class Times:
    """Seconds of one thing, a pair for each round: ours, and what it is measured against."""

    pairs: list[tuple[float, float]] = field(default_factory=list)


@dataclass(slots=True)
class Found:
    """Everything that was measured, by what it is."""

    times: dict[str, Times] = field(default_factory=dict)
    reads: dict[int, float] = field(default_factory=dict)
    """Resources -> calls that read one, for each resource, in a preview with refreshBeforeUpdate."""

    def add(self, what: str, ours: float, other: float) -> None:
        self.times.setdefault(what, Times()).pairs.append((ours, other))


def measured(engine: Engine, counts: tuple[int, ...], rounds: int) -> Found:
    """All of it; the emulator is a process of its own, as Google is."""
    found = Found()
    for number in range(rounds):
        say(f"start of the plugin, round {number + 1} of {rounds}", sys.stdout)
        found.add("start of the plugin / import pulumi", _seconds(_start), _seconds(_import))
        found.add("start of the policy pack / import pulumi_policy", _seconds(_start_pack), _seconds(_import_policy))
    with _folder() as folder, emulator(folder) as cloud:
        for count in counts:
            stacks = {kind: _stack(folder / f"{kind}-{count}", engine, cloud) for kind in (OURS, NOOP)}
            _graph(stacks, cloud, found, count, rounds)
        pack(Stack(folder / "pack", engine, cloud), found, rounds)
    return found


def pack(stack: Stack, found: Found, rounds: int, count: int = 1000) -> None:
    """A preview of new resources with the policy pack, against the same without."""
    _configure(stack, refresh=False)
    program, path = graph(count), _path(stack, OURS)
    for number in range(rounds):
        say(f"policy pack, {count} resources, round {number + 1} of {rounds}", sys.stdout)
        with_pack = _seconds(lambda: _run(stack, "preview", program, path, *PACK))
        without = _seconds(lambda: _run(stack, "preview", program, path))
        found.add(f"preview with the policy pack, {count} resources", with_pack, without)


def _graph(stacks: dict[str, Stack], cloud: Cloud, found: Found, count: int, rounds: int) -> None:
    for number in range(rounds):
        say(f"{count} resources, round {number + 1} of {rounds}", sys.stdout)
        # The one that comes first finds a colder machine: each in its turn.
        order = [OURS, NOOP] if number % 2 else [NOOP, OURS]
        taken = {kind: _round(stacks[kind], cloud, kind, count) for kind in order}
        for step in STEPS:
            found.add(f"{step}, {count} resources", taken[OURS][step], taken[NOOP][step])
    found.reads[count] = _reads(stacks[OURS], cloud, count)


def _round(stack: Stack, cloud: Cloud, kind: str, count: int) -> dict[str, float]:
    """Seconds of each step, on an empty stack."""
    cloud.control.reset()
    shutil.rmtree(stack.folder / "backend")
    shutil.copytree(stack.folder / "empty", stack.folder / "backend")
    program, path = graph(count), _path(stack, kind)
    verbs = (("preview", ()), ("up", ()), ("preview", ("--expect-no-changes",)))
    return {
        step: _seconds(lambda verb=verb, flags=flags: _run(stack, verb, program, path, *flags))
        for step, (verb, flags) in zip(STEPS, verbs, strict=True)
    }


def _reads(stack: Stack, cloud: Cloud, count: int) -> float:
    """Calls that read, for each resource, in a preview in which every resource that can drift is read first."""
    _configure(stack, refresh=True)
    program = graph(count)
    _round(stack, cloud, OURS, count)
    with cloud.recorded() as calls:
        stack.preview(program, "--expect-no-changes")
    return sum(len(calls.of(method)) for method in LOOKS) / count


def _run(stack: Stack, verb: str, program: Program, path: str, *flags: str) -> None:
    run = stack.begin(verb, program, *flags, PATH=path).wait()
    if run.code:
        raise RuntimeError(f"{verb} ended with code {run.code}:\n{run.output}")


def _stack(folder: Path, engine: Engine, cloud: Cloud) -> Stack:
    stack = Stack(folder, engine, cloud)
    _configure(stack, refresh=False)
    shutil.copytree(folder / "backend", folder / "empty")
    noop = folder / "noop" / PLUGIN
    noop.parent.mkdir()
    noop.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m tools.bench.noop "$@"\n')
    noop.chmod(0o755)
    return stack


def _configure(stack: Stack, *, refresh: bool) -> None:
    file = stack.folder / f"Pulumi.{NAME}.yaml"
    settings = yaml.safe_load(file.read_text())
    settings["config"]["tpuserve:refreshBeforeUpdate"] = refresh
    file.write_text(yaml.safe_dump(settings))


def _path(stack: Stack, kind: str) -> str:
    """PATH, on which the first plugin of that name is the one to measure."""
    before = [str(stack.folder / "noop")] if kind == NOOP else []
    return os.pathsep.join([*before, stack.environ["PATH"]])


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _start() -> None:
    with started():
        pass


def _import() -> None:
    subprocess.run([sys.executable, "-c", "import pulumi"], check=True)


def _start_pack() -> None:
    """Until it has said its port, as the engine waits for it."""
    with subprocess.Popen([PACK[1], "127.0.0.1:1"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.terminate()


def _import_policy() -> None:
    subprocess.run([sys.executable, "-c", "import pulumi_policy"], check=True)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tpuserve-bench-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def emulator(folder: Path) -> Iterator[Cloud]:
    """An emulator in a process of its own, without durations and without a state file."""
    ready = folder / "ready.json"
    command = [sys.executable, "-m", "tpuserve.emulator", "--ready", str(ready)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + READY_SECONDS
        while not ready.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        address = json.loads(ready.read_text())["address"]
        with Control(address) as control:
            yield Cloud(address, control)
            control.shutdown()
