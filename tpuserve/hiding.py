"""Secrets taken out of texts that are shown."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

HIDDEN = "[secret]"
SHORT = 4  # characters
LINE = 8  # characters; shorter lines of a long secret are braces and the like


def hide(text: str, hidden: Iterable[str]) -> str:
    """`text` as it may be shown; a short secret is hidden only in quotes, for it may be part of any word."""
    for form in sorted({form for secret in hidden for form in _forms(secret)}, key=len, reverse=True):
        text = text.replace(repr(form), HIDDEN)
        text = text.replace(form, HIDDEN) if len(form) >= SHORT else text
    return text


def texts(value: Any) -> Iterator[str]:
    """Every text in a value that is a secret as a whole."""
    if isinstance(value, str):
        yield from [value] if value else []
    elif isinstance(value, (Mapping, list)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts(item)


def _forms(secret: str) -> Iterator[str]:
    """How a secret may stand in a text: as it is, as in JSON, or one line of it, as in a log."""
    yield secret
    yield json.dumps(secret)[1:-1]
    lines = (line.strip() for line in secret.splitlines())
    yield from (line for line in lines if len(line) >= LINE)
