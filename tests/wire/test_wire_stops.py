"""A stop and the end of the time, at each step of each resource: what was begun is tracked, and the next run goes on.

Each row holds back one kind of operation, so that the step cannot end by itself.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from pulumi.runtime.proto import plugin_pb2

from tests.emulator.google import Google
from tests.wire.conftest import settings
from tests.wire.harness import InitFailedError, State, WireError, plugin
from tests.wire.processes import Screen, screen
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, QUEUED_RESOURCE, collection, deployment, endpoint, model
from tests.wire.stack import Stack, served, urn_of
from tpuserve.emulator import Emulator
from tpuserve.provider import timeouts
from tpuserve.provider.server import LIFECYCLES

DEDICATED = {"dedicatedEndpointEnabled": True}
SLOWER = {"clientConnectionConfig": {"inferenceTimeout": "60s"}}
"""The one change of an endpoint that is an operation."""
SHORT = 0.3
"""Seconds that a step is given which would never end."""
STOP_SECONDS = 5
"""What an engine that was interrupted waits for at most, before whoever interrupted it kills it."""
NAMES = {QUEUED_RESOURCE: "r", MODEL: "m", ENDPOINT: "e", DEPLOYMENT: "d"}


@dataclass(frozen=True)
class Row:
    """One step of one resource, and the kind of operation that is held meanwhile."""

    token: str
    verb: str
    held: str
    operation: bool = True
    """Whether an operation of Google's is behind it, which the message then names."""

    @property
    def urn(self) -> str:
        return urn_of(self.token, NAMES[self.token])


ROWS = (
    Row(QUEUED_RESOURCE, "create", "qr_waiting"),
    Row(QUEUED_RESOURCE, "update", "qr_waiting", operation=False),
    Row(QUEUED_RESOURCE, "delete", "delete_queued_resource", operation=False),
    Row(MODEL, "create", "upload_model"),
    Row(MODEL, "update", "upload_model"),
    Row(MODEL, "delete", "delete_model"),
    Row(ENDPOINT, "create", "create_endpoint"),
    Row(ENDPOINT, "update", "update_endpoint"),
    Row(ENDPOINT, "delete", "delete_endpoint"),
    Row(DEPLOYMENT, "create", "deploy_model"),
    Row(DEPLOYMENT, "update", "deploy_model"),
    Row(DEPLOYMENT, "delete", "undeploy_model"),
)


@dataclass
class Bench:
    """A stack that an engine's screen watches."""

    stack: Stack
    emulator: Emulator
    screen: Screen

    async def args(self, row: Row) -> dict[str, Any]:
        """What the resource is to be, and everything it needs; brought up already where the step is not its create."""
        if row.token == DEPLOYMENT:
            return await self._deployment(row)
        first, later = {
            QUEUED_RESOURCE: (collection(waitFor="WAITING_FOR_RESOURCES"), collection()),
            MODEL: (model(), model(**{"containerSpec.imageUri": "registry/digits:2"})),
            ENDPOINT: (endpoint(**DEDICATED), endpoint(**DEDICATED, **SLOWER)),
        }[row.token]
        if row.verb == "create":
            return collection() if row.token == QUEUED_RESOURCE else first
        if row.token == QUEUED_RESOURCE and row.verb == "update":
            self.emulator.control.hold(row.held)
        await self.stack.up(row.token, NAMES[row.token], first)
        return later

    async def _deployment(self, row: Row) -> dict[str, Any]:
        if row.verb != "create":
            await served(self.stack)
        image = "registry/digits:1" if row.verb == "create" else "registry/digits:2"
        made = await self.stack.up(MODEL, "m", model(**{"containerSpec.imageUri": image}))
        place = await self.stack.up(ENDPOINT, "e", endpoint())
        return deployment(place.properties["name"], made.properties["versionName"])

    async def step(self, row: Row, args: dict[str, Any], seconds: float = 0) -> None:
        """The request of the engine; a partial state of its answer is kept."""
        self.stack.new_run()
        wire, old = self.stack.wire, self.stack.states.get(row.urn)
        if row.verb == "delete":
            assert old
            await wire.delete(row.urn, old, seconds)
            return
        inputs = await wire.checked(row.urn, args, old)
        step = (
            wire.update(row.urn, old, inputs, seconds=seconds) if old else wire.create(row.urn, inputs, seconds=seconds)
        )
        await self._kept(row, step)

    async def _kept(self, row: Row, step: Awaitable[State]) -> None:
        try:
            self.stack.states[row.urn] = await step
        except InitFailedError as error:
            self.stack.states[row.urn] = error.state
            raise

    async def stopped(self, row: Row, args: dict[str, Any]) -> str:
        """What the step says when Ctrl-C comes while it waits."""
        self.screen.shown.clear()
        step = asyncio.ensure_future(self.step(row, args))
        await asyncio.wait({step, asyncio.ensure_future(self.screen.shown.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await self.stack.wire.cancel()
        with pytest.raises((InitFailedError, WireError)) as failed:
            await asyncio.wait_for(step, STOP_SECONDS)
        return str(failed.value)

    async def timed_out(self, row: Row, args: dict[str, Any]) -> str:
        """What the step says when its time is over."""
        with pytest.raises((InitFailedError, WireError)) as failed:
            await self.step(row, args, SHORT)
        return str(failed.value)

    async def goes_on(self, row: Row, args: dict[str, Any]) -> None:
        """The next run, in which nothing is held back any more."""
        self.emulator.control.release(row.held)
        if row.verb == "delete":
            await self.stack.remove(row.token, NAMES[row.token])
        else:
            await self.stack.up(row.token, NAMES[row.token], args)


Ends = Callable[[Bench, Row, dict[str, Any]], Awaitable[str]]
ENDS: dict[str, Ends] = {"stop": Bench.stopped, "timeout": Bench.timed_out}
each_end = pytest.mark.parametrize("end", ENDS)
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.token.rpartition(':')[2]}-{row.verb}")


@pytest_asyncio.fixture
async def bench(emulator: Emulator) -> AsyncIterator[Bench]:
    async with screen() as (shown, address), plugin() as wire:
        await wire.call("Attach", plugin_pb2.PluginAttach(address=address))
        await wire.configure(**settings(emulator))
        yield Bench(Stack(wire), emulator, shown)


@each_end
@each_row
async def test_what_was_begun_is_tracked_and_nothing_is_done_twice(bench: Bench, row: Row, end: str) -> None:
    args = await bench.args(row)
    bench.emulator.control.hold(row.held)
    bench.emulator.control.clear_calls()

    await ENDS[end](bench, row, args)
    tracked = bench.stack.states[row.urn].id
    await bench.goes_on(row, args)

    calls = bench.emulator.control.calls(mutating_only=True)
    changing = [call["method"] for call in calls if call["code"] == "OK"]
    # An endpoint is updated for the claim, and again for the split.
    repeated = {name for name in changing if changing.count(name) > 1} - {"UpdateEndpoint"}
    assert (bool(tracked), repeated) == (True, set())


@each_end
@pytest.mark.parametrize("row", [row for row in ROWS if row.operation], ids=lambda row: f"{row.token}-{row.verb}")
async def test_the_operation_that_goes_on_is_named(bench: Bench, row: Row, end: str) -> None:
    args = await bench.args(row)
    bench.emulator.control.hold(row.held)

    message = await ENDS[end](bench, row, args)

    [name] = re.findall(r": (projects/\S+/operations/\S+)$", message)
    client = Google(bench.emulator.address, bench.emulator.control)
    with client.channel:
        assert client.wait(name, seconds=0).name == name


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.verb != "delete"], ids=lambda row: f"{row.token}-{row.verb}"
)
async def test_the_time_given_is_what_it_waits(bench: Bench, row: Row) -> None:
    args = await bench.args(row)
    bench.emulator.control.hold(row.held)
    began = time.monotonic()

    message = await bench.timed_out(row, args)

    assert "the time it was given (customTimeouts)" in message
    assert SHORT <= time.monotonic() - began < STOP_SECONDS


def test_every_step_of_every_resource_has_a_time_of_its_own() -> None:
    steps = {(token, verb) for token in LIFECYCLES for verb in ("create", "update", "delete")}

    assert set(timeouts.DEFAULTS) == steps


def test_a_queue_and_a_deployment_have_the_hours_that_google_may_take() -> None:
    queue = timeouts.seconds(QUEUED_RESOURCE, "create", 0)
    deploy = timeouts.seconds(DEPLOYMENT, "create", 0)

    assert (queue >= 6 * timeouts.HOUR, deploy >= 3 * timeouts.HOUR) == (True, True)


def test_custom_timeouts_win() -> None:
    assert timeouts.seconds(QUEUED_RESOURCE, "create", 90) == 90
