"""A report as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tpuserve.report import budget
from tpuserve.report.budget import Section
from tpuserve.report.capacity import Amount, Capacity
from tpuserve.report.cost import Cost
from tpuserve.report.effects import NO_UPDATE
from tpuserve.report.escape import code, line, markdown
from tpuserve.report.graph import graph
from tpuserve.report.plan import Change, Difference, Drift
from tpuserve.report.policies import Policy
from tpuserve.report.report import Report, Said
from tpuserve.report.traffic import Traffic
from tpuserve.report.values import SECRET_TEXT, UNKNOWN_TEXT, Shown, clipped
from tpuserve.report.words import HEADS, amount, chips_of, cost_lines, how, kind_of, limit_of, money_of, ranked

NAME, PATH, VALUE, TEXT = 120, 160, 120, 600
"""Characters that are shown of each."""
INLINE = 6
"""Properties of a resource in the table; all of them are below."""
OPEN = 25
"""Changes that are shown unfolded."""
ICONS = {"blocked": "🛑", "changes": "🔷", "clean": "✅"}
"""By outcome, the worst first."""
MARKER = "<!-- tpuserve:report -->\n"
"""The first line of a comment, which is not seen: whoever posts the next one puts it in the place of this."""


def render(report: Report, limit: int = budget.LIMIT) -> str:
    """The comment: never longer than `limit`, and always with the verdict. By its marker it is found again."""
    sentence = markdown(clipped(report.verdict.sentence, 1_000))
    first = f"{MARKER}### {ICONS[report.verdict.outcome]} {sentence}\n"
    return budget.fitted(first, list(sections(report)), limit)


def sections(report: Report) -> Iterator[Section]:
    """All that is told beside the verdict."""
    changes = ranked(report.changes)
    made = [each for each in changes if not each.is_component]
    rows = [_change(each) for each in made]
    yield Section(0, "\n**Blocked**\n\n", [f"- {_text(each)}\n" for each in report.verdict.reasons], "", "Reasons")
    yield _table(1, "What changes", ("", "resource", "what and why"), rows[:OPEN], "Changes")
    yield _fold(4, f"{len(rows) - OPEN:,} more changes", ("", "resource", "what and why"), rows[OPEN:], "Changes")
    yield _table(1, "Drift", ("resource", "what a refresh found"), [_drift(each) for each in report.drift], "Resources")
    if report.changes or report.drift:  # else it is quiet
        yield _capacity(report)
        yield _table(
            3, "Requests", ("deployment", "variant", "share", "replicas"), _traffic(report.traffic), "Variants"
        )
        yield _cost(report.cost)
    yield from _policies(report)
    yield from _messages([each for each in report.messages if not _is_told(each, report.verdict.reasons)])
    yield from _details(report, made)


def _table(importance: int, title: str, titles: Sequence[str], rows: Sequence[str], noun: str) -> Section:
    return Section(importance, f"\n#### {title}\n\n{columns(titles)}", rows, "", noun)


def _fold(importance: int, title: str, titles: Sequence[str], rows: Sequence[str], noun: str) -> Section:
    head = f"\n<details><summary>{title}</summary>\n\n{columns(titles)}"
    return Section(importance, head, rows, "\n</details>\n", noun)


def columns(titles: Sequence[str]) -> str:
    """The head of a table."""
    return f"{row(*titles)}{row(*['---'] * len(titles))}"


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |\n"


def _change(each: Change) -> str:
    lines = _differences(each.differences) if each.action in ("update", "replace") else []
    if words := chips_of(each):
        lines.append(f"**chips**: {_text(words)}")
    if each.why and not any(item.replaces for item in each.differences[:INLINE]):
        lines.append(_text(each.why))
    if each.outage:
        lines.append(f"**outage**: {_text(each.outage)}")
    return row(f"{HEADS[each.action]}{how(each)}", resource(each.name, each.type), "<br>".join(lines))


def resource(name: str, kind: str) -> str:
    """The name, and below it the type."""
    return f"{code(clipped(name, NAME))}<br><sub>{markdown(clipped(kind, NAME))}</sub>"


def _differences(found: Sequence[Difference]) -> list[str]:
    more = [f"and {len(found) - INLINE:,} more"] if len(found) > INLINE else []
    return [*map(_difference, found[:INLINE]), *more]


def _difference(each: Difference) -> str:
    said = NO_UPDATE if each.replaces and each.effect else each.effect
    said = "**forces the replacement**" + (f": {said}" if said else "") if each.replaces else said
    words = f" ({said})" if said else ""
    return f"{code(clipped(each.path, PATH))}: {value(each.old)} → {value(each.new)}{words}"


def value(given: Shown, most: int = VALUE) -> str:
    """A value, or in its place that it is a secret, not known yet or not there."""
    if given.kind == "absent":
        return "_none_"
    return {"secret": markdown(SECRET_TEXT), "unknown": f"_{markdown(UNKNOWN_TEXT)}_"}.get(given.kind) or code(
        clipped(given.text, most)
    )


def _drift(each: Drift) -> str:
    found = "**is gone**" if each.is_gone else "<br>".join(_differences(each.differences))
    return row(resource(each.name, each.type), found)


def _capacity(report: Report) -> Section:
    titles = ("where", "what", "before", "peak", "after", "limit")
    rows = [_held(each) for each in sorted(report.capacity, key=lambda each: (not each.is_over, not each.changes))]
    unsure = [f"{each.name}: {each.path} {each.reason}" for each in report.not_counted]
    tail = f"\nNot counted: {_listed(unsure)}\n" if unsure else ""
    section = _table(2, "Chips (and hosts)", titles, rows, "Places")
    return Section(2, section.head if rows else "\n#### Chips (and hosts)\n", rows, tail, "Places", bool(unsure))


def _held(each: Capacity) -> str:
    peak = f"**{amount(each.peak)}** 🛑" if each.is_over else _changed(each.before, each.peak)
    sides = amount(each.before), peak, _changed(each.before, each.after)
    return row(markdown(each.place), markdown(kind_of(each)), *sides, limit_of(each))


def _changed(before: Amount, then: Amount) -> str:
    return amount(then) if then == before else f"**{amount(then)}**"


def _traffic(rows: Sequence[Traffic]) -> list[str]:
    return [
        row(
            code(clipped(each.deployment, NAME)),
            code(clipped(each.variant, NAME)),
            _pair(each.share_before, each.share_after, " %"),
            _pair(each.replicas_before, each.replicas_after, ""),
        )
        for each in rows
    ]


def _pair(old: Shown, new: Shown, unit: str) -> str:
    sides = [markdown(clipped(each.text, VALUE)) + unit if each.kind == "known" else value(each) for each in (old, new)]
    return sides[0] if sides[0] == sides[1] else f"{sides[0]} → {sides[1]}"


def _cost(cost: Cost) -> Section:
    rows = [f"{line(each)}\n\n" for each in cost_lines(cost)]
    if cost.not_known:
        rows.append(f"Not known, and not counted: {_listed(cost.not_known)}\n")
    return Section(2, f"\n#### Cost: {line(money_of(cost))}\n\n", rows, "", "Lines")


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 5:,} more" if len(texts) > 5 else ""
    return "; ".join(_text(each) for each in texts[:5]) + more


def _policies(report: Report) -> Iterator[Section]:
    titles = ("policy", "level", "resource", "says")
    first = [each for each in report.policies if each.kind != "advises"]
    yield _table(1, "Policies", titles, [_policy(each) for each in first], "Messages")
    advice = [_policy(each) for each in report.policies if each.kind == "advises"]
    passed = f", {report.policies_passed} policies passed" if report.policies_passed else ""
    yield _fold(5, f"Advice of policies: {len(advice):,}{passed}", titles, advice, "Messages")


def _policy(each: Policy) -> str:
    kind = "**blocks**" if each.kind == "blocks" else f"{each.kind}{' (blocks)' if each.blocks else ''}"
    return row(code(each.policy[:NAME]), kind, code(clipped(each.name, NAME)), _text(each.text))


def _messages(said: Sequence[Said]) -> Iterator[Section]:
    for importance, severity, title in ((1, "error", "Errors"), (5, "warning", "Warnings")):
        rows = [row(code(clipped(each.name, NAME)), _text(each.text)) for each in said if each.severity == severity]
        make = _table if severity == "error" else _fold
        yield make(importance, title, ("resource", "says"), rows, "Messages")


def _is_told(each: Said, reasons: Sequence[str]) -> bool:
    return any(each.text in reason for reason in reasons)


def _details(report: Report, made: Sequence[Change]) -> Iterator[Section]:
    titles = ("resource", "property", "old", "new")
    shown = [(each, item) for each in made for item in each.differences if _is_more(each)]
    rows = [
        row(code(clipped(each.name, NAME)), code(clipped(item.path, PATH)), value(item.old, 500), value(item.new, 500))
        for each, item in shown
    ]
    yield _fold(7, f"Properties in full: {len(rows):,}", titles, rows, "Properties")
    components = [
        f"- {resource(each.name, each.type)}: {each.action}\n" for each in report.changes if each.is_component
    ]
    head = f"\n<details><summary>Components: {len(components):,}</summary>\n\n"
    yield Section(8, head, components, "\n</details>\n", "Components")
    if picture := graph(report):
        yield Section(
            6, "\n<details><summary>Picture of what changes</summary>\n\n", [picture], "\n</details>\n", "pictures"
        )


def _is_more(each: Change) -> bool:
    """Whether there is more to its properties than the table has."""
    is_long = any(len(side.text) > VALUE for item in each.differences for side in (item.old, item.new))
    return is_long or len(each.differences) > INLINE or each.action in ("create", "import")


def _text(text: str) -> str:
    """A text of several lines in one cell."""
    return "<br>".join(line(each) for each in clipped(text, TEXT).splitlines() if each.strip())
