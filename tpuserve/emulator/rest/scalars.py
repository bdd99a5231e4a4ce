"""Whether one JSON value is a value of a scalar type of a discovery document. Pure."""

import base64
import binascii
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

# google.protobuf's JSON mapping: protobuf.dev/programming-guides/json
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_DURATION = re.compile(r"-?\d+(\.\d{1,9})?s", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII)
_MASK = re.compile(r"([A-Za-z0-9_*\-]+(\.[A-Za-z0-9_*\-\"`]+)*(,|$))*")
_RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
_LONGEST = 315_576_000_000  # seconds of a Duration, 10,000 years


def kind(row: Mapping[str, Any]) -> str:
    """The type of a property or parameter, in the words of an error."""
    if row.get("type") in {"boolean", "number"}:
        return {"boolean": "TYPE_BOOL", "float": "TYPE_FLOAT"}.get(row.get("format", row["type"]), "TYPE_DOUBLE")
    named = {"byte": "TYPE_BYTES", "google-duration": "type.googleapis.com/google.protobuf.Duration"}
    named["google-datetime"] = "type.googleapis.com/google.protobuf.Timestamp"
    named["google-fieldmask"] = "type.googleapis.com/google.protobuf.FieldMask"
    form = row.get("format", "")
    return named.get(form, f"TYPE_{form.upper()}" if form in _RANGES else "TYPE_STRING")


def fits(row: Mapping[str, Any], value: Any) -> bool:
    """Whether a value has the type and format of its property; enums are not looked at."""
    test = _FORMATS.get(row.get("format", ""))
    return test(value) if test is not None else _TYPES[row.get("type", "any")](value)


def _is_integer(form: str) -> Callable[[Any], bool]:
    low, high = _RANGES[form]

    def test(value: Any) -> bool:
        if isinstance(value, str):
            return _INTEGER.fullmatch(value) is not None and len(value) < 25 and low <= int(value) <= high
        whole = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value) and value.is_integer())
        return not isinstance(value, bool) and whole and low <= value <= high

    return test


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value in _NO_NUMBERS or _NUMBER.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_float(value: Any) -> bool:
    """A single precision number: one that is too large for it is none."""
    return _is_number(value) and (value in _NO_NUMBERS or abs(float(value)) <= 3.4028235e38)


def _is_bytes(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        base64.b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_duration(value: Any) -> bool:
    return isinstance(value, str) and _DURATION.fullmatch(value) is not None and abs(float(value[:-1])) <= _LONGEST


def _is_moment(value: Any) -> bool:
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def _is_mask(value: Any) -> bool:
    return isinstance(value, str) and _MASK.fullmatch(value) is not None


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "any": lambda _: True,
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer("int32"),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
}
_FORMATS: Mapping[str, Callable[[Any], bool]] = {
    **{form: _is_integer(form) for form in _RANGES},
    "float": _is_float,
    "byte": _is_bytes,
    "google-duration": _is_duration,
    "google-datetime": _is_moment,
    "google-fieldmask": _is_mask,
}
