"""Those who ask for the same at once share one reading, which began after each of them asked."""

from __future__ import annotations

import asyncio

import pytest

from tpuserve.together import Together


class Source:
    """Counts its readings; each ends when it is let go."""

    def __init__(self) -> None:
        self.readings = 0
        self.begun = asyncio.Event()
        self.gate = asyncio.Event()

    async def reading(self) -> int:
        self.readings += 1
        number = self.readings
        self.begun.set()
        await self.gate.wait()
        return number


async def test_one_alone_reads_each_time() -> None:
    together, source = Together(), Source()
    source.gate.set()

    assert [await together.read("nodes", source.reading) for _ in range(3)] == [1, 2, 3]


async def test_64_at_once_are_two_readings() -> None:
    together, source = Together(), Source()
    asked = [asyncio.ensure_future(together.read("nodes", source.reading)) for _ in range(64)]
    await source.begun.wait()
    source.gate.set()

    assert sorted(await asyncio.gather(*asked)) == [1] + [2] * 63


async def test_who_asks_while_something_is_read_is_told_what_is_read_afterwards() -> None:
    together, source = Together(), Source()
    first = asyncio.ensure_future(together.read("nodes", source.reading))
    await source.begun.wait()
    later = asyncio.ensure_future(together.read("nodes", source.reading))
    source.gate.set()

    assert (await first, await later) == (1, 2)


async def test_different_things_do_not_wait_for_each_other() -> None:
    together, stuck, source = Together(), Source(), Source()
    waiting = asyncio.ensure_future(together.read("nodes", stuck.reading))
    await stuck.begun.wait()
    source.gate.set()

    assert await together.read("versions", source.reading) == 1
    stuck.gate.set()
    assert await waiting == 1


async def test_one_that_is_stopped_takes_nothing_from_the_others() -> None:
    together, source = Together(), Source()
    stopped, other = (asyncio.ensure_future(together.read("nodes", source.reading)) for _ in range(2))
    await source.begun.wait()
    stopped.cancel()
    await asyncio.gather(stopped, return_exceptions=True)
    source.gate.set()

    assert (stopped.cancelled(), await other) == (True, 2)


async def test_a_failure_reaches_all_who_wait_for_it_and_no_one_after() -> None:
    together, source = Together(), Source()
    source.gate.set()

    async def failing() -> int:
        raise OSError("broken")

    asked = [together.read("nodes", failing) for _ in range(3)]

    assert [str(found) for found in await asyncio.gather(*asked, return_exceptions=True)] == ["broken"] * 3
    assert await together.read("nodes", source.reading) == 1


async def test_closing_ends_what_is_being_read_and_what_would_follow() -> None:
    together, source = Together(), Source()
    asked = [asyncio.ensure_future(together.read("nodes", source.reading)) for _ in range(2)]
    await source.begun.wait()
    await together.close()

    for waiting in asked:
        with pytest.raises(asyncio.CancelledError):
            await waiting
