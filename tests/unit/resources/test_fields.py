"""What an annotated TypedDict says of a resource."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Required, TypedDict

import pytest

from tpuserve.resources.fields import Effect, Field, Input, camel, docs_of, shape_of
from tpuserve.resources.wire import from_google, to_google, to_snake


class InnerArgs(TypedDict, total=False):
    """Something inside."""

    port_count: Input[int]
    """Number of ports."""


class OuterArgs(TypedDict, total=False):
    """Something."""

    display_name: Annotated[Required[Input[str]], Field(Effect.IN_PLACE)]
    """Name for people."""
    is_on: Input[bool]
    share: Input[float]
    mode: Input[Literal["ONE", "TWO"]]
    inner: Input[InnerArgs]
    items: Input[Sequence[Input[InnerArgs]]]
    by_name: Input[Mapping[str, Input[InnerArgs]]]
    ours: Annotated[Input[str], Field(ours=True)]


class UnknownKindArgs(TypedDict, total=False):
    """Something that has no wire form."""

    raw: bytes


SHAPE = shape_of(OuterArgs)
WIRE = {
    "displayName": "d",
    "isOn": False,
    "inner": {"portCount": 1},
    "items": [{"portCount": 2}],
    "byName": {"snake_case": {"portCount": 3}},
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("displayName", "string"),
        ("isOn", "boolean"),
        ("share", "number"),
        ("mode", "string"),
        ("inner", "object"),
        ("items", "list"),
        ("byName", "map"),
    ],
)
def test_kind(name: str, kind: str) -> None:
    assert SHAPE.by_wire()[name].shape.kind == kind


def test_required() -> None:
    assert [argument.wire for argument in SHAPE.arguments if argument.required] == ["displayName"]


def test_allowed_words() -> None:
    assert SHAPE.by_wire()["mode"].shape.allowed == ("ONE", "TWO")


def test_type_without_a_wire_form_is_an_error() -> None:
    with pytest.raises(TypeError, match="cannot be an argument"):
        shape_of(UnknownKindArgs)


def test_docstring_below_a_field() -> None:
    assert docs_of(OuterArgs) == {"display_name": "Name for people."}


@pytest.mark.parametrize(("snake", "wire"), [("a", "a"), ("node_id_prefix", "nodeIdPrefix"), ("a_1", "a1")])
def test_camel(snake: str, wire: str) -> None:
    assert camel(snake) == wire


def test_keys_of_maps_are_the_users() -> None:
    assert to_snake(SHAPE, WIRE)["by_name"] == {"snake_case": {"port_count": 3}}


def test_what_steers_the_provider_is_not_sent() -> None:
    assert to_google(SHAPE, {**WIRE, "ours": "x"}) == WIRE


def test_what_is_left_out_is_not_sent() -> None:
    assert to_google(SHAPE, {"displayName": None, "isOn": True}) == {"isOn": True}


@pytest.mark.parametrize(("answer", "inputs"), [({"etag": "x"}, {}), ({"ours": "x"}, {}), ({"isOn": True},) * 2])
def test_answer_as_inputs(answer: dict[str, Any], inputs: dict[str, Any]) -> None:
    assert from_google(SHAPE, answer) == inputs


def test_64_bit_numbers_are_text_in_googles_answer() -> None:
    assert from_google(SHAPE, {"byName": {"x": {"portCount": "9007199254740993"}}}) == {
        "byName": {"x": {"portCount": 9007199254740993}}
    }
