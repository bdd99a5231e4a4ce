"""A function as data: its token, its arguments and result, and the rules that need several arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from tpuserve.catalog.faults import Fault, known
from tpuserve.resources.definition import Rule
from tpuserve.resources.fields import Shape, shape_of


@dataclass(frozen=True, slots=True)
class Function:
    """Everything that the schema, the plugin and the program's function need to know of a function."""

    token: str
    args: type
    result: type
    """A frozen dataclass: a program reads it by attribute. What is nested in it is a TypedDict."""
    doc: str
    place: Literal["zone", "location"]
    """The argument that, with `project`, says where to look; filled in by the provider where it is left out."""
    named: str = ""
    """The argument (camelCase) that names one object, by its id or by its full name; a full name has its place."""
    rules: tuple[Rule, ...] = ()

    @property
    def shape(self) -> Shape:
        return shape_of(self.args)

    @property
    def result_shape(self) -> Shape:
        return shape_of(self.result)

    def needs_place(self, arguments: Mapping[str, Any]) -> bool:
        """Whether project and place must be known to find what is named."""
        return not self.named or (isinstance(arguments.get(self.named), str) and "/" not in arguments[self.named])


def place_given_twice(named: str, arguments: Mapping[str, Any]) -> Iterator[Fault]:
    """A full name says where the object is, so that project and location beside it can only contradict it."""
    name = arguments.get(named)
    if isinstance(name, str) and "/" in name:
        for argument in ("project", "location"):
            if known(arguments.get(argument)) and arguments.get(argument) is not None:
                yield Fault(argument, f"is part of the full name {name!r} already: leave it out, or give the id alone")


def in_one_place(named: str) -> Rule:
    """The rule `place_given_twice` for the argument `named`."""
    return partial(place_given_twice, named)
