"""Cases on the real engine, a batch of them in one program; a batch that fails is halved until the case is found."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from rich.progress import track

import tpuserve.resources as r
from tests.emulator.google import Google
from tests.engine.harness import cloud as clouds
from tests.engine.harness.stack import Stack
from tests.generated.cases import Case, cases
from tests.generated.distribution import Distribution
from tests.generated.drawing import many
from tests.generated.names import spelled
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE
from tools.engine import Engine, resolve

CLASSES: dict[str, Any] = {
    DEPLOYMENT: r.Deployment,
    ENDPOINT: r.Endpoint,
    MODEL: r.Model,
    QUEUED_RESOURCE: r.QueuedResource,
}
BATCH = 10
# Names that only one object can have: each case of a batch has its own.
OWN = ("modelId", "endpointId", "queuedResourceId", "nodeId", "nodeIdPrefix")


@dataclass(frozen=True)
class Program:
    """One of the two programs of each case."""

    batch: Sequence[Case]
    second: bool

    def __call__(self) -> None:
        for index, case in enumerate(self.batch):
            args = case.second if self.second else case.first
            CLASSES[case.token](f"r{index}", renamed(spelled(args, str(index)), index))


def renamed(value: Any, index: int) -> Any:
    """A copy in which fixed names are the case's own."""
    if isinstance(value, Mapping):
        return {key: f"{item}{index}" if key in OWN else renamed(item, index) for key, item in value.items()}
    return [renamed(item, index) for item in value] if isinstance(value, list) else copy.deepcopy(value)


def drawn(count: int, start: int) -> list[Case]:
    """So many cases."""
    found: list[Case] = []

    @many(count, start)
    @given(cases())
    def draw(case: Case) -> None:
        found.append(case)

    draw()
    return found


def engine(count: int, start: int, outcome: Callable[[Any], Any]) -> Any:
    """Prove so many cases; what failed and what was drawn."""
    found, engine = outcome(Distribution()), resolve()
    whole = drawn(count, start)
    for case in whole:
        found.distribution.add(case)
    batches = [whole[at : at + BATCH] for at in range(0, len(whole), BATCH)]
    for batch in track(batches, "batches of 10 cases"):
        for case, error in failing(batch, engine):
            found.add_failure(repr(case), error)
    return found


def failing(batch: Sequence[Case], engine: Engine) -> list[tuple[Case, Exception]]:
    """The cases of a batch that fail by themselves, or the whole of it where only together they do."""
    try:
        prove(batch, engine)
    except Exception as error:  # told with its case
        if len(batch) == 1:
            return [(batch[0], error)]
        middle = len(batch) // 2
        return [*failing(batch[:middle], engine), *failing(batch[middle:], engine)] or [(batch[0], error)]
    return []


def prove(batch: Sequence[Case], engine: Engine) -> None:
    """Both programs, a refresh and a preview without a change, and nothing left over."""
    with clouds.running() as cloud, tempfile.TemporaryDirectory() as folder:
        cloud.control.set("returns_container_spec", batch[0].returns_container_spec)
        hand = Google(cloud.address, cloud.control)
        with hand.channel:
            _prepare(hand, len(batch))
            stack = Stack(Path(folder), engine, cloud)
            try:
                stack.up(Program(batch, second=False))
                stack.up(Program(batch, second=True))
                stack.refresh("--expect-no-changes")
                stack.unchanged(Program(batch, second=True))
                stack.destroy()
            finally:
                stack.stop()
        _is_empty(cloud.control.objects(), len(batch))


def _prepare(hand: Google, count: int) -> None:
    """The models of all cases with two versions each, and two endpoints for each case, all of another hand."""
    for letter in "ab":
        name = hand.upload(f"model-{letter}", "i:1").partition("@")[0]
        hand.upload(f"model-{letter}", "i:2", parent_model=name, model_fields={"version_aliases": ["live"]})
    for index in range(count):
        for letter in "ef":
            hand.endpoint(f"place-{letter}{index}")


def _is_empty(objects: Mapping[str, Sequence[Mapping[str, Any]]], count: int) -> None:
    endpoints = objects["endpoints"]
    busy = [e for e in endpoints if e.get("deployedModels") or e.get("trafficSplit") or e.get("labels")]
    assert (len(objects["models"]), len(endpoints), busy) == (2, 2 * count, []), "something is left over"
    assert objects["queuedResources"] == [], "a request is left over"
