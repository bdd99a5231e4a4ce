"""docs/resources.md: the arguments and outputs of the four resources and of the functions, from their TypedDicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import Argument, Effect, Shape, docs_of
from tpuserve.resources.functions import FUNCTIONS
from tpuserve.resources.functions.definition import Function
from tpuserve.resources.schema import DEFINITIONS, schema

HEAD = """\
# Resources

Made by `python -m tools.docs resources` from the resources' own definitions (`tpuserve/resources/`); a test fails when
this page is stale. Argument names are those of a Python program; on the wire, in error messages and in other languages
they are camelCase. `[]` is an element of a list, `{}` a value of a map. Names and nesting are Google's; arguments
marked † steer the provider and are never sent to Google.

What a change of an argument does:

| effect | means |
| --- | --- |
| in place | Google's update method changes the object |
| new version | a new version of the same model is uploaded; the old one stays while it is deployed |
| redeploy | the variant is deployed anew beside the running one, takes its share, and the old one is undeployed |
| replacement | another object is made, and the old one deleted after it (before it, where both need one name) |
"""
FUNCTIONS_HEAD = """\
## Functions

They look up what is at Google already, whoever made it, and change nothing: `tpuserve.get_model_version(model="digits",
alias="prod").version_name`. Arguments are keywords; `opts` is Pulumi's `InvokeOptions`. The result has attributes. Each
has a form that ends in `_output`, which takes outputs as arguments and returns one. They are asked anew in each preview
and update: an alias that moved shows as a change of what uses it."""
WORDS = {
    Effect.IN_PLACE: "in place",
    Effect.NEW_VERSION: "new version",
    Effect.REDEPLOY: "redeploy",
    Effect.REPLACE: "replacement",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One argument at its path."""

    path: str
    type: str
    effect: Effect | None
    ours: bool
    required: bool
    text: str

    def cells(self) -> str:
        name = f"`{self.path}`{' †' if self.ours else ''}"
        words = [self.kind(), WORDS[self.effect] if self.effect else ""]
        return "| " + " | ".join([name, *words, self.text]) + " |"

    def kind(self) -> str:
        return self.type + (", required" if self.required else "")


def page() -> str:
    """The whole page."""
    resources = [line for each in DEFINITIONS for line in _resource(each)]
    functions = [line for each in FUNCTIONS for line in _function(each)]
    return "\n".join([HEAD, *_settings(), *resources, "", FUNCTIONS_HEAD, *functions])


def _settings() -> Iterator[str]:
    yield from ("## Provider", "", "| key | what it is |", "| --- | --- |")
    settings = schema("", (), ())["config"]["variables"]
    yield from (f"| `tpuserve:{name}` | {_cell(body['description'])} |" for name, body in settings.items())


def _resource(definition: Definition) -> Iterator[str]:
    yield from ("", f"## {definition.token.rsplit(':', 1)[-1]}", "", f"`{definition.token}`. {definition.doc}", "")
    yield from ("| argument | type | a change | |", "| --- | --- | --- | --- |")
    yield from (row.cells() for row in rows(definition.shape))
    yield from ("", "| output | type | |", "| --- | --- | --- |")
    yield from (f"| `{row.path}` | {row.type} | {row.text} |" for row in rows(definition.output_shape))


def _function(function: Function) -> Iterator[str]:
    name = function.token.rsplit(":", 1)[-1]
    python = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    yield from ("", f"### {python}", "", f"`{function.token}`. {function.doc}", "")
    yield from ("| argument | type | |", "| --- | --- | --- |")
    yield from (f"| `{row.path}` | {row.kind()} | {row.text} |" for row in rows(function.shape))
    yield from ("", "| result | type | |", "| --- | --- | --- |")
    yield from (f"| `{row.path}` | {row.type} | {row.text} |" for row in rows(function.result_shape))


def rows(shape: Shape, prefix: str = "", effect: Effect | None = None, ours: bool = False) -> Iterator[Row]:
    """Every argument below `shape`, depth first; one without an effect of its own has the enclosing argument's."""
    docs = docs_of(shape.typed_dict) if shape.typed_dict else {}
    for argument in shape.arguments:
        path = f"{prefix}{argument.name}"
        own, steers = argument.field.effect or effect, ours or argument.field.ours
        yield Row(path, _type(argument.shape), own, steers, argument.required, _text(argument, docs))
        inner, suffix = _inner(argument.shape)
        yield from rows(inner, f"{path}{suffix}.", own, steers) if inner.kind == "object" else ()


def _inner(shape: Shape) -> tuple[Shape, str]:
    """What is in a list or a map, and how a path goes on to it."""
    if shape.item is None:
        return shape, ""
    inner, suffix = _inner(shape.item)
    return inner, ("[]" if shape.kind == "list" else "{}") + suffix


def _type(shape: Shape) -> str:
    if shape.item is not None:
        return f"{shape.kind} of {_type(shape.item)}"
    return shape.kind


def _text(argument: Argument, docs: dict[str, str]) -> str:
    text, allowed = docs.get(argument.name, ""), argument.shape.allowed
    values = f" One of {', '.join(f'`{value}`' for value in allowed)}." if allowed else ""
    return _cell(text + values)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
