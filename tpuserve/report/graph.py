"""The changed part of the resource graph, as Mermaid draws it."""

from tpuserve.report.escape import mermaid
from tpuserve.report.plan import STACK, Change, name_of
from tpuserve.report.report import Report
from tpuserve.report.values import clipped
from tpuserve.report.words import ranked

MOST = 40
"""Resources; more is no picture any more."""
LABEL = 60
STYLES = {
    "create": "fill:#dafbe1,stroke:#1a7f37,color:#000",
    "import": "fill:#ddf4ff,stroke:#0969da,color:#000",
    "update": "fill:#fff8c5,stroke:#9a6700,color:#000",
    "replace": "fill:#ffd8b5,stroke:#bc4c00,color:#000",
    "delete": "fill:#ffebe9,stroke:#cf222e,color:#000",
}


def graph(report: Report) -> str:
    """The fenced block; "" where there is nothing to draw. Everything from outside is in labels, as entities."""
    shown = [each for each in ranked(report.changes) if not each.is_component][:MOST]
    if len(shown) < 2:
        return ""
    ids = {each.urn: f"n{index}" for index, each in enumerate(shown)}
    lines = [f'  {ids[each.urn]}["{_label(each)}"]:::{each.action}' for each in shown]
    parents = list(dict.fromkeys(each.parent for each in shown if each.parent and f"::{STACK}::" not in each.parent))
    above = {urn: ids.get(urn, f"p{index}") for index, urn in enumerate(parents)}
    lines += [f'  {key}("{_short(name_of(urn))}")' for urn, key in above.items() if urn not in ids]
    lines += [f"  {above[each.parent]} --- {ids[each.urn]}" for each in shown if each.parent in above]
    lines += [f"  {ids[a]} --> {ids[b]}" for a, b in report.references if a in ids and b in ids]
    used = dict.fromkeys(each.action for each in shown)
    lines += [f"  classDef {action} {STYLES[action]}" for action in used]
    return "```mermaid\ngraph LR\n" + "\n".join(lines) + "\n```\n"


def _label(each: Change) -> str:
    kind = each.type.rpartition(":")[2]
    return f"{each.action}: {_short(each.name)}<br/>{_short(kind)}"


def _short(text: str) -> str:
    return mermaid(clipped(text, LABEL))
