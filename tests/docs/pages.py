"""The pages of the project, and what is in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*/README.md"))]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
PROMPT = "$ "


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return [text for found, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def commands(page: Path) -> list[str]:
    """Every command of the console blocks, in order."""
    lines = [line for block in blocks(page, "console") for line in block.splitlines()]
    return [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]


def links(page: Path) -> list[str]:
    """Where the page's links lead within the project."""
    return [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not link.startswith("http")]


def section(page: Path, title: str) -> str:
    """The text under one heading of the second level."""
    return page.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
