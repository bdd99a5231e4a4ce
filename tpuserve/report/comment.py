"""The reports of several stacks as one comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tpuserve.report import budget
from tpuserve.report.budget import Section
from tpuserve.report.escape import code, markdown
from tpuserve.report.markdown import ICONS, MARKER, NAME, PATH, columns, resource, row, sections, value
from tpuserve.report.report import Report
from tpuserve.report.stacks import Across, Cell, Reports, alike
from tpuserve.report.values import clipped
from tpuserve.report.words import HEADS

SENTENCE, SHORT = 400, 60
"""Characters of a stack's verdict in the table, and of a value beside those of other stacks."""
COLUMNS = 6
"""Stacks that stand beside each other."""
LEAST = 2_000
"""Characters without which a stack is not told of in full."""
END = "\n</details>\n"


def render(given: Reports, limit: int = budget.LIMIT) -> str:
    """The comment: never longer than `limit`, and always with the verdict on all. By its marker it is found again."""
    first = f"{MARKER}### {ICONS[given.outcome]} {markdown(clipped(given.sentence, 1_000))}\n"
    if given.outcome == "clean":
        return first  # and quiet
    head = budget.fitted(first, list(_overview(given)), limit // 2)
    return head + "".join(
        _bodies([each for each in given.stacks if each.verdict.outcome != "clean"], limit - len(head))
    )


def _overview(given: Reports) -> Iterator[Section]:
    rows = [_stack(each) for each in sorted(given.stacks, key=lambda each: [*ICONS].index(each.verdict.outcome))]
    yield Section(0, f"\n{columns(('stack', 'verdict'))}", rows, "", "Stacks")
    if alike(given):
        yield Section(0, "", ["\nAll stacks change in the same way.\n"], "", "Lines")
    titles = [each.title for each in given.stacks if each.changes or len(given.stacks) <= COLUMNS][:COLUMNS]
    names = [markdown(clipped(each, SHORT)) for each in titles]
    rows = [_across(each, titles) for each in given.differences]
    more = f"\nOf {len(given.stacks):,} stacks the first {COLUMNS} that change are shown.\n"
    tail = more if len(given.stacks) > COLUMNS else ""
    yield Section(
        1, f"\n#### Not the same in every stack\n\n{columns(('resource', 'what', *names))}", rows, tail, "Rows"
    )


def _stack(each: Report) -> str:
    sentence = each.verdict.sentence.removeprefix(f"{each.title}: ")
    return row(
        f"{ICONS[each.verdict.outcome]}&nbsp;{markdown(clipped(each.title, NAME))}",
        markdown(clipped(sentence, SENTENCE)),
    )


def _across(each: Across, titles: Sequence[str]) -> str:
    cells = {cell.stack: cell for cell in each.cells}
    what = code(clipped(each.path, PATH)) if each.path else "the resource"
    told = [_cell(cells[title], is_property=bool(each.path)) for title in titles]
    return row(resource(each.name, each.type), what, *told)


def _cell(cell: Cell, *, is_property: bool) -> str:
    if not cell.action:
        return "stays"
    if not is_property:
        head, _, rest = cell.action.partition(",")
        return next((f"{words}{',' * bool(rest)}{rest}" for action, words in HEADS.items() if action == head), head)
    if cell.difference is None:
        return "stays"
    return f"{value(cell.difference.old, SHORT)} → {value(cell.difference.new, SHORT)}"


def _bodies(stacks: Sequence[Report], left: int) -> Iterator[str]:
    """Each stack's own report, folded; what the short ones do not need is for the long ones."""
    note = f"\n_Stacks left out: {len(stacks):,} more, which `--format json` has._\n"
    left -= len(note)
    found: dict[int, str] = {}
    whole = [_body(each, budget.LIMIT) for each in stacks]
    order = sorted(
        range(len(stacks)), key=lambda index: (stacks[index].verdict.outcome != "blocked", len(whole[index]))
    )
    for number, index in enumerate(order):
        share = max(left // (len(stacks) - number), min(left, LEAST))
        text = whole[index] if len(whole[index]) <= share else _body(stacks[index], share)
        if len(text) <= left:
            found[index] = text
            left -= len(text)
    yield from (found[index] for index in sorted(found))
    if len(found) < len(stacks):
        yield note.replace(f"{len(stacks):,}", f"{len(stacks) - len(found):,}", 1)


def _body(each: Report, limit: int) -> str:
    title = f"{ICONS[each.verdict.outcome]} {markdown(clipped(each.title, NAME))}"
    first = f"\n<details><summary><b>{title}</b></summary>\n"
    return budget.fitted(first, list(sections(each)), limit - len(END)) + END
