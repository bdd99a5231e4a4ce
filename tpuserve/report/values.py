"""Values of resources as a report has them: known, not known before the update, secret, or not there."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from tpuserve.catalog import UNKNOWN
from tpuserve.marks import SIGNATURE, is_secret, is_unknown

UNKNOWN_TEXT = "(known after up)"
SECRET_TEXT = "[secret]"  # noqa: S105 - what is shown in place of one
LONGEST = 4_000  # characters of one value; whoever wants more reads the events
STEP = re.compile(r"""\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[]+)""")
Kind = Literal["known", "unknown", "secret", "absent"]


class Shown(Struct, frozen=True):
    """One value."""

    kind: Kind
    text: str = ""
    """A text as it is, everything else as JSON; what is unknown or secret in it is said in its place."""


ABSENT, HIDDEN, LATER = Shown("absent"), Shown("secret", SECRET_TEXT), Shown("unknown", UNKNOWN_TEXT)


def shown(value: Any) -> Shown:
    """The value as it may be told; None is what is not there."""
    if value is None:
        return ABSENT
    if is_secret(value):
        return HIDDEN
    if is_unknown(value):
        return LATER
    text = value if isinstance(value, str) else json.dumps(_opened(value), ensure_ascii=False)
    return Shown("known", clipped(text, LONGEST))


def plain(value: Any) -> Any:
    """The value for the catalog's rules: `UNKNOWN` for what is unknown or secret, and without what is not there."""
    if is_secret(value):
        return UNKNOWN
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items() if each is not None and key != SIGNATURE}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return UNKNOWN if is_unknown(value) else value


def steps(path: str) -> list[str | int]:
    """Keys and indices of a path in Pulumi's notation, such as `tpu.nodeSpec[0].labels["a.b"]`."""
    return list(_steps(path))


def _steps(path: str) -> Iterator[str | int]:
    for found in STEP.finditer(path):
        quoted, index, key = found.groups()
        yield int(index) if index is not None else key if key is not None else quoted.replace('\\"', '"')


def at(value: Any, path: str) -> Any:
    """What is at a path; the mark of a secret or an unknown if that is on the way, None where nothing is."""
    for step in steps(path):
        if is_secret(value) or is_unknown(value):
            return value
        try:
            value = value[step]  # pyright: ignore[reportArgumentType]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def clipped(text: str, most: int) -> str:
    """The beginning of a text that is too long, with how long it is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _opened(value: Any) -> Any:
    if is_secret(value):
        return SECRET_TEXT
    if isinstance(value, Mapping):
        return {key: _opened(each) for key, each in value.items() if key != SIGNATURE}
    if isinstance(value, list):
        return [_opened(each) for each in value]
    return UNKNOWN_TEXT if is_unknown(value) else value
