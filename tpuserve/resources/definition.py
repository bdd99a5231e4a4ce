"""A custom resource as data: its token, its arguments and outputs, and the rules that need several arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tpuserve.catalog.faults import Fault
from tpuserve.resources.fields import Argument, Shape, shape_of

Rule = Callable[[Mapping[str, Any]], Iterable[Fault]]


@dataclass(frozen=True, slots=True)
class Definition:
    """Everything that the schema, the plugin and the program's class need to know of a resource."""

    token: str
    args: type
    outputs: type
    doc: str
    place: Literal["zone", "location"] | None = None
    """The argument that, with `project`, says where the object lives; filled in by Check from the provider."""
    id_argument: str | None = None
    """The argument (camelCase) with the object's id; made by Check where the program leaves it out."""
    rules: tuple[Rule, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    """Google's arguments (camelCase) that cannot be given, at whatever depth -> why, in a sentence."""
    refresh_before_update: bool = False

    @property
    def shape(self) -> Shape:
        return shape_of(self.args)

    @property
    def output_shape(self) -> Shape:
        return shape_of(self.outputs)

    @property
    def attributes(self) -> dict[str, Argument]:
        """Every argument and output by its snake_case name; an output says more than an argument of the same name."""
        return {argument.name: argument for argument in (*self.shape.arguments, *self.output_shape.arguments)}
