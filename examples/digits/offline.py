"""The model's own answers for the held-out digits, without a server: what every served answer is compared with.

`python -m examples.digits.offline` prints them as one line of JSON: {"correct", "held_out", "digits", "logits"}.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from . import held_out, model


class Offline(NamedTuple):
    """`correct` of `held_out` digits; `digits` read and `logits` of each, in the order of the index file."""

    correct: int
    held_out: int
    digits: list[int]
    logits: list[list[float]]


def answers(folder: Path = held_out.FOLDER) -> Offline:
    """Run the weights of this folder over its held-out digits, in one batch."""
    samples = held_out.digits(folder)
    pictures = jnp.asarray([sample.pixels for sample in samples], jnp.float32)
    logits = np.asarray(model.forward(model.load(folder / model.WEIGHTS_FILE), pictures))
    digits = np.argmax(logits, axis=1).tolist()
    correct = sum(digit == sample.label for digit, sample in zip(digits, samples, strict=True))
    return Offline(correct, len(samples), digits, logits.tolist())


def main() -> int:
    """Print the answers as JSON."""
    sys.stdout.write(json.dumps(answers()._asdict()) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
