"""A digit in characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.digits.held_out import digits
from tools.local.picture import picture


@given(st.lists(st.floats(0, 16), min_size=64, max_size=64), st.sampled_from(["utf-8", "ascii", None]))
def test_picture_is_eight_lines_of_sixteen(pixels: list[float], encoding: str | None) -> None:
    assert [len(line) for line in picture(pixels, encoding)] == [16] * 8


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "no-such-encoding", None])
def test_output_that_cannot_show_blocks_gets_plain_characters(encoding: str | None) -> None:
    assert "".join(picture([16.0] * 64, encoding)).isascii()


def test_paper_is_blank_and_ink_is_solid() -> None:
    assert picture([0.0] * 32 + [16.0] * 32, "utf-8") == [" " * 16] * 4 + ["█" * 16] * 4


def test_a_real_digit() -> None:
    one = next(digit for digit in digits() if digit.label == 1)

    assert any("██" in line for line in picture(one.pixels, "utf-8"))
