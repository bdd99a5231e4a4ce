"""The model: a perceptron of two hidden layers over an 8x8 picture, as a pure function of weights and pictures.

A picture is 64 numbers, row by row, each 0 (paper) to 16 (ink): scikit-learn's own shape of a digit.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

SIDE = 8
PIXELS = SIDE * SIDE
INK = 16.0
CLASSES = 10
LAYERS = (PIXELS, 128, 64, CLASSES)
WEIGHTS_FILE = "weights.npz"


class Layer(NamedTuple):
    """One dense layer: `kernel` of shape (inputs, outputs) and `bias` of shape (outputs,), float32."""

    kernel: jax.Array
    bias: jax.Array


Params = tuple[Layer, ...]


def forward(params: Params, pictures: jax.Array) -> jax.Array:
    """Logits, float32 of shape (n, 10), of pictures of shape (n, 64) with values 0 to 16."""
    activation = pictures / INK
    for layer in params[:-1]:
        activation = jax.nn.relu(_dense(layer, activation))
    return _dense(params[-1], activation)


def _dense(layer: Layer, inputs: jax.Array) -> jax.Array:
    # A TPU multiplies float32 in bfloat16 unless told otherwise, and would not agree with a CPU within 1e-5.
    return jnp.dot(inputs, layer.kernel, precision=jax.lax.Precision.HIGHEST) + layer.bias


def save(params: Params, file: Path) -> None:
    """Write the weights as npz; the same weights give the same bytes."""
    arrays = {
        f"{field}_{i}": np.asarray(getattr(layer, field)) for i, layer in enumerate(params) for field in layer._fields
    }
    np.savez(file, allow_pickle=False, **arrays)


def load(file: Path) -> Params:
    """Read weights written by `save`.

    Raises `ValueError` that names every array that is missing or has another shape than this model's.
    """
    with np.load(file, allow_pickle=False) as arrays:
        _check_shapes({name: arrays[name].shape for name in arrays.files}, file)
        return tuple(
            Layer(jnp.asarray(arrays[f"kernel_{i}"]), jnp.asarray(arrays[f"bias_{i}"])) for i in range(len(LAYERS) - 1)
        )


def shapes() -> dict[str, tuple[int, ...]]:
    """The name and shape of each array of a weights file."""
    kernels: dict[str, tuple[int, ...]] = {f"kernel_{i}": pair for i, pair in enumerate(pairwise(LAYERS))}
    return kernels | {f"bias_{i}": (width,) for i, width in enumerate(LAYERS[1:])}


def _check_shapes(found: dict[str, tuple[int, ...]], file: Path) -> None:
    faults = [
        f"{name}: {'missing' if name not in found else f'shape {found[name]}'}, this model needs {shape}"
        for name, shape in shapes().items()
        if found.get(name) != shape
    ]
    if faults:
        raise ValueError(f"{file} does not hold this model's weights: " + "; ".join(faults))
