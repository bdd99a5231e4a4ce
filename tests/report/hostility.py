"""Texts that want to be markup, wherever a text can stand in a report; and what a browser makes of a comment."""

import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import strategies as st

from tests.report.streams import DEPLOYMENT, ENDPOINT, QUEUED, found, said, slices, step, told, violation
from tpuserve.report.markdown import MARKER
from tpuserve.report.report import Report

NASTY = (
    "<script>alert(1)</script>",
    "</details></code>",
    "<img src=x onerror=y>",
    "<!-- tpuserve:report -->",
    "| a | b |\n| --- | --- |",
    "```\n```mermaid\nx",
    "``` ` ~~~",
    "@octocat @org/team",
    "fixes #12, acme/web#3 GH-7",
    "[x](http://evil.example) ![y](z)",
    "https://evil.example www.evil.example me@evil.example",
    "**bold** __bold__ *a* _b_ ~~c~~ $x^2$",
    "\u202eright to left\u2066\u200b\u200f",
    "\x1b[31mred\x07\x00",
    "line\n\n# heading\n- item\n1. one\r\n> quote",
    "&lt;b&gt; &amp; &#60;",
    "\\| \\` \\*",
    '"]; click n0 href "javascript:alert(1)"',
    ":::class --> n1 %% end subgraph",
    "---\n===\n***",
    "\ud800 half",
)
TEXT = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=20)), max_size=3).map("".join)
VALUE = st.recursive(
    st.one_of(TEXT, st.none(), st.booleans(), st.integers()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=5,
)
TAGS = {"details", "summary", "code", "br", "sub"}
HUGE = "🧨|<`" * 25_000


class Reader(HTMLParser):
    """What a browser makes of it: the tags that are open, and those that were seen."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.broken = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {tag, *(name for name, _ in attrs)}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.broken |= not self.open or self.open.pop() != tag

    def handle_comment(self, data: str) -> None:
        self.seen.add("comment")

    def handle_decl(self, decl: str) -> None:
        self.seen.add("declaration")


def read(comment: str) -> Reader:
    """A comment without its marker and its pictures, as HTML."""
    reader = Reader()
    assert comment.startswith(MARKER)
    reader.feed(re.sub(r"```mermaid\n.*?\n```\n", "", comment.removeprefix(MARKER), flags=re.DOTALL))
    reader.close()
    return reader


def report_of(name: str, path: str, value: Any, message: str) -> Report:
    """A report in which the texts stand wherever one can."""
    key = f'["{path}"]'
    return told(
        found(ENDPOINT, f"{name}0", {path: value}, {path: [value]}, **{key: "update"}),
        step("create", ENDPOINT, f"{name}1", new={path: value}, parent=name),
        step("update", f"{name}:x:Y", f"{name}2", {path: [value]}, {path: value}, diff={key: "update"}),
        step("delete", QUEUED, f"{name}3", slices(2, zone=name)),
        step("create", QUEUED, f"{name}4", new=slices(2, zone=f"{name}-a", project=message)),
        step("update", DEPLOYMENT, f"{name}5", {}, {"deployedModels": {name: value}}, diff={key: "update"}),
        violation(message, policy=name, on=name),
        violation(f"about\n{message}", "advisory", f"{name}-unchecked"),
        said("error", message, name),
        said("warning", message),
        config={"quotas": {"limits": {}}},
    )
