"""Requests generated from the schemas: the emulator fails at none, and every answer fits its schema.

`make requests` sends 10,000.
"""

import pytest

from tests.emulator.rest.flood import Flood, flooded

REQUESTS = 600


@pytest.fixture(scope="module")
def flood() -> Flood:
    return flooded(REQUESTS, seed=7)


def test_none_makes_the_emulator_fail(flood: Flood) -> None:
    assert flood.failures == []


def test_half_of_them_get_past_validation(flood: Flood) -> None:
    refused = sum(found["INVALID_ARGUMENT"] for found in flood.answers.values())

    assert refused < REQUESTS / 2


def test_every_method_is_asked(flood: Flood) -> None:
    assert min(found.total() for found in flood.answers.values()) >= REQUESTS // len(flood.answers)


def test_some_are_done_and_some_refused(flood: Flood) -> None:
    statuses = {status for found in flood.answers.values() for status in found}

    assert {"OK", "INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"} <= statuses
