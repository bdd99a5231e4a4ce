"""Cases that failed once, by name."""

import pytest

from tests.crash.boundaries import Boundary
from tests.crash.case import Case
from tests.crash.workers import Worker

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("crash-0")]


def test_an_orphan_that_has_the_slices_names_is_told_and_swept(worker: Worker) -> None:
    boundary = Boundary("CreateQueuedResource", 1, "after")

    outcome = worker.killed(Case("collection-delete-first", boundary, "engine", "changed"))

    assert outcome.advised
    assert not outcome.faults, outcome.told()


def test_what_a_deployment_unknown_to_the_state_left_is_swept(worker: Worker) -> None:
    """Killed with the plugin, a create leaves no pending operation: its claim alone tells whose it is."""
    boundary = Boundary("UpdateEndpoint:trafficSplit", 1, "after")

    outcome = worker.killed(Case("move", boundary, "plugin", "previous"))

    assert not outcome.faults, outcome.told()
