"""What the four resource classes of a program share: arguments in snake_case, outputs as attributes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pulumi

from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import Shape
from tpuserve.resources.wire import to_snake


class TpuserveResource(pulumi.CustomResource):
    """A custom resource served by the tpuserve plugin."""

    definition: ClassVar[Definition]

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> pulumi.Output[Any]: ...

    def __init_subclass__(cls) -> None:
        """Every argument and output is an attribute; the class itself gives a type to those that matter most."""
        for name in (*cls.definition.args.__annotations__, *cls.definition.outputs.__annotations__):
            if name not in cls.__dict__:
                setattr(cls, name, property(methodcaller("_output", name)))

    def __init__(
        self, resource_name: str, args: Mapping[str, Any] | None = None, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        props = inputs_to_wire(self.definition.shape, args or {})
        for argument in self.definition.attributes.values():
            props.setdefault(argument.wire, None)
        super().__init__(self.definition.token, resource_name, props, opts)

    @classmethod
    def get(cls, resource_name: str, id: pulumi.Input[str], opts: pulumi.ResourceOptions | None = None) -> Self:  # noqa: A002 - Pulumi's own word
        """An object that exists already, by Google's full name (of a Deployment its endpoint's), read and left as it
        is: its arguments and outputs are attributes. The program neither changes nor deletes it."""
        return cls(resource_name, {}, pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(id=id)))

    def _output(self, name: str) -> pulumi.Output[Any]:
        argument = self.definition.attributes[name]
        value: pulumi.Output[Any] = pulumi.get(self, argument.wire)
        return value.apply(lambda given: to_snake(argument.shape, given))


def inputs_to_wire(shape: Shape, value: Any) -> Any:
    """Keys of objects as the wire spells them, for values that may be Outputs or awaitables at any depth.

    Keys of maps (labels, variants) are the user's and stay; a key that the shape does not know is passed on as it
    is, so that Check can name it.
    """
    if isinstance(value, pulumi.Output) or inspect.isawaitable(value):
        return pulumi.Output.from_input(value).apply(lambda known: inputs_to_wire(shape, known))
    if shape.kind == "object" and isinstance(value, Mapping):
        names = {argument.name: argument for argument in shape.arguments} | shape.by_wire()
        return {
            names[key].wire if key in names else key: inputs_to_wire(names[key].shape, item) if key in names else item
            for key, item in value.items()
        }
    if shape.kind == "map" and isinstance(value, Mapping) and shape.item:
        return {key: inputs_to_wire(shape.item, item) for key, item in value.items()}
    if shape.kind == "list" and isinstance(value, (list, tuple)) and shape.item:
        return [inputs_to_wire(shape.item, item) for item in value]
    return value
