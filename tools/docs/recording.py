"""A real run of `make up`, recorded: its report as text in README.md and as a picture in docs/images/up.svg."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

BEGIN, END = "<!-- what make up prints: made by `python -m tools.docs up` -->", "<!-- end -->"
FIRST = "Collection  "
"""What the report begins with."""
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
# A viewer of the picture asks no other machine for a font.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def record(root: Path) -> int:
    """Run `make up`, then write what it reported; its exit code."""
    done = subprocess.run(
        ["make", "up"], cwd=root, env=os.environ | {"FORCE_COLOR": "1"}, stdout=subprocess.PIPE, text=True, check=False
    )
    sys.stdout.write(done.stdout)
    if done.returncode:
        return done.returncode
    report = report_of(done.stdout)
    readme = root / "README.md"
    readme.write_text(with_report(readme.read_text(encoding="utf-8"), plain(report)), encoding="utf-8")
    picture = root / "docs" / "images" / "up.svg"
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(svg(report), encoding="utf-8")
    return 0


def report_of(output: str) -> str:
    """The report at the end of the output, its colours kept."""
    lines = output.splitlines()
    first = next(number for number, line in enumerate(lines) if plain(line).startswith(FIRST))
    return "\n".join(lines[first:]).strip("\n")


def plain(text: str) -> str:
    """Without colours and without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in ESCAPES.sub("", text).splitlines())


def with_report(page: str, report: str) -> str:
    """`page` with the report between its two marks."""
    head, _, rest = page.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"README.md needs the lines {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n```text\n{report}\n```\n\n{END}{tail}"


def svg(report: str) -> str:
    """The report as a picture of a terminal."""
    width = max(len(line) for line in plain(report).splitlines()) + 1
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(report))
    return console.export_svg(title="make up", theme=MONOKAI, code_format=FORMAT, unique_id="up")
