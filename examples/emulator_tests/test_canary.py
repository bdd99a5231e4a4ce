"""What the script does, and what it does when Google does not answer."""

from typing import Any

import canary
import pytest
from google.api_core.exceptions import Aborted

from tpuserve.emulator import Emulator


def test_the_canary_gets_its_share(endpoints: Any, serving: str) -> None:
    canary.give(endpoints, serving, "2", 10)

    assert dict(endpoints.get_endpoint(name=serving).traffic_split) == {"1": 90, "2": 10}


def test_a_service_that_is_away_for_a_moment_is_asked_again(
    endpoints: Any, serving: str, tpuserve_emulator: Emulator
) -> None:
    tpuserve_emulator.control.fail("UpdateEndpoint", "UNAVAILABLE", times=2)

    assert canary.give(endpoints, serving, "2", 10) == {"1": 90, "2": 10}


def test_a_split_that_somebody_else_moves_is_not_overwritten(
    endpoints: Any, serving: str, tpuserve_emulator: Emulator
) -> None:
    tpuserve_emulator.control.fail("UpdateEndpoint", "ABORTED", "The etag is stale.")

    with pytest.raises(Aborted):
        canary.give(endpoints, serving, "2", 10)
    assert dict(endpoints.get_endpoint(name=serving).traffic_split) == {"1": 100, "2": 0}
