"""What a resource is, read from its annotated TypedDict: the one place that says which arguments exist.

Schema (`schema.py`), Check (`check.py`), Diff (`diff.py`), the request sent (`wire.py`) and the program's class
(`base.py`) are all derived from the `Shape` that `shape_of` makes here.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
import typing
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, TypeAlias, TypeVar, Union, get_args, get_origin

import pulumi

T = TypeVar("T")
# pulumi.Input's own definition holds a forward reference that `get_type_hints` cannot resolve outside pulumi.
Input: TypeAlias = Union[T, Awaitable[T], pulumi.Output[T]]  # noqa: UP007


class Effect(Enum):
    """What a change of a field does to the object at Google."""

    IN_PLACE = "changes in place"
    NEW_VERSION = "uploads a new version of the model"
    REDEPLOY = "deploys the variant anew, beside the running one"
    REPLACE = "forces a replacement"


@dataclass(frozen=True, slots=True)
class Field:
    """How one argument behaves; the annotation's second half (`Annotated[Input[str], Field(...)]`)."""

    effect: Effect | None = None
    """None: as the enclosing argument."""
    ours: bool = False
    """The argument steers the provider and is never sent to Google."""
    check: Callable[[Any], str | None] | None = None
    """A rule for the value alone: a message, or None where it holds."""
    same: Callable[[Any, Any], bool] | None = None
    """Equality where two spellings mean one thing; else `==`."""
    spell: Callable[[Any], Any] | None = None
    """Puts a value into the one spelling that Google takes."""
    is_name: bool = False
    """The value is a Google resource name: a URL or a path, with a project's id or its number."""
    secret: bool = False
    otherwise: Any = None
    """What leaving the argument out says, where that is not the zero of its type."""
    absent_when_empty: bool = False
    """An empty object says what leaving it out says; else its being there is something to say (`spot: {}`)."""
    filled: bool = False
    """Google fills it in where it is left out, so what it says then is no drift, and taking it out changes nothing."""
    rest: bool = False
    """No gRPC client has it: a request that says it is sent, and read, over REST."""
    completed: Callable[[Any, Any], bool] | None = None
    """Whether Google's answer (the second) is what was asked for (the first) with its own additions."""


IN_PLACE = Field(Effect.IN_PLACE)
REPLACE = Field(Effect.REPLACE)
REDEPLOY = Field(Effect.REDEPLOY)
NEW_VERSION = Field(Effect.NEW_VERSION)
# Not Google's: what steers the provider, and what says where a resource is or that it is made anew.
OURS = Field(Effect.IN_PLACE, ours=True)
PLACE = Field(Effect.REPLACE, ours=True)


@dataclass(frozen=True, slots=True)
class Argument:
    """One field of an object shape."""

    name: str
    wire: str
    shape: Shape
    required: bool
    field: Field


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a value: `kind` is string, integer, number, boolean, object, list or map."""

    kind: str
    typed_dict: type | None = None
    arguments: tuple[Argument, ...] = ()
    item: Shape | None = None
    allowed: tuple[str, ...] = field(default=())

    def by_wire(self) -> dict[str, Argument]:
        return {argument.wire: argument for argument in self.arguments}


def over_rest(shape: Shape) -> list[Argument]:
    """The arguments of a resource that go over REST."""
    return [argument for argument in shape.arguments if argument.field.rest]


def said_over_rest(shape: Shape, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Those of them that are given."""
    return {each.wire: inputs[each.wire] for each in over_rest(shape) if inputs.get(each.wire) is not None}


SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}


def camel(name: str) -> str:
    """`node_id_prefix` -> `nodeIdPrefix`."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


@cache
def shape_of(typed_dict: type) -> Shape:
    """The object shape of a TypedDict; every field's own docstring is read only by `docs_of`."""
    hints = typing.get_type_hints(typed_dict, include_extras=True)
    required: frozenset[str] = getattr(typed_dict, "__required_keys__", frozenset())
    arguments = tuple(_argument(name, hint, name in required) for name, hint in hints.items())
    return Shape("object", typed_dict, arguments)


def _argument(name: str, hint: Any, required: bool) -> Argument:
    mark = Field()
    while get_origin(hint) in (Required, NotRequired, Annotated):
        if get_origin(hint) is Annotated:
            mark = next((extra for extra in hint.__metadata__ if isinstance(extra, Field)), mark)
        else:
            required = get_origin(hint) is Required
        hint = get_args(hint)[0]
    return Argument(name, camel(name), _value_shape(hint), required, mark)


def _value_shape(hint: Any) -> Shape:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType, Annotated):
        return _value_shape(get_args(hint)[0])
    if origin is Literal:
        return Shape("string", allowed=get_args(hint))
    if origin in (Mapping, dict):
        return Shape("map", item=_value_shape(get_args(hint)[1]))
    if origin in (Sequence, list):
        return Shape("list", item=_value_shape(get_args(hint)[0]))
    if hint in SCALARS:
        return Shape(SCALARS[hint])
    if typing.is_typeddict(hint):
        return shape_of(hint)
    raise TypeError(
        f"{hint!r} cannot be an argument: use str, int, float, bool, Literal, Mapping, Sequence or a TypedDict"
    )


def docs_of(typed_dict: type) -> dict[str, str]:
    """Field name -> the docstring below it; it parses the source, so it is called only when the schema is asked for."""
    docs: dict[str, str] = {}
    for base in reversed(getattr(typed_dict, "__orig_bases__", ())):
        if typing.is_typeddict(base):
            docs |= docs_of(base)
    node = ast.parse(textwrap.dedent(inspect.getsource(typed_dict))).body[0]
    assert isinstance(node, ast.ClassDef)
    for before, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            assert isinstance(before.target, ast.Name)
            docs[before.target.id] = inspect.cleandoc(str(after.value.value))
    return docs
