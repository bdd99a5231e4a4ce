"""Values of scalar types: what is taken is what protobuf's own JSON parser takes."""

from typing import Any

import pytest
from google.protobuf import duration_pb2, timestamp_pb2, wrappers_pb2
from google.protobuf.json_format import ParseDict, ParseError
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.emulator.rest import scalars

WRAPPERS: dict[tuple[str, str], Any] = {
    ("integer", "int32"): wrappers_pb2.Int32Value,
    ("integer", "uint32"): wrappers_pb2.UInt32Value,
    ("string", "int64"): wrappers_pb2.Int64Value,
    ("string", "uint64"): wrappers_pb2.UInt64Value,
    ("number", "double"): wrappers_pb2.DoubleValue,
    ("number", "float"): wrappers_pb2.FloatValue,
    ("boolean", ""): wrappers_pb2.BoolValue,
    ("string", ""): wrappers_pb2.StringValue,
}
VALUES = (
    st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.sampled_from([0, -1, 2**31, 2**32, 2**63, 2**64, 1.5, 3.0, "7", "-7", "1.5", "x", "", "NaN", "true", [], {}])
    | st.text(max_size=4)
)


def taken(kind: Any, value: object) -> bool:
    try:
        ParseDict(value, kind())
    except (ParseError, ValueError, TypeError, OverflowError):
        return False
    return True


@pytest.mark.parametrize(("type_name", "form"), WRAPPERS)
@given(value=VALUES)
def test_what_fits_is_parsed(type_name: str, form: str, value: object) -> None:
    row = {"type": type_name} | ({"format": form} if form else {})

    assert not scalars.fits(row, value) or taken(WRAPPERS[type_name, form], value)


@pytest.mark.parametrize(
    ("type_name", "form", "value"),
    [
        ("integer", "int32", 7),
        ("integer", "int32", "7"),
        ("integer", "int32", 7.0),
        ("string", "int64", "9223372036854775807"),
        ("string", "int64", 5),
        ("number", "double", 1),
        ("number", "double", "Infinity"),
        ("number", "float", 1.5),
        ("boolean", "", False),
    ],
)
def test_the_forms_of_the_json_mapping_are_taken(type_name: str, form: str, value: object) -> None:
    assert scalars.fits({"type": type_name, "format": form}, value)


@given(st.integers(-(10**6), 10**6), st.integers(0, 999_999_999))
def test_a_duration_is_one(seconds: int, nanos: int) -> None:
    text = duration_pb2.Duration(seconds=seconds, nanos=nanos if seconds >= 0 else -nanos).ToJsonString()

    assert scalars.fits({"type": "string", "format": "google-duration"}, text)


@given(st.integers(0, 4 * 10**9), st.integers(0, 999_999_999))
def test_a_moment_is_one(seconds: int, nanos: int) -> None:
    text = timestamp_pb2.Timestamp(seconds=seconds, nanos=nanos).ToJsonString()

    assert scalars.fits({"type": "string", "format": "google-datetime"}, text)


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("google-duration", "5"),
        ("google-duration", "315576000001s"),
        ("google-datetime", "2026-01-01"),
        ("google-datetime", "yesterday"),
        ("google-fieldmask", "a b"),
        ("google-fieldmask", 5),
        ("byte", "not base 64!"),
        ("byte", 5),
    ],
)
def test_another_form_is_none(form: str, value: object) -> None:
    assert not scalars.fits({"type": "string", "format": form}, value)
