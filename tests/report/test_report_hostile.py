"""No text of a program or a cloud is markup in a report, and nothing makes it too long."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.report.goldens import printed
from tests.report.streams import DEPLOYMENT, ENDPOINT, QUEUED, found, said, slices, step, told, violation
from tpuserve.report import markdown
from tpuserve.report.budget import LIMIT
from tpuserve.report.escape import code, mermaid
from tpuserve.report.escape import markdown as escaped

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
ENTITY = re.compile(r"&#\d+;\u2060?")
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
    """A comment without its picture, as HTML."""
    reader = Reader()
    reader.feed(re.sub(r"```mermaid\n.*?\n```\n", "", comment, flags=re.DOTALL))
    reader.close()
    return reader


def hostile(name: str, path: str, value: Any, message: str) -> str:
    """A report in which the texts stand wherever one can."""
    key = f'["{path}"]'
    report = told(
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
    assert printed(report)
    return markdown.render(report)


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, VALUE, TEXT)
def test_no_text_is_markup_and_the_html_is_balanced(name: str, path: str, value: Any, message: str) -> None:
    comment = hostile(name, path, value, message)

    reader = read(comment)
    assert (reader.open, reader.broken, reader.seen - TAGS) == ([], False, set())
    assert len(comment) <= LIMIT


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, VALUE, TEXT)
def test_every_row_of_a_table_has_the_cells_of_its_head(name: str, path: str, value: Any, message: str) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", hostile(name, path, value, message), flags=re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1, table


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, VALUE, TEXT)
def test_only_the_picture_is_fenced(name: str, path: str, value: Any, message: str) -> None:
    comment = hostile(name, path, value, message)

    assert [line for line in comment.splitlines() if "```" in line] in ([], ["```mermaid", "```"])


@pytest.mark.parametrize("show", [escaped, code])
@given(TEXT)
def test_no_sign_of_markdown_is_left(show: Any, text: str) -> None:
    left = ENTITY.sub("", show(text).removeprefix("<code>").removesuffix("</code>"))

    assert not set(left) & set("&<>\\`*_[]#|~@$\n\r\t")
    assert "://" not in left
    assert "www." not in left.lower()


@given(TEXT)
def test_no_character_is_left_that_is_not_seen(text: str) -> None:
    left = escaped(text).replace("\u2060", "")

    assert left.isprintable()


@given(TEXT)
def test_a_label_of_the_picture_is_letters_and_entities(text: str) -> None:
    assert re.fullmatch(r"(?:[A-Za-z0-9 ./_,-]|#\d+;)*", mermaid(text))


@pytest.mark.parametrize("text", ["@octocat", "acme/web#3", "GH-7"])
def test_what_github_looks_for_after_markdown_is_broken_up(text: str) -> None:
    assert "\u2060" in escaped(text)


def test_enormous_values_leave_a_comment_that_fits() -> None:
    comment = hostile("web", "a", HUGE, HUGE)

    assert len(comment) <= LIMIT
    assert comment.startswith("### 🛑 prod: ")


def test_enormous_names_leave_a_comment_that_fits() -> None:
    comment = hostile(HUGE, HUGE, {HUGE: HUGE}, HUGE)

    assert len(comment) <= LIMIT
    assert read(comment).open == []


@pytest.fixture(scope="module")
def many() -> str:
    """10,000 resources, each with a long property."""
    steps = (
        step("update", ENDPOINT, f"web-{n}", {"a": "x"}, {"a": "y|" * 60}, diff={"a": "update"}) for n in range(10_000)
    )
    return markdown.render(told(*steps, violation("no", on="x"), step("delete", QUEUED, "c", slices(2))))


def test_ten_thousand_resources_leave_a_comment_that_fits(many: str) -> None:
    assert len(many) <= LIMIT
    assert (read(many).open, read(many).broken) == ([], False)


def test_the_verdict_is_never_left_out(many: str) -> None:
    assert many.startswith("### 🛑 prod: 1 delete gives up 16 v6e chips in us-east5-b, 10,000 updates; ")


def test_what_matters_most_comes_first(many: str) -> None:
    assert many.index("🗑️ delete") < many.index("✏️ update")


def test_what_was_left_out_is_said(many: str) -> None:
    assert re.search(r"_Changes left out: 9,\d{3} more, which `--format json` has\._", many)


def test_what_blocks_is_told_however_much_there_is(many: str) -> None:
    assert "| <code>machine-types</code> | **blocks** |" in many
