"""The model compiled for the batch sizes it is served in, so that no request ever waits for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np

from . import model

BATCHES = (1, 8, 128)


class Predictor:
    """Logits from a fixed set of compiled batch sizes; safe to call from several threads."""

    def __init__(self, params: model.Params) -> None:
        """Compile the model for every batch size and run each once: afterwards it is warm."""
        self._params = params
        self._compiled = {size: _compile(params, size) for size in BATCHES}
        for size in BATCHES:
            self.logits([[0.0] * model.PIXELS] * size)

    def logits(self, pictures: list[list[float]]) -> np.ndarray:
        """Logits, float32 of shape (n, 10), of n >= 1 pictures; a batch is filled up with empty pictures."""
        return np.concatenate([self._batch(rows) for rows in _chunks(np.asarray(pictures, np.float32))])

    def _batch(self, rows: np.ndarray) -> np.ndarray:
        size = next(size for size in BATCHES if size >= len(rows))
        filled = np.zeros((size, model.PIXELS), np.float32)
        filled[: len(rows)] = rows
        return np.asarray(self._compiled[size](self._params, jnp.asarray(filled)))[: len(rows)]


def device() -> str:
    """Platform and kind of the device that serves, as JAX names them: `cpu (cpu)`, `tpu (TPU v6 lite)`."""
    first = jax.devices()[0]
    return f"{first.platform} ({first.device_kind})"


def _compile(params: model.Params, size: int) -> Callable[[model.Params, jax.Array], jax.Array]:
    pictures = jax.ShapeDtypeStruct((size, model.PIXELS), jnp.float32)
    return jax.jit(model.forward).lower(params, pictures).compile()


def _chunks(rows: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(rows), BATCHES[-1]):
        yield rows[start : start + BATCHES[-1]]
