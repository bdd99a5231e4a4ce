"""A request of the engine: work races against a stop and against the time it was given."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.provider.virtual_time import run
from tpuserve.google import Google
from tpuserve.provider import timeouts
from tpuserve.provider.call import Call, Cancelled, TimedOut
from tpuserve.provider.config import ProviderConfig

JITTER = 0.2


async def unheard(line: str, ephemeral: bool) -> None:
    pass


def in_a_call(work: Callable[[Call], Awaitable[Any]], timeout: float = 3600.0) -> tuple[Any, float]:
    """Run `work` with a call; its result, and the seconds it took."""

    async def whole() -> Any:
        clock = asyncio.get_running_loop().time
        config = ProviderConfig("p", "us-east5", "us-east5-b", "a" * 20)
        stop = asyncio.Event()
        return await work(Call("urn:pulumi:s::p::t::name", config, Google(), unheard, stop, timeout, clock=clock))

    return run(whole())


async def after(seconds: float, call: Call) -> None:
    await asyncio.sleep(seconds)
    call.cancelled.set()


def test_work_that_ends_gives_its_result() -> None:
    assert in_a_call(lambda call: call.race(asyncio.sleep(5, "done"))) == ("done", 5.0)


def test_work_that_fails_gives_its_error() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        in_a_call(lambda call: call.race(fail()))


def test_stop_ends_the_wait_at_once() -> None:
    async def work(call: Call) -> None:
        stopping = asyncio.ensure_future(after(2, call))
        with pytest.raises(Cancelled):
            await call.race(asyncio.sleep(100))
        await stopping

    assert in_a_call(work)[1] == 2.0


def test_after_a_stop_nothing_begins() -> None:
    begun: list[str] = []

    async def begin() -> None:
        begun.append("begun")

    async def work(call: Call) -> None:
        call.cancelled.set()
        with pytest.raises(Cancelled):
            await call.race(begin())

    in_a_call(work)

    assert begun == []


def test_work_that_is_stopped_is_cancelled() -> None:
    ended: list[str] = []

    async def long() -> None:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def work(call: Call) -> None:
        stopping = asyncio.ensure_future(after(1, call))
        with pytest.raises(Cancelled):
            await call.race(long())
        await stopping

    in_a_call(work)

    assert ended == ["cancelled"]


def test_time_is_over_for_the_whole_call_and_not_for_one_wait() -> None:
    async def work(call: Call) -> None:
        await call.pause(6)
        with pytest.raises(TimedOut):
            await call.pause(6)

    assert in_a_call(work, timeout=10)[1] == 10.0


@given(st.floats(0, 10_000))
def test_pause_between_polls_is_5_percent_of_the_time_elapsed_within_bounds(elapsed: float) -> None:
    async def work(call: Call) -> float:
        since = call.clock() - elapsed
        began = call.clock()
        await call.poll_pause(since)
        return call.clock() - began

    took, _ = in_a_call(work)

    wanted = 0.1 if elapsed < 1 else min(max(0.05 * elapsed, 1.0), 15.0)
    assert wanted * (1 - JITTER) - 1e-6 <= took <= wanted * (1 + JITTER) + 1e-6


@pytest.mark.parametrize(("seconds", "text"), [(0, "0 s"), (59, "59 s"), (60, "1 min 0 s"), (3725, "62 min 5 s")])
def test_time_for_people(seconds: int, text: str) -> None:
    async def work(call: Call) -> str:
        await call.pause(seconds)
        return call.elapsed()

    assert in_a_call(work, timeout=10_000)[0] == text


def test_origin_is_the_urn_until_the_state_knows_one() -> None:
    async def work(call: Call) -> tuple[str, str]:
        return call.identity().origin, call.identity("older").origin

    assert in_a_call(work)[0] == ("urn:pulumi:s::p::t::name", "older")


@pytest.mark.parametrize(
    ("token", "verb", "given_seconds", "limit"),
    [
        ("tpuserve:tpu:QueuedResource", "create", 0, 6 * 3600),
        ("tpuserve:tpu:QueuedResource", "create", 60, 60),
        ("tpuserve:vertex:Deployment", "update", 0, 3 * 3600),
        ("tpuserve:vertex:Endpoint", "create", 0, 1800),
    ],
)
def test_timeout(token: str, verb: str, given_seconds: float, limit: float) -> None:
    assert timeouts.seconds(token, verb, given_seconds) == limit
