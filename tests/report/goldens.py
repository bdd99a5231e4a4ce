"""Every recording and what is told of it; `python -m tests.report.goldens` writes the golden texts anew."""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from tpuserve.report import comment, events, markdown, terminal
from tpuserve.report.report import Report, report
from tpuserve.report.stacks import Reports, together

TYPES = {"report": Report, "reports": Reports}
HERE = Path(__file__).parent
GOLDENS = HERE / "golden"
SCHEMAS = {HERE.parents[1] / "docs" / f"{name}.schema.json": of for name, of in TYPES.items()}
NAMES = sorted(path.stem for path in (HERE / "recorded").glob("*.jsonl"))
SHOWN = ("policies", "replace")
"""Recordings that are also told to a terminal and as JSON."""
STACKS = {
    "alike": {"dev": "update", "prod": "update"},
    "stacks": {"dev": "nothing", "staging": "update", "prod": "replace", "retired": "failure"},
    "unchanged": {"dev": "nothing", "prod": "nothing"},
}
"""Several stacks in one report: stack -> its recording."""
QUOTAS = {
    "TPUV6EPerProjectPerZoneForTPUAPI": {"us-east5-b": 24},
    "CustomModelServingV6ETPUPerProjectPerRegion": {"*": 8},
}
LIMITS: dict[str, Any] = {"quotas": {"limits": {"*": QUOTAS}}}


@cache
def made(name: str, title: str = "") -> Report:
    """The report of one recording."""
    with (HERE / "recorded" / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return report(events.read(lines), LIMITS, title)


def all_made(name: str) -> Reports:
    """One report of several stacks."""
    return together([made(recorded, title) for title, recorded in STACKS[name].items()])


def texts() -> dict[str, str]:
    """File name -> what is told."""
    found = {f"{name}.md": markdown.render(made(name)) for name in NAMES}
    found |= {f"{name}.md": comment.render(all_made(name)) for name in STACKS}
    found["stacks.txt"] = printed(all_made("stacks"))
    for name in SHOWN:
        found[f"{name}.txt"] = printed(made(name))
        found[f"{name}.json"] = msgspec.json.format(msgspec.json.encode(made(name)), indent=2).decode() + "\n"
    return found


def printed(given: Report | Reports) -> str:
    """What a wide terminal shows."""
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        for part in terminal.parts_of_all(given) if isinstance(given, Reports) else terminal.parts(given):
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def schema(of: type) -> str:
    """The JSON Schema of a report."""
    return msgspec.json.format(msgspec.json.encode(msgspec.json.schema(of)), indent=2).decode() + "\n"


if __name__ == "__main__":
    GOLDENS.mkdir(exist_ok=True)
    for name, text in texts().items():
        (GOLDENS / name).write_text(text, encoding="utf-8")
    for path, of in SCHEMAS.items():
        path.write_text(schema(of), encoding="utf-8")
