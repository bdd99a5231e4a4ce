"""No text of a program or a cloud is markup in a report, and nothing makes it too long."""

import re
from typing import Any

import pytest
from hypothesis import given, settings

from tests.report.goldens import printed
from tests.report.hostility import HUGE, TAGS, TEXT, VALUE, read, report_of
from tests.report.streams import ENDPOINT, QUEUED, slices, step, told, violation
from tpuserve.report import markdown
from tpuserve.report.budget import LIMIT
from tpuserve.report.escape import code, mermaid
from tpuserve.report.escape import markdown as escaped


def hostile(name: str, path: str, value: Any, message: str) -> str:
    """The comment of such a report, which a terminal shows as well."""
    made = report_of(name, path, value, message)
    assert printed(made)
    return markdown.render(made)


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
    left = re.sub(r"&#\d+;\u2060?", "", show(text).removeprefix("<code>").removesuffix("</code>"))

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
    assert comment.startswith(f"{markdown.MARKER}### 🛑 prod: ")


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
    assert many.startswith(
        f"{markdown.MARKER}### 🛑 prod: 1 delete gives up 16 v6e chips in us-east5-b, 10,000 updates; "
    )


def test_what_matters_most_comes_first(many: str) -> None:
    assert many.index("🗑️ delete") < many.index("✏️ update")


def test_what_was_left_out_is_said(many: str) -> None:
    assert re.search(r"_Changes left out: 9,\d{3} more, which `--format json` has\._", many)


def test_what_blocks_is_told_however_much_there_is(many: str) -> None:
    assert "| <code>machine-types</code> | **blocks** |" in many
