"""The 100 digits that training never saw: their indices, and copies of them that need no scikit-learn to read.

`held_out.json` is the index file; `held_out_digits.json` holds the pictures and the truth. Standard library only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
INDEX_FILE = "held_out.json"
DIGITS_FILE = "held_out_digits.json"
ORIGIN = (
    "sklearn.datasets.load_digits, distributed with scikit-learn (BSD-3-Clause): the test set of the UCI ML"
    " hand-written digits by E. Alpaydin and C. Kaynak, 1998"
)


@dataclass(frozen=True, slots=True)
class HeldOutDigit:
    """`index` in scikit-learn's digits, `label` 0 to 9, `pixels`: 64 integers 0 to 16, row by row."""

    index: int
    label: int
    pixels: list[int]


def indices(folder: Path = FOLDER) -> list[int]:
    """The index file's indices, ascending."""
    return json.loads((folder / INDEX_FILE).read_text(encoding="utf-8"))["indices"]


def digits(folder: Path = FOLDER) -> list[HeldOutDigit]:
    """The held-out digits in the order of the index file."""
    rows = json.loads((folder / DIGITS_FILE).read_text(encoding="utf-8"))["digits"]
    return [HeldOutDigit(**row) for row in rows]


def write(folder: Path, chosen: list[int], pictures: list[list[int]], labels: list[int]) -> None:
    """Write both files; one digit a line."""
    index = {"dataset": "sklearn.datasets.load_digits", "indices": chosen}
    (folder / INDEX_FILE).write_text(json.dumps(index) + "\n", encoding="utf-8")
    rows = [
        json.dumps({"index": i, "label": label, "pixels": pixels})
        for i, label, pixels in zip(chosen, labels, pictures, strict=True)
    ]
    text = f'{{"origin": {json.dumps(ORIGIN)}, "digits": [\n' + ",\n".join(rows) + "\n]}\n"
    (folder / DIGITS_FILE).write_text(text, encoding="utf-8")
