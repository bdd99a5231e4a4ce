"""Causes of Google's errors, told by code and words; what can be done, and what is sent again."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tpuserve.catalog.tables import table

Again = Literal["", "answer", "rate", "grant"]


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One cause, a row of `data/google_errors.toml`."""

    name: str
    codes: frozenset[str]
    """Names of gRPC statuses."""
    words: str
    advice: str
    """What a user can do. No full stop."""
    again: Again
    again_words: str


@cache
def error_kinds() -> tuple[ErrorKind, ...]:
    """Every cause, in the order in which they are tried."""
    return tuple(
        ErrorKind(
            name,
            frozenset(row["codes"]),
            row["words"],
            row["advice"],
            row.get("again", ""),
            row.get("again_words", ""),
        )
        for name, row in table("google_errors").items()
    )


def error_kind(code: str, message: str, reason: str = "") -> ErrorKind | None:
    """The cause of an error; `reason` is ErrorInfo's. None where Google's words have to do."""
    fits = (kind for kind in error_kinds() if code in kind.codes and _has(kind.words, message, reason))
    return next(fits, None)


def sent_again(code: str, message: str, reason: str = "") -> Again:
    """Whether the same request may be sent again: "" never, "answer" where it is repeatable, "rate" after a while,
    "grant" for a bounded time. Quota and capacity are never asked for blindly."""
    kind = error_kind(code, message, reason)
    return kind.again if kind is not None and _has(kind.again_words, message, reason) else ""


def _has(words: str, message: str, reason: str) -> bool:
    return re.search(words, f"{reason}: {message}", re.IGNORECASE) is not None
