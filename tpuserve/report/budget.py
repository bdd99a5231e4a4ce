"""What fits into a comment: the rows of the most important sections first, and what was left out is said."""

from collections.abc import Sequence
from dataclasses import dataclass, field

LIMIT = 65_536
"""Characters of a comment on GitHub."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report. Only whole rows are left out, so that what remains is well formed."""

    importance: int
    """0 is what is kept first."""
    head: str
    rows: Sequence[str]
    tail: str
    noun: str
    """What a row is, in the plural."""
    always: bool = field(default=False)
    """Whether the section stands there without a row as well."""


def fitted(first: str, sections: Sequence[Section], limit: int = LIMIT) -> str:
    """`first`, which is never cut, and of the sections what fits, in the order in which they are given."""
    shown = [each for each in sections if each.rows or each.always]
    left = (
        limit - len(first) - sum(len(each.head) + len(each.tail) + len(_note(each, len(each.rows))) for each in shown)
    )
    order = sorted(range(len(shown)), key=lambda index: shown[index].importance)
    kept = [0] * len(shown)
    for share in (2, 1):  # at first none takes more than half of what is left; then what is left goes round again
        for index in order:
            number, taken = _taken(shown[index].rows[kept[index] :], left // share)
            kept[index] += number
            left -= taken
    return first + "".join(_text(each, kept[index]) for index, each in enumerate(shown))


def _taken(rows: Sequence[str], most: int) -> tuple[int, int]:
    """How many rows fit, and their characters."""
    taken = 0
    for number, row in enumerate(rows):
        if taken + len(row) > most:
            return number, taken
        taken += len(row)
    return len(rows), taken


def _text(section: Section, kept: int) -> str:
    note = _note(section, len(section.rows) - kept) if kept < len(section.rows) else ""
    return f"{section.head}{''.join(section.rows[:kept])}{note}{section.tail}"


def _note(section: Section, number: int) -> str:
    return f"\n_{section.noun} left out: {number:,} more, which `--format json` has._\n"
