"""Any sequence of programs, faults and lost states: a run that succeeds leaves what its program says, and no more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.wire import conftest
from tests.wire.harness import CheckFailedError, InitFailedError, WireError, plugin
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, endpoint, model, variant
from tests.wire.serving import POOL, make_pool
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator

URN = urn_of(DEPLOYMENT, "d")
NAMES = ("stable", "canary")
FAULTS = ("none", "deploy", "split", "undeploy", "lost state", "forced")


@dataclass(frozen=True)
class Run:
    """One run: version of each variant, the share of the first, and what goes wrong."""

    versions: dict[str, int]
    share: int
    fault: str
    first: bool
    """Whether every variant is undeployed before it is deployed anew; an outage is agreed to in the last run alone."""
    pooled: frozenset[str]
    """Variants in a shared pool."""
    paused: bool


VERSIONS = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), min_size=1)
RUNS = st.builds(
    Run,
    VERSIONS,
    st.integers(1, 99),
    st.sampled_from(FAULTS),
    st.booleans(),
    st.frozensets(st.sampled_from(NAMES)),
    st.sampled_from([False, False, False, True]),
)


def split(run: Run) -> dict[str, int]:
    names = sorted(run.versions)
    return {names[0]: 100} if len(names) == 1 else {names[0]: run.share, names[1]: 100 - run.share}


async def prepared(stack: Stack) -> tuple[str, dict[int, str]]:
    """The endpoint's name, and the names of three versions of a model."""
    images = {number: f"registry/digits:{number}" for number in (1, 2, 3)}
    names = {}
    for number, image in images.items():
        state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": image}))
        names[number] = state.properties["versionName"]
    return (await stack.up(ENDPOINT, "e", endpoint())).properties["name"], names


async def step(stack: Stack, emulator: Emulator, run: Run, args: dict[str, Any]) -> bool:
    """Whether the run succeeded and its state was kept."""
    methods = {"split": "UpdateEndpoint", "undeploy": "UndeployModel"}
    if run.fault == "deploy":
        emulator.control.fail_operation("deploy_model", "INTERNAL", "died")
    elif run.fault in methods:
        emulator.control.fail(methods[run.fault], "INTERNAL", "broken", times=1)
    before = stack.states.get(URN)
    forced = run.fault == "forced" and before is not None
    try:
        await (stack.replace if forced else stack.up)(DEPLOYMENT, "d", args)
    except (CheckFailedError, InitFailedError, WireError):
        return False
    if run.fault != "lost state":
        return True
    stack.states.pop(URN)
    stack.states |= {URN: before} if before else {}
    return False


def arguments(run: Run, place: str, names: dict[int, str]) -> dict[str, Any]:
    models = {name: declared(run, name, names[number]) for name, number in run.versions.items()}
    return {"endpoint": place, "deployedModels": models, "trafficSplit": split(run), "paused": run.paused}


def declared(run: Run, name: str, version: str) -> dict[str, Any]:
    own = {"strategy": "UNDEPLOY_FIRST"} if run.first else {}
    if name in run.pooled:
        return {"model": version, "sharedResources": POOL, **own}
    return {**variant(version), **own}


def emptied(emulator: Emulator) -> int:
    """How often everything that served was taken off the endpoint."""
    calls = emulator.control.calls(mutating_only=True)
    splits = [
        c["request"] for c in calls if c["method"] == "UpdateEndpoint" and "traffic" in c["request"]["updateMask"]
    ]
    return sum(not request["endpoint"].get("trafficSplit") for request in splits)


def shares(emulator: Emulator) -> list[tuple[str, int]]:
    """Version and share of everything that is deployed."""
    (found,) = emulator.control.objects()["endpoints"]
    by_id = found.get("trafficSplit", {})
    return sorted((item["modelVersionId"], by_id.get(item["id"], 0)) for item in found.get("deployedModels", []))


async def scenario(emulator: Emulator, runs: list[Run], last: Run) -> tuple[list[Any], list[Any], list[str]]:
    """What is deployed after the last run, after its removal, and what the last state says still has to go."""
    async with plugin() as wire:
        await wire.configure(**conftest.settings(emulator))
        stack = Stack(wire)
        place, names = await prepared(stack)
        make_pool(emulator)
        for run in runs:
            emulator.control.clear_calls()
            await step(stack, emulator, run, arguments(run, place, names))
            assert run.paused or not emptied(emulator)
        state = await until_done(stack, arguments(last, place, names) | {"allowOutage": True})
        after = shares(emulator)
        await until_gone(stack)
        return after, shares(emulator), state.properties["retiring"]


async def until_done(stack: Stack, args: dict[str, Any]) -> Any:
    """A fault that an earlier run did not come to may be met first; refresh before update, as the engine does."""
    for _ in range(4):
        if URN in stack.states:
            await stack.refresh(DEPLOYMENT, "d")
        try:
            return await stack.up(DEPLOYMENT, "d", args)
        except (InitFailedError, WireError):
            continue
    raise AssertionError("no success in four runs")


async def until_gone(stack: Stack) -> None:
    """A delete that fails keeps its state entry; the next one goes on."""
    for _ in range(4):
        try:
            return await stack.remove(DEPLOYMENT, "d")
        except WireError:
            continue
    raise AssertionError("not removed in four runs")


@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(runs=st.lists(RUNS, max_size=4), last=RUNS)
def test_last_run_leaves_what_its_program_says(running_emulator: Emulator, runs: list[Run], last: Run) -> None:
    running_emulator.control.reset()

    after, removed, retiring = asyncio.run(scenario(running_emulator, runs, last))

    wanted = sorted((str(last.versions[name]), share) for name, share in split(last).items() if not last.paused)
    assert (after, removed, retiring) == (wanted, [], [])
