"""Outputs are made outside a running loop here, and Pulumi takes the thread's: each test gets one of its own."""

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """A current event loop, whatever `asyncio.run` in another test has left behind."""
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        yield
        asyncio.set_event_loop(None)
