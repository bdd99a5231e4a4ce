"""Causes of Google's errors: real messages by cause, and what is sent again."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tpuserve.catalog.google_errors import error_kind, error_kinds, sent_again

MESSAGES = tomllib.loads(Path(__file__).with_name("google_messages.toml").read_text(encoding="utf-8"))["message"]
each_message = pytest.mark.parametrize("row", MESSAGES, ids=[row["source"].split("github.com/")[1] for row in MESSAGES])


def cause(code: str, message: str = "", reason: str = "") -> str:
    found = error_kind(code, message, reason)
    return found.name if found else ""


@each_message
def test_real_message(row: dict[str, Any]) -> None:
    assert cause(row["code"], row["text"], row.get("reason", "")) == row["cause"]


@each_message
def test_real_message_without_its_reason(row: dict[str, Any]) -> None:
    """Operations and states carry the message alone."""
    assert cause(row["code"], row["text"]) == row["cause"]


def test_every_cause_that_is_told_by_words_has_a_real_message() -> None:
    assert {kind.name for kind in error_kinds() if kind.words} - {row["cause"] for row in MESSAGES} == set()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("UNAUTHENTICATED", "credentials"),
        ("NOT_FOUND", "gone"),
        ("ABORTED", "busy"),
        ("UNAVAILABLE", "no answer"),
        ("DEADLINE_EXCEEDED", "no answer"),
        ("INVALID_ARGUMENT", "provider"),
        ("OUT_OF_RANGE", "provider"),
        ("UNIMPLEMENTED", "provider"),
        ("ALREADY_EXISTS", ""),
        ("FAILED_PRECONDITION", ""),
        ("INTERNAL", ""),
        ("UNKNOWN", ""),
    ],
)
def test_code_alone(code: str, expected: str) -> None:
    assert cause(code, "something else") == expected


def test_words_of_a_container_do_not_make_another_cause() -> None:
    log = "Model server exited unexpectedly. Last lines of its log: quota exceeded, no more capacity, constraints/x"

    assert cause("FAILED_PRECONDITION", log) == "container not ready"


@each_message
def test_only_rates_and_fresh_grants_among_the_real_messages_are_sent_again(row: dict[str, Any]) -> None:
    named = row["text"].startswith("Permission '")
    expected = {"rate": "rate", "permission": "grant" if named else ""}.get(row["cause"], "")

    assert sent_again(row["code"], row["text"], row.get("reason", "")) == expected


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED"])
def test_no_answer_is_asked_for_again(code: str) -> None:
    assert sent_again(code, "connection reset by peer") == "answer"


@pytest.mark.parametrize("code", ["ABORTED", "INTERNAL", "INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def test_what_is_an_answer_is_not_asked_for_again(code: str) -> None:
    assert sent_again(code, "no") == ""
