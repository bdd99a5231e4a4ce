"""One case proven: the second program brought about, seen at Google, read back without a difference, and taken away."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.generated import laws, sent
from tests.generated.cases import Case
from tests.generated.names import NUMBER, PROJECT, spelled
from tests.generated.world import World
from tests.wire.programs import DEPLOYMENT, MODEL, QUEUED_RESOURCE
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.ownership import without_mark
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.same import canonical
from tpuserve.testing import Stack, State, urn_of
from tpuserve.testing.stack import SOME

READING = ("Get", "List", "Wait")
NUMBERS = {PROJECT: NUMBER}
COUNTS = ("maxReplicaCount", "requiredReplicaCount")
# Outputs that only Google knows at each moment.
MOMENTARY = {"createTime", "updateTime", "availableReplicaCount", "message"}


async def prove(world: World, case: Case) -> None:
    """Raises AssertionError where a promise is broken."""
    world.google.forget_operations()
    world.google.core.settings.returns_container_spec = case.returns_container_spec
    stack = Stack(world.wire, reads_first=case.reads_first)
    await stack.up(case.token, "r", spelled(case.first))
    before = Counter(world.google.calls)
    foretold = await _preview(stack, case)
    state = await stack.up(case.token, "r", spelled(case.second))
    calls = world.google.calls - before
    _as_foretold(foretold, state)
    _did_what_was_due(case, calls, stack.steps[1:])
    await _is_at_google(world, case, state)
    await _reads_back(stack, case, state)
    await _is_taken_away(world, stack, case)


async def _preview(stack: Stack, case: Case) -> dict[str, Any]:
    """The outputs that a preview of an update shows; nothing where there is no update."""
    urn = urn_of(case.token, "r")
    old = stack.states[urn]
    inputs = await stack.wire.checked(urn, spelled(case.second), old)
    diff = await stack.wire.diff(urn, old, inputs)
    if diff.replaces or diff.changes != SOME:
        return {}
    return (await stack.wire.update(urn, old, inputs, preview=True)).properties


def _as_foretold(foretold: Any, found: Any, path: str = "") -> None:
    """What a preview called known is so."""
    if isinstance(foretold, dict) and isinstance(found, State):
        found = found.properties
    if isinstance(foretold, dict) and isinstance(found, dict):
        for key, value in foretold.items():
            if key not in MOMENTARY:
                _as_foretold(value, found.get(key), f"{path}.{key}")
    elif foretold is not UNKNOWN:
        assert found == foretold, f"the preview said {foretold!r} of {path}, and it is {found!r}"


def _did_what_was_due(case: Case, calls: Counter[str], steps: list[str]) -> None:
    mutating = {name: count for name, count in calls.items() if not name.startswith(READING)}
    if case.first == case.second:
        assert (steps, mutating) == (["same"], {}), "the same program again did something"
    if case.token == DEPLOYMENT:
        due = laws.deployments(case.first, case.second)
        assert (calls["DeployModel"], calls["UndeployModel"]) == due, f"deployed and undeployed, not {due}: {mutating}"
        return
    if laws.is_unclear(case.token, case.first, case.second):
        return
    due = laws.creates(case.token, case.first, case.second)
    assert calls[laws.CREATES[case.token]] == due, f"{due} were to be made: {mutating}"
    another = laws.is_another(case.token, case.first, case.second)
    assert ("delete-replaced" in steps) is another, f"replaced is to be {another}: {steps}"


async def _is_at_google(world: World, case: Case, state: State) -> None:
    if case.token == DEPLOYMENT:
        await _is_served(world, case, state)
        return
    names = await world.objects(case.token)
    assert len(names) == 1, f"one object, not {names}"
    wanted, live = sent.of(case.token, case.second), sent.users(case.token, await _live(world, case.token, state))
    if laws.is_unclear(case.token, case.first, case.second):
        wanted, live = sent.without_empty(wanted), sent.without_empty(live)
    fields = {a.wire for a in LIFECYCLES[case.token].definition.shape.arguments}
    fields &= {field.json_name for field in sent.MESSAGES[case.token].DESCRIPTOR.fields}
    if not case.returns_container_spec:
        fields -= {"containerSpec"}
    for name in fields:
        assert live.get(name) == wanted.get(name), f"{name} was to be {wanted.get(name)!r} and is {live.get(name)!r}"


async def _live(world: World, token: str, state: State) -> dict[str, Any]:
    method = laws.CREATES[token].replace("Upload", "Get").replace("Create", "Get")
    name = state.properties["versionName"] if token == MODEL else state.id
    return await world.google.call(method, {"name": name})


async def _is_served(world: World, case: Case, state: State) -> None:
    """Every variant is deployed as it is declared, nothing else is, and the split is the declared one."""
    letter = case.second["endpoint"][-1]
    live = await world.endpoint(letter)
    by_id = {item["id"]: item for item in live.get("deployedModels", [])}
    ids = {name: status["id"] for name, status in state.properties["deployedModelStatus"].items()}
    variants = laws.running(case.second)
    assert sorted(ids) == sorted(variants)
    assert sorted(ids.values()) == sorted(by_id), "what runs is what is declared"
    for name, declared in variants.items():
        _is_as_declared(name, declared, by_id[ids[name]])
    split = {name: int(live.get("trafficSplit", {}).get(key, 0)) for name, key in ids.items()}
    assert {name: share for name, share in split.items() if share} == laws.shares(case.second)
    if case.first["endpoint"][-1] != letter:
        assert _is_idle(await world.endpoint(case.first["endpoint"][-1]))


def _is_as_declared(name: str, declared: dict[str, Any], live: dict[str, Any]) -> None:
    wanted = sent.variant(declared)
    version = live["modelVersionId"]
    found = sent.variant({**live, "model": f"{live['model']}@{version}"})
    title = without_mark(live["displayName"])
    assert title == wanted.pop("displayName", title), f"{name} is called {title!r}"
    for key in ("id", "createTime", "status", "displayName", "privateEndpoints"):
        found.pop(key, None)
    assert found == wanted, f"variant {name} was to be {wanted!r} and is {found!r}"


def _is_idle(endpoint: dict[str, Any]) -> bool:
    claimed = any(key == "tpuserve-deployment" for key in endpoint.get("labels", {}))
    return not (endpoint.get("deployedModels") or endpoint.get("trafficSplit") or claimed)


async def _reads_back(stack: Stack, case: Case, state: State) -> None:
    """A refresh finds what was declared, and a preview after it nothing to do."""
    shape = LIFECYCLES[case.token].definition.shape
    found = await stack.refresh(case.token, "r")
    assert found is not None
    declared, read = (_said(canonical(shape, inputs, NUMBERS)) for inputs in (state.inputs, found.inputs))
    assert read == declared, "Read returns other inputs than were declared"
    assert await stack.difference(case.token, "r", spelled(case.second)) == {}, "a preview after the refresh"
    if case.token == QUEUED_RESOURCE and not case.second.get("recreate"):  # which Google does not know
        imported = await stack.wire.read(urn_of(case.token, "i"), state.id)
        assert imported is not None
        diff = await stack.wire.diff(urn_of(case.token, "i"), imported, state.inputs)
        assert list(diff.replaces) == [], "imported, it is to be replaced"


def _said(value: Any) -> Any:
    """Less what says nothing: a false, an empty text, a share of 0, a count that is the minimum's anyway."""
    if isinstance(value, dict):
        least = value.get("minReplicaCount")
        value = {key: None if key in COUNTS and item == least else item for key, item in value.items()}
        kept = {key: _said(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, "", False, 0, [], {})}
    return [_said(item) for item in value] if isinstance(value, list) else value


async def _is_taken_away(world: World, stack: Stack, case: Case) -> None:
    await stack.remove(case.token, "r")
    if case.token == DEPLOYMENT:
        assert all([_is_idle(await world.endpoint(letter)) for letter in "ef"]), "an endpoint is not idle"
    else:
        assert await world.objects(case.token) == [], "something is left over"
