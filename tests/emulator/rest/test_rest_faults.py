"""Faults over HTTP: a status with its header, a line that is cut, half of a body."""

import http.client
from contextlib import closing

import pytest

from tests.emulator.google import LOCATION, Google
from tpuserve.emulator import Emulator

CUT = (ConnectionResetError, http.client.RemoteDisconnected)


def get(emulator: Emulator) -> tuple[int, str | None]:
    """Status and Retry-After, when the body was read whole."""
    with closing(http.client.HTTPConnection(emulator.addresses.rest, timeout=10)) as connection:
        connection.request("GET", f"/v1/{LOCATION}/models")
        with connection.getresponse() as answer:
            answer.read()
            return answer.status, answer.headers["Retry-After"]


def test_an_error_says_when_to_ask_again(cloud: Google, emulator: Emulator) -> None:
    cloud.control.fail("ListModels", "RESOURCE_EXHAUSTED", retry_after=5)

    assert get(emulator) == (429, "5")


def test_a_line_is_cut_before_the_answer(cloud: Google, emulator: Emulator) -> None:
    cloud.control.disturb("ListModels", "reset")

    with pytest.raises(CUT):
        get(emulator)


def test_half_of_an_answer_is_sent(cloud: Google, emulator: Emulator) -> None:
    cloud.control.disturb("ListModels", "truncate")
    with pytest.raises(http.client.IncompleteRead) as cut:
        get(emulator)

    assert (len(cut.value.partial), cut.value.expected) == (1, 2)


def test_a_call_after_a_cut_line_is_answered(cloud: Google, emulator: Emulator) -> None:
    cloud.control.disturb("ListModels", "reset")
    with pytest.raises(CUT):
        get(emulator)

    assert get(emulator) == (200, None)
