"""The model as a function, its weights file, and the accuracy that is recorded."""

from __future__ import annotations

import hashlib
import json

import jax.numpy as jnp
import numpy as np
import pytest

from examples.digits import held_out, model

METRICS = json.loads((held_out.FOLDER / "metrics.json").read_text(encoding="utf-8"))
WEIGHTS = held_out.FOLDER / model.WEIGHTS_FILE


def test_logits_are_those_of_the_same_sums_in_double_precision(params, digits):
    pictures = np.array([digit.pixels for digit in digits], np.float64)
    hidden = pictures / 16
    for kernel, bias in params[:-1]:
        hidden = np.maximum(hidden @ np.asarray(kernel, np.float64) + np.asarray(bias, np.float64), 0)
    expected = hidden @ np.asarray(params[-1].kernel, np.float64) + np.asarray(params[-1].bias, np.float64)

    logits = model.forward(params, jnp.asarray(pictures, jnp.float32))

    assert np.max(np.abs(np.asarray(logits) - expected)) < 1e-4


def test_at_least_97_of_the_held_out_digits_are_read_right(reference):
    assert reference.held_out == 100
    assert reference.correct >= 97


def test_the_recorded_accuracy_is_that_of_the_committed_weights(reference):
    assert METRICS["held_out_correct"] == reference.correct


def test_the_recorded_hash_is_that_of_the_committed_weights():
    assert METRICS["weights_sha256"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()


def test_saved_weights_are_loaded_unchanged(params, tmp_path):
    model.save(params, tmp_path / "weights.npz")

    assert (tmp_path / "weights.npz").read_bytes() == WEIGHTS.read_bytes()


def test_weights_of_another_model_are_refused_with_every_array_named(tmp_path):
    np.savez(tmp_path / "weights.npz", kernel_0=np.zeros((64, 32)), bias_0=np.zeros(128))

    with pytest.raises(ValueError, match="does not hold this model's weights") as refusal:
        model.load(tmp_path / "weights.npz")

    assert "kernel_0: shape (64, 32), this model needs (64, 128)" in str(refusal.value)
    assert "bias_2: missing, this model needs (10,)" in str(refusal.value)
    assert "bias_0" not in str(refusal.value)


def test_the_readme_says_the_recorded_accuracy():
    readme = (held_out.FOLDER / "README.md").read_text(encoding="utf-8")

    assert f"{METRICS['held_out_correct']} of the {METRICS['held_out']} held-out digits" in readme
