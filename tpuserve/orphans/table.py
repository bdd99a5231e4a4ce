"""Prints orphans: a table on a terminal, plain columns elsewhere; and the commands that take pending ones in."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tpuserve.orphans.finding import Kind, Orphan
from tpuserve.orphans.state import Pending

PENDING = (
    "Begun and never recorded: `pulumi up` of the same program takes these over. To take one into the state without "
    "the program:"
)


def show(found: Sequence[Orphan], console: Console, owner: str, where: str, on_stack: Sequence[str] = ()) -> None:
    """What was found, where it was looked for, and what to do about it."""
    _line(console, f"owner id {owner}, looked in {where or 'no place'}")
    if not found:
        _line(console, "no orphans")
        return
    console.print(_table(found))
    commands = import_commands(found, on_stack)
    if commands:
        _line(console, PENDING)
    for command in commands:
        _line(console, f"  {command}")


def show_left(left: Sequence[Orphan], reasons: Mapping[Orphan, str], console: Console) -> None:
    """What could not be removed, and why."""
    if not left:
        _line(console, "nothing is left")
    for orphan in left:
        _line(console, f"left: {orphan.kind.value} {orphan}: {reasons[orphan]}")


def import_commands(found: Iterable[Orphan], on_stack: Sequence[str] = ()) -> list[str]:
    """One command for each pending create, in the order of the orphans."""
    pending = dict.fromkeys(orphan.pending for orphan in found if orphan.pending)
    return [_command(item, on_stack) for item in pending]


def _command(pending: Pending, on_stack: Sequence[str]) -> str:
    # `pulumi refresh --import-pending-creates` of engine 3.274 forgets the create and imports nothing.
    name = pending.urn.rsplit("::", 1)[-1]
    parent = ["--parent", f"parent={pending.parent}"] if pending.parent else []
    options = [*on_stack, *parent, "--protect=false", "--generate-code=false"]
    return shlex.join(["pulumi", "import", pending.token, name, pending.id, *options])


def _table(found: Sequence[Orphan]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    for column in ("orphan", "name", "now"):
        table.add_column(column, overflow="fold")
    table.add_column("why")
    for orphan in found:
        table.add_row(Text(orphan.kind.value, "yellow"), Text(str(orphan)), Text(orphan.detail), Text(_why(orphan)))
    return table


def _why(orphan: Orphan) -> str:
    if orphan.unproven:
        return "claimed by another stack's Deployment; never removed"
    if orphan.pending:
        return "its create was begun and never recorded"
    return "the claim's Deployment is gone" if orphan.kind is Kind.CLAIM else "in no entry of the state"


def _line(console: Console, text: str) -> None:
    console.print(text, soft_wrap=True, highlight=False, markup=False)
