"""A report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from tpuserve.report.escape import visible
from tpuserve.report.plan import Change, Difference
from tpuserve.report.report import Report
from tpuserve.report.stacks import Across, Cell, Reports, alike
from tpuserve.report.values import Shown, clipped
from tpuserve.report.words import amount, chips_of, cost_lines, how, kind_of, limit_of, ranked

STYLES = {"clean": "bold green", "changes": "bold yellow", "blocked": "bold red"}
ACTIONS = {"replace": "magenta", "delete": "red", "update": "yellow", "import": "cyan", "create": "green"}
VALUE = 100
"""Characters of a value."""
LINE = 2_000
"""Characters of anything else."""


def parts(report: Report) -> Iterator[Text | Table]:
    """What is printed, one after the other. No text from outside is markup, and none can steer the terminal."""
    yield _text(report.verdict.sentence, STYLES[report.verdict.outcome])
    for reason in report.verdict.reasons:
        yield Text("  blocked: ", "red") + _text(clipped(reason, 1_000))
    for each in ranked(report.changes):
        if not each.is_component:
            yield from _change(each)
    for each in report.drift:
        yield _text(f"drift    {each.name}" + (" is gone" if each.is_gone else ""), "cyan")
        yield from map(_difference, each.differences)
    yield from _tables(report)
    for line in cost_lines(report.cost):
        yield _text(f"cost: {line}")
    if report.cost.not_known:
        yield _text(f"not known, and not counted: {'; '.join(report.cost.not_known)}", "dim")
    for each in report.messages:
        yield _text(f"{each.severity}: {each.name}: {each.text}", "red" if each.severity == "error" else "dim")


def parts_of_all(given: Reports) -> Iterator[Text | Table]:
    """The same of several stacks: what is not the same in all of them first; those where nothing changes last."""
    yield _text(given.sentence, STYLES[given.outcome])
    if alike(given):
        yield Text("all stacks change in the same way")
    yield from map(_across, given.differences)
    for each in sorted(given.stacks, key=lambda each: each.verdict.outcome == "clean"):
        yield Text()
        yield from parts(each)


def _across(each: Across) -> Text:
    what = f"{each.name} {each.path}".rstrip()
    return _text(f"         {what}: {'; '.join(_cell(cell, bool(each.path)) for cell in each.cells)}")


def _cell(cell: Cell, is_property: bool) -> str:
    if cell.difference:
        return f"{cell.stack}: {_value(cell.difference.old)} -> {_value(cell.difference.new)}"
    return f"{cell.stack}: {'stays' if is_property else cell.action or 'stays'}"


def _change(each: Change) -> Iterator[Text]:
    yield (
        _text(f"{each.action:<8}", ACTIONS[each.action]) + _text(f" {each.name}{how(each)}  ") + _text(each.type, "dim")
    )
    yield from map(_difference, each.differences if each.action in ("update", "replace") else ())
    for word, text in (("chips", chips_of(each)), ("why", each.why), ("outage", each.outage)):
        if text:
            yield _text(f"         {word}: {text}", "bold" if word == "outage" else "")


def _difference(each: Difference) -> Text:
    said = "forces the replacement" if each.replaces else each.effect
    return _text(f"         {each.path}: {_value(each.old)} -> {_value(each.new)}") + _text(f"  {said}", "dim")


def _value(value: Shown) -> str:
    return "none" if value.kind == "absent" else clipped(value.text, VALUE)


def _tables(report: Report) -> Iterator[Table]:
    if report.capacity:
        table = Table("Chips (hosts)", "What", "Before", "Peak", "After", "Limit")
        for each in report.capacity:
            peak = Text(amount(each.peak), "bold red" if each.is_over else "")
            sides = amount(each.before), peak, amount(each.after)
            table.add_row(_text(each.place), _text(kind_of(each)), *sides, limit_of(each))
        yield table
    if report.traffic:
        table = Table("Deployment", "Variant", "% before", "% after", "Replicas before", "Replicas after")
        for each in report.traffic:
            values = (each.share_before, each.share_after, each.replicas_before, each.replicas_after)
            table.add_row(*map(_text, (each.deployment, each.variant, *map(_value, values))))
        yield table
    if report.policies:
        table = Table("Policy", "Level", "Resource", "Says")
        for each in report.policies:
            table.add_row(*map(_text, (each.policy, each.kind, each.name, "; ".join(each.text.splitlines()))))
        yield table


def _text(text: str, style: str = "") -> Text:
    return Text(visible(clipped(text, LINE)), style)
