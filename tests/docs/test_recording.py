"""How a run of `make up` gets onto a page."""

import pytest

from tools.docs.recording import BEGIN, END, plain, report_of, svg, with_report

OUTPUT = "Resources:\n    + 8 created\n\n\x1b[1mCollection\x1b[0m  q  \x1b[32mACTIVE\x1b[0m\n  slice   \n"


def test_the_report_is_what_follows_the_engines_words() -> None:
    assert plain(report_of(OUTPUT)) == "Collection  q  ACTIVE\n  slice"


def test_the_report_takes_the_place_between_the_marks() -> None:
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    once = with_report(page, "new")

    assert once == f"before\n{BEGIN}\n\n```text\nnew\n```\n\n{END}\nafter\n"
    assert with_report(once, "new") == once


def test_a_page_without_the_marks_is_not_written() -> None:
    with pytest.raises(ValueError, match=r"README\.md needs the lines"):
        with_report("nothing", "new")


def test_the_picture_asks_no_other_machine_for_anything() -> None:
    picture = svg(report_of(OUTPUT))

    assert "ACTIVE" in picture
    assert "url(" not in picture.replace("url(#", "")
    assert "@import" not in picture
