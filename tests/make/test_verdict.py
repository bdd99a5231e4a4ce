"""Whether what is served is what was trained."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.local.answers import Answers
from tools.local.verdict import TOLERANCE, largest_difference, verdict

TRUTH = list(range(10)) * 2
LOGITS = tuple(tuple(float(digit == true) for digit in range(10)) for true in TRUTH)
OFFLINE = Answers("offline", "", tuple(TRUTH), LOGITS)
SERVED = replace(OFFLINE, who="digits-0", address="127.0.0.1:1")


def with_wrong(answers: Answers, count: int) -> Answers:
    return replace(answers, digits=tuple((digit + 1) % 10 if i < count else digit for i, digit in enumerate(TRUTH)))


def test_same_answers_have_no_fault() -> None:
    assert verdict(SERVED, OFFLINE, TRUTH).fault == ""


def test_95_of_100_is_enough() -> None:
    assert verdict(with_wrong(SERVED, 1), with_wrong(OFFLINE, 1), TRUTH).fault == ""


def test_fewer_is_a_fault() -> None:
    fault = verdict(with_wrong(SERVED, 2), with_wrong(OFFLINE, 2), TRUTH).fault

    assert fault == "18 of 20 right, at least 95% are needed"


def test_another_count_than_offline_is_a_fault() -> None:
    assert verdict(with_wrong(SERVED, 1), OFFLINE, TRUTH).fault == "19 of 20 right, offline it is 20"


def test_missing_answers_are_a_fault() -> None:
    served = replace(SERVED, digits=SERVED.digits[:-1], logits=SERVED.logits[:-1])

    assert verdict(served, OFFLINE, TRUTH).fault == "19 answers to 20 questions"


def test_no_answer_is_told_in_its_own_words() -> None:
    served = Answers("digits-0", "", fault="connection refused")

    assert verdict(served, OFFLINE, TRUTH).fault == "connection refused"


@given(st.floats(min_value=TOLERANCE * 1.01, max_value=1e3))
def test_other_logits_are_a_fault(shift: float) -> None:
    first, *rest = SERVED.logits
    served = replace(SERVED, logits=((first[0] + shift, *first[1:]), *rest))

    assert "logits differ from the offline model's by" in verdict(served, OFFLINE, TRUTH).fault


@given(st.floats(min_value=0, max_value=TOLERANCE * 0.99))
def test_logits_within_tolerance_are_the_same(shift: float) -> None:
    first, *rest = SERVED.logits
    served = replace(SERVED, logits=((first[0] - shift, *first[1:]), *rest))

    assert verdict(served, OFFLINE, TRUTH).fault == ""


@pytest.mark.parametrize("ours", [[[math.nan]], [[math.inf]], [], [[1.0, 1.0]]])
def test_no_number_and_another_shape_are_never_close(ours: list[list[float]]) -> None:
    assert largest_difference(ours, [[1.0]]) == math.inf
