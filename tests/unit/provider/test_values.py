"""Property values to the wire and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.properties import SECRET, SIGNATURE, Secret, from_wire, to_wire
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.hiding import HIDDEN, hide
from tpuserve.provider.values import COMPUTED, OUTPUT, Properties, at, decode, encode, redacted

EXACT = 2**53  # the wire knows doubles alone
TEXT = st.text(max_size=12).filter(lambda text: text not in COMPUTED)
SCALARS = st.none() | st.booleans() | st.integers(-EXACT, EXACT) | TEXT | st.just(UNKNOWN)
FRACTIONS = st.floats(allow_nan=False, allow_infinity=False)
KEYS = TEXT.filter(lambda key: key != SIGNATURE)
VALUES = st.recursive(
    SCALARS | FRACTIONS,
    lambda item: st.lists(item, max_size=4) | st.dictionaries(KEYS, item, max_size=4) | st.builds(Secret, item),
    max_leaves=12,
)
PROPERTIES = st.dictionaries(KEYS, VALUES, max_size=4)


def plain(value: Any) -> Any:
    """Without wrapping, and a whole double as the integer it is."""
    if isinstance(value, Secret):
        return plain(value.value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def once(value: Any) -> Any:
    """A secret in a secret is one."""
    if isinstance(value, Secret):
        inner = value.value
        while isinstance(inner, Secret):
            inner = inner.value
        return Secret(once(inner))
    if isinstance(value, dict):
        return {key: once(item) for key, item in value.items()}
    return [once(item) for item in value] if isinstance(value, list) else plain(value)


@given(PROPERTIES)
def test_values_are_read_as_they_were_given(values: dict[str, Any]) -> None:
    assert decode(to_wire(values)).values == plain(values)


@given(PROPERTIES)
def test_secrets_are_wrapped_where_they_were(values: dict[str, Any]) -> None:
    read = decode(to_wire(values))

    assert from_wire(encode(read.values, read.secrets)) == once(values)


@given(PROPERTIES)
def test_two_rounds_are_as_one(values: dict[str, Any]) -> None:
    first = decode(to_wire(values))
    second = decode(encode(first.values, first.secrets))

    assert (second.values, second.secrets) == (first.values, first.secrets)


@pytest.mark.parametrize("marker", sorted(COMPUTED))
def test_every_kind_of_unknown(marker: str) -> None:
    assert decode(json_format.ParseDict({"a": marker}, encode({}))).values == {"a": UNKNOWN}


@pytest.mark.parametrize(
    ("output", "value", "secrets"),
    [
        ({"value": "x"}, "x", set()),
        ({"value": "x", "secret": True}, "x", {("a",)}),
        ({}, UNKNOWN, set()),
        ({"secret": True}, UNKNOWN, {("a",)}),
    ],
)
def test_output_value(output: dict[str, Any], value: Any, secrets: set[Any]) -> None:
    read = decode(json_format.ParseDict({"a": {SIGNATURE: OUTPUT, **output}}, encode({})))

    assert (read.values, read.secrets) == ({"a": value}, secrets)


def test_whole_number_is_an_integer() -> None:
    assert json.dumps(decode(to_wire({"a": 3.0})).values) == '{"a": 3}'


@given(PROPERTIES)
def test_no_secret_text_is_left_where_all_are_redacted(values: dict[str, Any]) -> None:
    read = decode(to_wire({"open": "x", "closed": Secret(values)}))

    assert redacted(read.values, read.secrets) == {"open": "x", "closed": HIDDEN}


def test_redacted_list_keeps_what_is_not_secret() -> None:
    read = decode(to_wire({"env": [{"name": "A", "value": Secret("b")}]}))

    assert redacted(read.values, read.secrets) == {"env": [{"name": "A", "value": HIDDEN}]}


def test_texts_below_a_secret_are_hidden() -> None:
    read = decode(to_wire({"env": Secret([{"name": "A", "value": "long"}]), "open": "shown"}))

    assert read.hidden() == {"A", "long"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("got 's3cr3t' here", f"got {HIDDEN} here"),
        ("token=s3cr3t", f"token={HIDDEN}"),
        ("'a' of a word", f"{HIDDEN} of a word"),
    ],
)
def test_hidden_in_a_message(text: str, shown: str) -> None:
    assert hide(text, {"s3cr3t", "a"}) == shown


@pytest.mark.parametrize("path", [("a", 5), ("a", 0, "b"), ("x",), ("a", "b")])
def test_path_to_nothing(path: Any) -> None:
    assert at({"a": ["text"]}, path) is None


def test_secret_marker_is_pulumis() -> None:
    encoded = json_format.MessageToDict(encode({"a": 1}, Properties({}, {("a",)}).secrets))

    assert encoded == {"a": {SIGNATURE: SECRET, "value": 1}}
