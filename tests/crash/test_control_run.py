"""The counter is awake: without an owner id nothing can be found again, and it says so."""

import pytest

from tests.crash.boundaries import Boundary
from tests.crash.case import Case
from tests.crash.workers import Worker


@pytest.mark.engine
def test_a_stack_without_an_owner_id_serves_twice_after_a_kill(ownerless: Worker) -> None:
    boundary = Boundary("DeployModel", 1, "after")

    outcome = ownerless.killed(Case("create", boundary, "engine", "same"))

    assert any(fault.startswith("too many: 2 deployed models") for fault in outcome.faults), outcome.told()
