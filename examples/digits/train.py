"""Train the model on scikit-learn's digits and write what the server needs; `python -m examples.digits.train`.

Writes the held-out index file, the held-out digits, the weights and the metrics. One seed decides everything: on one
machine the same code writes the same bytes. Needs scikit-learn, which serving does not.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from . import held_out, model
from .log import log, to_stderr

SEED = 20260101
HELD_OUT_EACH = 10  # of each digit, so 100 in all
STEPS = 2000
BATCH = 256
PEAK_RATE = 3e-3
WEIGHT_DECAY = 1e-4


class Digits(NamedTuple):
    """`pictures` float32 (n, 64) with values 0 to 16; `labels` int32 (n,)."""

    pictures: np.ndarray
    labels: np.ndarray


def dataset() -> Digits:
    """All 1,797 digits that scikit-learn ships."""
    from sklearn.datasets import load_digits  # noqa: PLC0415 - serving imports this package without scikit-learn

    pictures, labels = load_digits(return_X_y=True)
    return Digits(np.asarray(pictures, np.float32), np.asarray(labels, np.int32))


def choose_held_out(labels: np.ndarray, seed: int = SEED) -> list[int]:
    """Sorted indices of the held-out digits: ten of each class, drawn before anything is trained."""
    random = np.random.default_rng(seed)
    chosen = [random.choice(np.flatnonzero(labels == d), HELD_OUT_EACH, replace=False) for d in range(model.CLASSES)]
    return sorted(int(index) for index in np.concatenate(chosen))


def without(digits: Digits, indices: list[int]) -> Digits:
    """The digits that are not at these indices."""
    keep = np.setdiff1d(np.arange(len(digits.labels)), indices)
    return Digits(digits.pictures[keep], digits.labels[keep])


def initial(key: jax.Array) -> model.Params:
    """Random weights, scaled by the number of inputs (He)."""
    pairs = list(pairwise(model.LAYERS))
    keys = jax.random.split(key, len(pairs))
    return tuple(
        model.Layer(jax.random.normal(k, pair) * jnp.sqrt(2 / pair[0]), jnp.zeros(pair[1]))
        for k, pair in zip(keys, pairs, strict=True)
    )


def shifted(key: jax.Array, pictures: jax.Array) -> jax.Array:
    """Each picture moved by -1, 0 or 1 pixel in both directions; what comes in at the edge is paper."""
    padded = jnp.pad(pictures.reshape(-1, model.SIDE, model.SIDE), ((0, 0), (1, 1), (1, 1)))
    corners = jax.random.randint(key, (len(pictures), 2), 0, 3)
    crop = jax.vmap(lambda image, corner: jax.lax.dynamic_slice(image, corner, (model.SIDE, model.SIDE)))
    return crop(padded, corners).reshape(-1, model.PIXELS)


def loss(params: model.Params, pictures: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross entropy plus weight decay on the kernels."""
    likelihood = jax.nn.log_softmax(model.forward(params, pictures))
    decay = sum(jnp.sum(layer.kernel**2) for layer in params)
    return -jnp.mean(likelihood[jnp.arange(len(labels)), labels]) + WEIGHT_DECAY * decay


class Adam(NamedTuple):
    """Weights with the running means that Adam keeps of their gradients."""

    params: Any
    mean: Any
    square: Any


def adam_step(state: Adam, gradients: Any, step: jax.Array, rate: jax.Array) -> Adam:
    """One step of Adam with its usual constants (0.9, 0.999, 1e-8)."""
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, gradients)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, state.square, gradients)
    first, second = 1 - 0.9 ** (step + 1.0), 1 - 0.999 ** (step + 1.0)
    params = jax.tree.map(
        lambda p, m, s: p - rate * (m / first) / (jnp.sqrt(s / second) + 1e-8), state.params, mean, square
    )
    return Adam(params, mean, square)


@partial(jax.jit, static_argnames="steps")
def fit(pictures: jax.Array, labels: jax.Array, seed: int, steps: int) -> model.Params:
    """Weights after so many steps on random batches of shifted pictures; the rate falls along a half cosine."""
    start, key = jax.random.split(jax.random.key(seed))
    params = initial(start)
    zeros = jax.tree.map(jnp.zeros_like, params)

    def one(step: jax.Array, state: Adam) -> Adam:
        pick, move = jax.random.split(jax.random.fold_in(key, step))
        batch = jax.random.randint(pick, (BATCH,), 0, len(labels))
        gradients = jax.grad(loss)(state.params, shifted(move, pictures[batch]), labels[batch])
        rate = PEAK_RATE * 0.5 * (1 + jnp.cos(jnp.pi * step / steps))
        return adam_step(state, gradients, step, rate)

    return jax.lax.fori_loop(0, steps, one, Adam(params, zeros, zeros)).params


def correct(params: model.Params, digits: Digits) -> int:
    """How many of these digits the model reads right."""
    logits = model.forward(params, jnp.asarray(digits.pictures))
    return int(np.sum(np.argmax(np.asarray(logits), axis=1) == digits.labels))


def train(digits: Digits, steps: int = STEPS, seed: int = SEED) -> model.Params:
    """Weights trained on these digits alone."""
    return fit(jnp.asarray(digits.pictures), jnp.asarray(digits.labels), seed, steps)


def metrics(params: model.Params, held: Digits, rest: Digits, weights: Path) -> dict[str, Any]:
    """What is recorded of a training: counts, what they came from, and the hash of the weights."""
    return {
        "held_out": len(held.labels),
        "held_out_correct": correct(params, held),
        "trained_on": len(rest.labels),
        "trained_on_correct": correct(params, rest),
        "seed": SEED,
        "steps": STEPS,
        "jax": jax.__version__,
        "weights_sha256": hashlib.sha256(weights.read_bytes()).hexdigest(),
    }


def write(folder: Path) -> dict[str, Any]:
    """Train, write all files into this folder and give the metrics."""
    digits = dataset()
    indices = choose_held_out(digits.labels)
    held, rest = Digits(digits.pictures[indices], digits.labels[indices]), without(digits, indices)
    held_out.write(folder, indices, held.pictures.astype(int).tolist(), held.labels.tolist())
    params = train(rest)
    weights = folder / model.WEIGHTS_FILE
    model.save(params, weights)
    found = metrics(params, held, rest, weights)
    (folder / "metrics.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Train into the folder given, else into this example's own."""
    to_stderr()
    given = sys.argv[1:] if arguments is None else arguments
    folder = Path(given[0]) if given else Path(__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    found = write(folder)
    log.info("%(held_out_correct)d of %(held_out)d held-out digits right", found)
    log.info("written to %s in %.1f s", folder, time.monotonic() - begin)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
