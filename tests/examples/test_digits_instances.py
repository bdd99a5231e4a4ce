"""What a predict request may hold: all faults at once, each with its path."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.digits.instances import MAX_INSTANCES, SHOWN, MalformedRequestError, parse

BLANK = [0] * 64
PIXEL = st.integers(0, 16) | st.floats(0, 16)
NO_PIXEL = (
    st.none()
    | st.booleans()
    | st.text()
    | st.integers(max_value=-1)
    | st.integers(min_value=17)
    | st.floats(min_value=16, exclude_min=True)
    | st.just(float("nan"))
    | st.lists(PIXEL, max_size=1)
)


def faults(body: object) -> list[str]:
    with pytest.raises(MalformedRequestError) as refusal:
        parse(body if isinstance(body, bytes) else json.dumps(body).encode())
    return refusal.value.faults


@given(st.lists(st.lists(PIXEL, min_size=64, max_size=64), min_size=1, max_size=3))
def test_pictures_of_64_numbers_from_0_to_16_are_taken_as_they_are(pictures):
    assert parse(json.dumps({"instances": pictures}).encode()) == pictures


@given(st.integers(0, 63), NO_PIXEL)
def test_a_value_that_is_no_pixel_is_named_by_its_path(place, value):
    picture = [*BLANK[:place], value, *BLANK[place + 1 :]]

    (fault,) = faults({"instances": [BLANK, picture]})

    assert fault.startswith(f"instances[1][{place}]: ")


@given(st.binary(max_size=40))
def test_no_bytes_are_answered_with_anything_but_a_refusal(body):
    assert faults(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "body: not JSON (Expecting value: line 1 column 1 (char 0))"),
        (b"\xff", "body: not JSON"),
        (b"[" * 100_000, "body: not JSON"),
        ([], 'body: a list, an object {"instances": [...]} is needed'),
        ({}, "instances: missing, a list of pictures is needed"),
        ({"instances": None}, "instances: null, a list of pictures is needed"),
        ({"instances": "3"}, "instances: a string, a list of pictures is needed"),
        ({"instances": []}, "instances: 0 pictures, 1 to 1024 are allowed"),
        ({"instances": [{}]}, "instances[0]: an object, a list of 64 numbers is needed"),
        ({"instances": [BLANK[:63]]}, "instances[0]: 63 values, 64 are needed"),
        ({"instances": [[*BLANK[:63], 16.5]]}, "instances[0][63]: 16.5 is outside 0 to 16"),
        ({"instances": [[*BLANK[:63], True]]}, "instances[0][63]: a boolean, a number from 0 to 16 is needed"),
        ({"instances": [BLANK], "parameters": {"top": 1}}, "parameters: this model takes none"),
        ({"instances": [BLANK], "instance": []}, "instance: unknown, a request has instances only"),
    ],
)
def test_a_malformed_request_is_refused_with_path_value_and_what_is_allowed(body, expected):
    (fault,) = faults(body)

    assert fault.startswith(expected)


@pytest.mark.parametrize("parameters", [None, {}])
def test_empty_parameters_are_no_fault(parameters):
    assert parse(json.dumps({"instances": [BLANK], "parameters": parameters}).encode()) == [BLANK]


def test_more_pictures_than_allowed_are_refused():
    assert faults({"instances": [[]] * (MAX_INSTANCES + 1)}) == ["instances: 1025 pictures, 1 to 1024 are allowed"]


def test_all_faults_of_a_request_are_found_at_once():
    assert faults({"instances": [BLANK[:2], 7, [*BLANK[:63], -1]], "a": 1}) == [
        "a: unknown, a request has instances only",
        "instances[0]: 2 values, 64 are needed",
        "instances[1]: a number, a list of 64 numbers is needed",
        "instances[2][63]: -1 is outside 0 to 16",
    ]


def test_the_message_spells_out_the_first_faults_and_counts_the_rest():
    with pytest.raises(MalformedRequestError) as refusal:
        parse(json.dumps({"instances": [[17] * 64]}).encode())

    assert str(refusal.value).count("is outside") == SHOWN
    assert str(refusal.value).endswith("; and 44 more")
