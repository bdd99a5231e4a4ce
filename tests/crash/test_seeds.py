"""Kill and resume, thirty times at random; `make crash` goes through all of it."""

from pathlib import Path

import msgspec
import pytest

from tests.crash.boundaries import Boundary
from tests.crash.draw import drawn
from tests.crash.workers import Worker

KNOWN = msgspec.json.decode(Path(__file__).with_name("boundaries.json").read_bytes(), type=dict[str, list[Boundary]])
"""The boundaries as they were recorded; `make crash` records them anew."""
# Two groups, each with a worker of its own: what a scenario starts from is brought up once in each.
SEEDS = [pytest.param(seed, marks=pytest.mark.xdist_group(f"crash-{seed % 2}")) for seed in range(30)]


@pytest.mark.engine
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_or_doubled_after_a_kill(worker: Worker, seed: int) -> None:
    outcome = worker.killed(drawn(seed, KNOWN.__getitem__))

    assert not outcome.faults, outcome.told()
