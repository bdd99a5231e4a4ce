"""The held-out digits: which they are, and that the committed copies are scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest

from examples.digits import held_out, train


@pytest.fixture(scope="module")
def dataset() -> train.Digits:
    return train.dataset()


def test_the_index_file_has_a_hundred_indices_in_ascending_order():
    indices = held_out.indices()

    assert len(indices) == 100
    assert indices == sorted(set(indices))


def test_the_index_file_is_what_the_seed_draws(dataset):
    assert held_out.indices() == train.choose_held_out(dataset.labels)


def test_each_digit_is_held_out_ten_times(digits):
    assert np.bincount([digit.label for digit in digits]).tolist() == [10] * 10


def test_the_copies_are_in_the_order_of_the_index_file(digits):
    assert [digit.index for digit in digits] == held_out.indices()


def test_the_copied_pictures_are_scikit_learns(digits, dataset):
    assert np.array_equal([digit.pixels for digit in digits], dataset.pictures[held_out.indices()])


def test_the_copied_labels_are_scikit_learns(digits, dataset):
    assert [digit.label for digit in digits] == dataset.labels[held_out.indices()].tolist()


def test_training_sees_all_digits_but_the_held_out_ones(dataset):
    marked = train.Digits(dataset.pictures, np.arange(len(dataset.labels)))

    rest = train.without(marked, held_out.indices())

    assert set(rest.labels.tolist()) == set(range(1797)) - set(held_out.indices())


def test_no_held_out_picture_is_also_a_training_picture(digits, dataset):
    rest = train.without(dataset, held_out.indices())
    known = {tuple(picture) for picture in rest.pictures.astype(int).tolist()}

    assert not known & {tuple(digit.pixels) for digit in digits}


def test_reading_them_needs_neither_scikit_learn_nor_jax(run_python):
    ran = run_python(
        "import sys; from examples.digits import held_out; held_out.digits();"
        " print(sorted({'jax', 'numpy', 'sklearn'} & sys.modules.keys()))"
    )

    assert ran.stdout.strip() == "[]"
