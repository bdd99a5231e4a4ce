"""What Google or the network does wrong while a resource comes about: the end, no duplicate, and how often it is asked.

Polls of Vertex AI's operations that fail, stall or come in half are in test_wire_waiting.py, retries of single calls in
test_google_calls.py, the words of a failed deployment in test_wire_deploy_failures.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.least import least
from tests.wire.conftest import settings
from tests.wire.front import Front, front
from tests.wire.harness import InitFailedError, WireError
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, endpoint, model
from tests.wire.serving import IMAGE_2, shares
from tests.wire.stack import Stack, served, urn_of
from tests.wire.subjects import NAMES, Bench, End, Fault, count
from tpuserve.emulator import Emulator
from tpuserve.emulator.settings import Launch
from tpuserve.emulator.vertex.tables import STAGES
from tpuserve.google import ATTEMPTS, Patience
from tpuserve.provider.model.versions import TRIES
from tpuserve.provider.queued_resource import lifecycle as queued_resource
from tpuserve.provider.requests import CONFLICTS

MAKES = {
    QUEUED_RESOURCE: "CreateQueuedResource",
    MODEL: "UploadModel",
    ENDPOINT: "CreateEndpoint",
    DEPLOYMENT: "DeployModel",
}
OPERATIONS = {QUEUED_RESOURCE: "qr_waiting", ENDPOINT: "create_endpoint", DEPLOYMENT: "deploy_model"}
GET = "GetQueuedResource"


@dataclass(frozen=True)
class Row:
    """A create that meets a fault: its end, and how often Google is asked to make the object, at most."""

    what: str
    token: str
    fault: Fault
    end: End
    calls: int

    @property
    def id(self) -> str:
        return f"{self.what}-{self.token.rpartition(':')[2]}"


def rows() -> Iterator[Row]:
    """What makes one object if sent twice is sent again; an upload is looked for first, a deployment by the next run.

    A rate limit refuses: whatever it is, it was not done.
    """
    for token, method in MAKES.items():
        repeated = {MODEL: TRIES, DEPLOYMENT: 1}.get(token, ATTEMPTS)
        waits: End = "partial" if token == DEPLOYMENT else "done"
        yield Row("never answered", token, Fault(method, "UNAVAILABLE", times=-1), "partial", repeated)
        yield Row("answered late", token, Fault(method, "UNAVAILABLE"), waits, 1 if token == DEPLOYMENT else 2)
        late = 1 if token in (MODEL, DEPLOYMENT) else 2
        yield Row("done, deadline exceeded", token, Fault(method, "DEADLINE_EXCEEDED", phase="after"), waits, late)
        rate = Fault(method, "RESOURCE_EXHAUSTED", "Quota exceeded: requests per minute", more={"retry_after": 0.01})
        yield Row("rate limit with a time", token, rate, "done", 2)
        stockout = Fault(method, "RESOURCE_EXHAUSTED", "There is no more capacity in the zone")
        yield Row("stockout at the call", token, stockout, "partial" if token == DEPLOYMENT else "error", 1)
    for token, kind in OPERATIONS.items():
        stockout = Fault(kind, "RESOURCE_EXHAUSTED", "There is no more capacity in the zone")
        end: End = "error" if token == ENDPOINT else "partial"  # a refusal: of an endpoint nothing is left
        yield Row("stockout later", token, stockout, end, 1)


@pytest.mark.parametrize("row", list(rows()), ids=lambda row: row.id)
async def test_create_under_a_fault_ends_and_the_next_run_converges(stack: Stack, emulator: Emulator, row: Row) -> None:
    bench = Bench(stack, emulator, row.token)
    args = await bench.args({})
    row.fault.arrange(emulator)
    await bench.attempt("create", args)
    asked = calls(emulator, MAKES[row.token])
    emulator.control.clear_faults()

    after = await bench.settled(args)

    tracked = bench.end != "error"
    assert (bench.end, asked, after) == (row.end, row.calls, (1, {}, [])), bench.message
    assert tracked or row.fault.message in bench.message


def calls(emulator: Emulator, method: str) -> int:
    return sum(call["method"] == method for call in emulator.control.calls())


@pytest.mark.parametrize(("times", "asked"), [(2, 3), (CONFLICTS, CONFLICTS + 1), (-1, CONFLICTS + 1)])
async def test_stale_etag_is_read_again_so_many_times(stack: Stack, emulator: Emulator, times: int, asked: int) -> None:
    await stack.up(ENDPOINT, "e", endpoint())
    emulator.control.fail("UpdateEndpoint", "ABORTED", "etag", times=times)
    bench = Bench(stack, emulator, ENDPOINT)

    await bench.attempt("update", endpoint(**{"labels.team": "b"}))

    assert (bench.end, calls(emulator, "UpdateEndpoint")) == ("partial" if times < 0 else "done", asked)


@pytest.mark.parametrize("stage", STAGES)
async def test_deployment_that_fails_at_a_stage_leaves_the_split_and_is_tried_once(
    stack: Stack, emulator: Emulator, stage: str
) -> None:
    await served(stack)
    emulator.control.fail_operation("deploy_model", "FAILED_PRECONDITION", "died", stage=stage)
    emulator.control.clear_calls()
    with pytest.raises(InitFailedError, match="died"):
        await served(stack, IMAGE_2)
    after_failure = shares(emulator), calls(emulator, "DeployModel")

    await served(stack, IMAGE_2)

    assert (after_failure, shares(emulator)) == (({"1": 100}, 1), {"2": 100})


async def test_container_that_never_becomes_healthy_gets_no_requests(stack: Stack) -> None:
    sick = {"registry/digits:2": Launch(builtin="unhealthy")}
    with Emulator(least(images=sick, health_timeout=0.1)).running() as emulator:
        await stack.wire.configure(**settings(emulator))
        await served(stack)

        with pytest.raises(InitFailedError, match=r"deployedModels\.stable"):
            await served(stack, IMAGE_2)

        found = shares(emulator), calls(emulator, "DeployModel")
        assert stack.wire.provider is not None
        await stack.wire.provider.google.close()
    assert found == ({"1": 100}, 2)


async def test_slices_that_never_become_ready_are_tracked_and_asked_for_once(stack: Stack, emulator: Emulator) -> None:
    emulator.control.hold("qr_provisioning")
    urn = urn_of(QUEUED_RESOURCE, "r")
    inputs = await stack.wire.checked(urn, collection())

    with pytest.raises(InitFailedError, match="0 of 3 slices ready") as failed:
        await stack.wire.create(urn, inputs, seconds=0.3)

    emulator.control.release("qr_provisioning")
    stack.states[urn] = failed.value.state
    await stack.up(QUEUED_RESOURCE, "r", collection())
    assert (calls(emulator, "CreateQueuedResource"), count(emulator, QUEUED_RESOURCE)) == (1, 1)


@pytest.mark.unmet_faults  # it only keeps the wait from a look at a moment that a look seldom falls into
@pytest.mark.parametrize(("on_suspended", "steps"), [("KEEP", ["same"]), ("REPLACE", ["delete-replaced", "create"])])
async def test_preemption_in_mid_wait_is_told_and_tracked(
    stack: Stack, emulator: Emulator, on_suspended: str, steps: list[str]
) -> None:
    """It was ACTIVE between two looks only. KEEP leaves it to the user, REPLACE asks again with the next run."""
    args, control = collection(onSuspended=on_suspended), emulator.control
    control.hold("qr_provisioning")
    waiting = asyncio.ensure_future(stack.up(QUEUED_RESOURCE, "r", args))
    while await asyncio.to_thread(calls, emulator, GET) < 3:
        pass
    control.fail(GET, "INTERNAL", times=-1)
    control.release("qr_provisioning")
    while (await asyncio.to_thread(control.objects))["queuedResources"][0]["state"] != "ACTIVE":
        pass
    control.preempt(control.objects()["queuedResources"][0]["name"])
    control.clear_faults()
    with pytest.raises(InitFailedError, match="suspended by Google"):
        await waiting
    done, bench = len(stack.steps), Bench(stack, emulator, QUEUED_RESOURCE)

    await bench.attempt("update", args)

    assert (stack.steps[done:], count(emulator, QUEUED_RESOURCE), bench.end) == (steps, 1, "done")


@pytest.mark.parametrize("code", ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED"])
async def test_wait_for_slices_outlives_looks_that_fail(stack: Stack, emulator: Emulator, code: str) -> None:
    after = 0.01 if code == "RESOURCE_EXHAUSTED" else 0
    emulator.control.fail(GET, code, "requests per minute", times=3, skip=1, retry_after=after)

    state = await stack.up(QUEUED_RESOURCE, "r", collection())

    assert (state.properties["state"]["state"], calls(emulator, "CreateQueuedResource")) == ("ACTIVE", 1)


@pytest.mark.parametrize("code", ["PERMISSION_DENIED", "UNAUTHENTICATED"])
async def test_wait_for_slices_ends_where_looks_are_denied(stack: Stack, emulator: Emulator, code: str) -> None:
    emulator.control.fail(GET, code, "no", times=-1, skip=1)

    with pytest.raises(InitFailedError, match=code) as failed:
        await stack.up(QUEUED_RESOURCE, "r", collection())

    assert failed.value.state.id


async def test_wait_for_slices_ends_where_the_request_is_gone(stack: Stack, emulator: Emulator) -> None:
    """Seen once, it is not on its way any more."""
    emulator.control.hold("qr_waiting")
    emulator.control.fail(GET, "NOT_FOUND", "gone", skip=2)

    with pytest.raises(InitFailedError, match="NOT_FOUND"):
        await stack.up(QUEUED_RESOURCE, "r", collection())


@pytest.mark.parametrize("fault", ["stalled", "truncated"])
async def test_wait_for_slices_outlives_answers_that_do_not_come_whole(
    stack: Stack, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(queued_resource, "LOOK", Patience(tries=1, seconds=0.2))
    emulator.control.hold("qr_waiting")
    async with front(emulator.address) as between:
        url = f"http://{between.address}"
        await stack.wire.configure(endpoints={"tpu": url, "aiplatform": url})
        waiting = asyncio.ensure_future(stack.up(QUEUED_RESOURCE, "r", collection()))
        await looked(between, waiting, 3)
        getattr(between, fault).add(GET)
        await looked(between, waiting, 6)
        getattr(between, fault).clear()
        emulator.control.release("qr_waiting")

        state = await waiting

        assert stack.wire.provider is not None
        await stack.wire.provider.google.close()
    assert (state.properties["state"]["state"], calls(emulator, "CreateQueuedResource")) == ("ACTIVE", 1)


@pytest.mark.parametrize(
    ("token", "inputs", "method"),
    [(MODEL, model(), "UploadModel"), (ENDPOINT, endpoint(), "CreateEndpoint")],
    ids=["UploadModel", "CreateEndpoint"],
)
async def test_operation_whose_beginning_does_not_come_whole_is_begun_once(
    stack: Stack, emulator: Emulator, token: str, inputs: dict[str, Any], method: str
) -> None:
    async with front(emulator.address) as between:
        url = f"http://{between.address}"
        await stack.wire.configure(endpoints={"tpu": url, "aiplatform": url})
        between.truncated.add(method)
        told = await message_of(stack.up(token, "r", inputs))
        between.truncated.clear()

        await stack.up(token, "r", inputs)

        assert stack.wire.provider is not None
        await stack.wire.provider.google.close()
    assert calls(emulator, method) == 1
    assert "a bug in tpuserve" not in told


async def message_of(step: Awaitable[Any]) -> str:
    """The error that it ends in, if it does."""
    try:
        await step
    except (WireError, InitFailedError) as error:
        return str(error)
    return ""


async def looked(between: Front, waiting: asyncio.Future[Any], times: int) -> None:
    """Until the request was looked at so many times, or nobody looks any more."""
    while not waiting.done() and [method for method, _ in between.seen].count(GET) < times:
        await asyncio.wait({waiting}, timeout=0.01)


async def test_slices_on_several_pages_are_all_listed(stack: Stack, emulator: Emulator) -> None:
    """A page has at most 100 of them."""
    many = collection(**{"tpu.nodeSpec.0.multiNodeParams.nodeCount": 101})

    state = await stack.up(QUEUED_RESOURCE, "r", many)

    tokens = [call["request"].get("pageToken") for call in emulator.control.calls() if call["method"] == "ListNodes"]
    assert (len(state.properties["nodes"]), tokens[-2:]) == (101, [None, "100"])


CHANGES: dict[str, dict[str, Any]] = {
    QUEUED_RESOURCE: {"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2},
    MODEL: {"containerSpec.imageUri": "registry/digits:2"},
    ENDPOINT: {"labels.team": "b"},
    DEPLOYMENT: {"image": 2},
}
each_token = pytest.mark.parametrize("token", MAKES, ids=lambda token: token.rpartition(":")[2])
each_lag = pytest.mark.parametrize("lag", [1, 3])


@each_lag
@each_token
async def test_reads_behind_a_change_make_nothing_twice(stack: Stack, emulator: Emulator, token: str, lag: int) -> None:
    """Created, changed, deleted, each with reads that answer as before."""
    emulator.control.set("lag", lag)
    bench = Bench(stack, emulator, token)
    await bench.up(await bench.args({}))
    made = count(emulator, token), calls(emulator, MAKES[token])
    changed = await bench.args(CHANGES[token])
    await bench.up(changed)
    emulator.control.set("lag", 0)

    after = await bench.settled(changed)
    await stack.remove(token, NAMES[token])

    assert (made, after, count(emulator, token)) == ((1, 1), (1, {}, []), 0)
