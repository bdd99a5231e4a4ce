"""Sections of docs/measurements.md that tools write: a heading, what it means, and the rows of its table."""

from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"


def put(page: Path, heading: str, about: Sequence[str], rows: Sequence[str]) -> None:
    """Write the section anew, or add it at the end; the rest of the page stays. `about` ends in a table's head."""
    text = page.read_text(encoding="utf-8")
    before, found, rest = text.partition(f"## {heading}\n")
    _, mark, after = rest.partition("\n## ") if found else ("", "", "")
    section = "\n".join([f"## {heading}", "", *about, *rows])
    page.write_text(f"{before.rstrip()}\n\n{section}\n{mark}{after}", encoding="utf-8")
