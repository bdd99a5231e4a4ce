"""Whether what is served is what was trained: counts and logits of each server against the model run offline."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.local.answers import Answers

TOLERANCE = 1e-5
LEAST_RIGHT = 0.95


@dataclass(frozen=True, slots=True)
class Verdict:
    """One server's result; `fault` is empty if all is as it should be."""

    who: str
    right: int
    asked: int
    difference: float
    fault: str


def verdict(answers: Answers, offline: Answers, truth: Sequence[int]) -> Verdict:
    """Judge one server: it answers, enough is right, the same count as offline, the same logits within 1e-5."""
    asked, right = len(truth), count_right(answers.digits, truth)
    expected = count_right(offline.digits, truth)
    difference = largest_difference(answers.logits, offline.logits)
    fault = answers.fault
    if not fault and len(answers.digits) != asked:
        fault = f"{len(answers.digits)} answers to {asked} questions"
    elif not fault and right < LEAST_RIGHT * asked:
        fault = f"{right} of {asked} right, at least {LEAST_RIGHT:.0%} are needed"
    elif not fault and right != expected:
        fault = f"{right} of {asked} right, offline it is {expected}"
    elif not fault and difference > TOLERANCE:
        fault = f"logits differ from the offline model's by {difference:.1e}, at most {TOLERANCE:.0e} is allowed"
    return Verdict(answers.who, right, asked, difference, fault)


def count_right(digits: Sequence[int], truth: Sequence[int]) -> int:
    """How many digits are what they truly are."""
    return sum(digit == true for digit, true in zip(digits, truth, strict=False))


def largest_difference(ours: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]]) -> float:
    """The largest difference of two tables of logits; infinite for tables of different shape."""
    if [len(row) for row in ours] != [len(row) for row in theirs]:
        return float("inf")
    pairs = (pair for rows in zip(ours, theirs, strict=True) for pair in zip(*rows, strict=True))
    # A NaN is no answer: it must not be lost in a comparison.
    return max((abs(a - b) if a - b == a - b else float("inf") for a, b in pairs), default=0.0)
