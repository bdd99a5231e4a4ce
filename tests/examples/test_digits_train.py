"""Training: the same seed gives the same weights, and the script reaches what is recorded."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from examples.digits import held_out, model, train

SHORT = 20


@pytest.fixture(scope="module")
def rest() -> train.Digits:
    return train.without(train.dataset(), held_out.indices())


def flat(params: model.Params) -> np.ndarray:
    return np.concatenate([np.ravel(array) for layer in params for array in layer])


def test_the_same_seed_gives_the_same_weights(rest):
    assert np.array_equal(flat(train.train(rest, SHORT, seed=1)), flat(train.train(rest, SHORT, seed=1)))


def test_another_seed_gives_other_weights(rest):
    assert not np.array_equal(flat(train.train(rest, SHORT, seed=1)), flat(train.train(rest, SHORT, seed=2)))


def test_a_few_steps_already_lower_the_loss(rest):
    before, after = (float(train.loss(train.train(rest, steps, 1), *rest)) for steps in (0, SHORT))

    assert after < before


def test_a_shift_moves_ink_by_at_most_one_pixel():
    picture = np.zeros((1, 64), np.float32)
    picture[0, 3 * 8 + 3] = 16

    moved = [np.argwhere(train.shifted(jax.random.key(seed), jnp.asarray(picture)).reshape(8, 8)) for seed in range(20)]

    assert {tuple(place) for places in moved for place in places.tolist()} <= {
        (row, column) for row in (2, 3, 4) for column in (2, 3, 4)
    }


def test_the_script_writes_a_model_that_reads_at_least_95_of_the_held_out_digits(tmp_path):
    train.main([str(tmp_path)])

    metrics = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["held_out_correct"] >= 95
    assert train.correct(model.load(tmp_path / "weights.npz"), held_out_of(tmp_path)) == metrics["held_out_correct"]


def held_out_of(folder) -> train.Digits:
    digits = held_out.digits(folder)
    pictures = np.array([digit.pixels for digit in digits], np.float32)
    return train.Digits(pictures, np.array([digit.label for digit in digits]))
