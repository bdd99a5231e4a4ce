"""Each step of each resource with a fault before, during and after: its end, what is tracked, what the next run does.

Before: the call is refused, or never answered. During: the operation fails. After: the answer is lost after the commit.
Stops and timeouts at each step are test_wire_stops.py's table, kills those of tests/crash, and the words of an error
those of tests/unit/catalog. A Deployment's own order under faults is in test_wire_deployment.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE
from tests.wire.stack import Stack
from tests.wire.subjects import IMAGE_2, Bench, End, Fault, broken, count, lost, refused, silent
from tpuserve.emulator import Emulator

Tracked = Literal["nothing", "old", "new"]


@dataclass(frozen=True)
class Row:
    """One step of one resource, what goes wrong, and the end that is expected."""

    token: str
    step: str
    when: str
    fault: Fault
    end: End
    tracked: Tracked
    objects: int
    error: str = ""
    """Words of the message."""
    first: dict[str, Any] = field(default_factory=dict)
    """Arguments before the step."""
    then: dict[str, Any] = field(default_factory=dict)
    """Arguments of the step."""
    met: bool = True
    """Whether the step comes to the call at all."""

    @property
    def id(self) -> str:
        return f"{self.token.rpartition(':')[2]}-{self.step}-{self.when}-{self.fault.name}-{self.fault.code}"


@dataclass(frozen=True)
class Kind:
    """The calls and operations of one resource's steps, and the changes behind them."""

    create: str
    making: str
    get: str
    update: str
    delete: str
    removing: str
    update_args: dict[str, Any]
    replace_args: dict[str, Any]


KINDS = {
    QUEUED_RESOURCE: Kind(
        "CreateQueuedResource",
        "qr_waiting",
        "GetQueuedResource",
        "GetQueuedResource",
        "DeleteQueuedResource",
        "delete_queued_resource",
        {"waitFor": "ACTIVE"},
        {"tpu.nodeSpec.0.multiNodeParams.nodeCount": 2},
    ),
    MODEL: Kind(
        "UploadModel",
        "upload_model",
        "GetModel",
        "UpdateModel",
        "DeleteModel",
        "delete_model",
        {"description": "better"},
        {"recreate": "again"},
    ),
    ENDPOINT: Kind(
        "CreateEndpoint",
        "create_endpoint",
        "GetEndpoint",
        "UpdateEndpoint",
        "DeleteEndpoint",
        "delete_endpoint",
        {"labels.team": "b"},
        {"dedicatedEndpointEnabled": True, "allowReplace": True},
    ),
    DEPLOYMENT: Kind(
        "DeployModel",
        "deploy_model",
        "GetEndpoint",
        "UpdateEndpoint",
        "UndeployModel",
        "undeploy_model",
        {"image": 2},
        {"endpoint": "e2"},
    ),
}
TIMEOUT = {"dedicatedEndpointEnabled": True, "clientConnectionConfig": {"inferenceTimeout": "90s"}}
"""An endpoint's only change that is an operation."""


def hopeless(kind: str) -> Fault:
    """The operation ends in an error that another try would meet again."""
    return Fault(kind, "FAILED_PRECONDITION")


def unanswered(token: str) -> tuple[End, Tracked]:
    """A deployment sent twice would be two: where its answer is lost, the next run looks at what runs (rule 4)."""
    return ("partial" if token == DEPLOYMENT else "done"), "new"


def creates(token: str, kind: Kind) -> Iterator[Row]:
    """A refusal made nothing; where there is no answer the object may exist, so its id is tracked."""
    claimed: Tracked = "new" if token == DEPLOYMENT else "nothing"
    no: End = "partial" if token == DEPLOYMENT else "error"  # its claim is on the endpoint by then
    failed = 1 if token == QUEUED_RESOURCE else 0  # a FAILED request stays, and is charged
    yield Row(token, "create", "before", refused(kind.create), no, claimed, 0, "PERMISSION_DENIED")
    yield Row(token, "create", "before", silent(kind.create), "partial", "new", 0, "UNAVAILABLE")
    yield Row(token, "create", "after", lost(kind.create), *unanswered(token), 1)
    if token == MODEL:  # an upload that breaks is tried again, for it made nothing
        yield Row(token, "create", "during", broken(kind.making), "done", "new", 1)
        yield Row(token, "create", "during", hopeless(kind.making), "error", "nothing", 0, "told to fail")
    else:
        yield Row(token, "create", "during", broken(kind.making), "partial", "new", failed, "told to fail")


def same(token: str, kind: Kind) -> Iterator[Row]:
    """A run without a change sends nothing that could fail, but for the read of what is refreshed first."""
    read = token != MODEL
    end: End = "error" if read else "done"
    for fault in (refused(kind.get), silent(kind.get)):
        yield Row(token, "no-op", "before", fault, end, "old", 1, fault.code if read else "", met=read)
    for method in sorted({kind.create, kind.delete, kind.update} - {kind.get}):
        yield Row(token, "no-op", "before", silent(method), "done", "old", 1, met=False)


def reads(token: str, kind: Kind) -> Iterator[Row]:
    """What cannot be read is neither taken over nor gone."""
    ends: tuple[tuple[str, Tracked, Tracked], ...] = (("import", "nothing", "new"), ("refresh", "old", "old"))
    for step, known, kept in ends:
        for fault in (refused(kind.get), silent(kind.get)):
            yield Row(token, step, "before", fault, "error", known, 1, fault.code)
        yield Row(token, step, "after", lost(kind.get), "done", kept, 1)


def deletes(token: str, kind: Kind) -> Iterator[Row]:
    yield Row(token, "delete", "before", refused(kind.delete), "error", "old", 1, "PERMISSION_DENIED")
    yield Row(token, "delete", "before", silent(kind.delete), "error", "old", 1, "UNAVAILABLE")
    yield Row(token, "delete", "after", lost(kind.delete), "done", "nothing", 0)
    if token != QUEUED_RESOURCE:  # watched by its own state: how the operation ends is not asked
        yield Row(token, "delete", "during", broken(kind.removing), "error", "old", 1, "told to fail")


def replacements(token: str, kind: Kind) -> Iterator[Row]:
    """The old one goes on until the new one is there; what is left of it goes with the next run."""
    change: dict[str, Any] = {"then": kind.replace_args}
    failed = 2 if token == QUEUED_RESOURCE else 1
    claimed: Tracked = "new" if token == DEPLOYMENT else "old"
    no: End = "partial" if token == DEPLOYMENT else "error"
    yield Row(token, "replace", "before", refused(kind.create), no, claimed, 1, "PERMISSION_DENIED", **change)
    yield Row(token, "replace", "before", silent(kind.create), "partial", "new", 1, "UNAVAILABLE", **change)
    if token == MODEL:
        yield Row(token, "replace", "during", broken(kind.making), "done", "new", 1, **change)
        yield Row(token, "replace", "during", hopeless(kind.making), "error", "old", 1, "told to fail", **change)
    else:
        yield Row(token, "replace", "during", broken(kind.making), "partial", "new", failed, "told to fail", **change)
    yield Row(token, "replace", "during", refused(kind.delete), "error", "new", 2, "PERMISSION_DENIED", **change)
    yield Row(token, "replace", "during", silent(kind.delete), "error", "new", 2, "UNAVAILABLE", **change)
    begun = 2 if token == DEPLOYMENT else 1
    yield Row(token, "replace", "after", lost(kind.create), *unanswered(token), begun, **change)
    yield Row(token, "replace", "after", lost(kind.delete), "done", "new", 1, **change)


def updates(token: str, kind: Kind) -> Iterator[Row]:
    change: dict[str, Any] = {"then": kind.update_args}
    begun = 2 if token == DEPLOYMENT else 1
    if token == QUEUED_RESOURCE:  # nothing is sent: another state is waited for
        change["first"] = {"waitFor": "PROVISIONING"}
    no: End = "error" if token == QUEUED_RESOURCE else "partial"  # it is read first
    yield Row(token, "update", "before", refused(kind.update), no, "old", begun, "PERMISSION_DENIED", **change)
    yield Row(token, "update", "before", silent(kind.update), no, "old", begun, "UNAVAILABLE", **change)
    yield Row(token, "update", "after", lost(kind.update), "done", "old", 1, **change)


def operations() -> Iterator[Row]:
    """Updates that are operations."""
    for token, first, then in (
        (MODEL, {}, IMAGE_2),
        (ENDPOINT, {"dedicatedEndpointEnabled": True}, TIMEOUT),
        (DEPLOYMENT, {}, {"image": 2}),
    ):
        method, kind = {
            MODEL: ("UploadModel", "upload_model"),
            ENDPOINT: ("UpdateEndpointLongRunning", "update_endpoint"),
            DEPLOYMENT: ("DeployModel", "deploy_model"),
        }[token]
        change: dict[str, Any] = {"first": first, "then": then}
        yield Row(token, "update", "before", refused(method), "partial", "old", 1, "PERMISSION_DENIED", **change)
        yield Row(token, "update", "before", silent(method), "partial", "old", 1, "UNAVAILABLE", **change)
        yield Row(token, "update", "during", hopeless(kind), "partial", "old", 1, "told to fail", **change)
        end, there = ("partial", 2) if token == DEPLOYMENT else ("done", 1)
        yield Row(token, "update", "after", lost(method), end, "old", there, **change)


STEPS = (creates, same, updates, reads, replacements, deletes)
ROWS = [*(row for rows in STEPS for token, kind in KINDS.items() for row in rows(token, kind)), *operations()]


async def failed(stack: Stack, emulator: Emulator, row: Row) -> tuple[Bench, str, dict[str, Any]]:
    """The row's step, after it has ended: the bench, the id of before and the step's arguments."""
    bench = Bench(stack, emulator, row.token)
    then = await bench.args(row.first | row.then)
    before = ""
    if row.step != "create":
        await bench.up(await bench.args(row.first))
        then = await bench.args(row.first | row.then)
        assert bench.state is not None
        before = bench.state.id
    if row.step == "import":
        del stack.states[bench.urn]
    emulator.control.clear_calls()
    row.fault.arrange(emulator)
    await bench.attempt(row.step, then, before)
    return bench, before, then


def case(row: Row) -> Any:
    return pytest.param(row, id=row.id, marks=[] if row.met else [pytest.mark.unmet_faults])


@pytest.mark.parametrize("row", [case(row) for row in ROWS])
async def test_step_ends_as_the_table_says_and_the_next_run_converges(
    stack: Stack, emulator: Emulator, row: Row
) -> None:
    """The next run comes to exactly one object without a difference, and a further one changes nothing."""
    bench, before, args = await failed(stack, emulator, row)
    state = bench.state
    tracked = "nothing" if state is None else "old" if state.id == before and row.step != "import" else "new"
    found = bench.end, tracked, count(emulator, row.token)
    met = any(rule["hits"] for rule in emulator.control.rules())
    emulator.control.clear_faults()

    after = await next_run(bench, row, before, args)

    assert (*found, met) == (row.end, row.tracked, row.objects, row.met), bench.message
    assert row.error in bench.message
    assert after == ((0, {}, []) if row.step == "delete" else (1, {}, []))


async def next_run(bench: Bench, row: Row, before: str, args: dict[str, Any]) -> tuple[int, dict[str, str], list[str]]:
    """The same step again, where it failed, and then what has settled."""
    if row.step == "delete":
        if bench.state is not None:
            await bench.attempt("delete", args)
        return count(bench.emulator, row.token), {}, []
    if row.step == "import" and bench.state is None:
        await bench.attempt("import", args, before)
    return await bench.settled(args)


def test_every_step_of_every_resource_has_a_row() -> None:
    steps = ("create", "no-op", "update", "import", "refresh", "replace", "delete")

    assert {(row.token, row.step) for row in ROWS} == {(token, step) for token in KINDS for step in steps}
