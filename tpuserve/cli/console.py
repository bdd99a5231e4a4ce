"""Where the commands print: tables where they fit, else a block a row."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

UNBROKEN = 10_000  # columns, where there is no terminal to break lines for


class NarrowConsole(Console):
    """A console that breaks no cell: a table wider than the terminal is printed as one block a row.

    A block is the row's first cell, then each other cell on a line of its own, after its column's header. The terminal
    wraps what is longer than a line, so that a name is whole when it is copied.
    """

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich's."""
        if len(objects) == 1 and isinstance(objects[0], Table) and self._width_of(objects[0]) > self.width:
            super().print(_blocks(objects[0]), soft_wrap=True)
        else:
            super().print(*objects, **options)

    def _width_of(self, table: Table) -> int:
        return Measurement.get(self, self.options.update(width=UNBROKEN), table).maximum


def make() -> Console:
    """The console of standard output."""
    console = NarrowConsole()
    if not console.is_terminal:
        console.width = UNBROKEN
    return console


def _blocks(table: Table) -> Text:
    headers = [str(column.header) for column in table.columns][1:]
    wide = max(map(len, headers), default=0)
    lines: list[Text] = []
    for first, *others in zip(*(column.cells for column in table.columns), strict=True):
        lines.append(_text(first))
        labels = (Text(f"  {header:<{wide}}  ", "dim") for header in headers)
        lines += [Text.assemble(label, _text(cell)) for label, cell in zip(labels, others, strict=True)]
    return Text("\n").join(lines)


def _text(cell: Any) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))
