"""What the installed pulumi-gcp knows of arguments, read from its sources: it is never imported.

A class is parsed when it is asked for, since the package has thousands of them.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tpuserve.catalog import UNKNOWN
from tpuserve.catalog.words import did_you_mean

SCALARS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "str": ("a string", (str,)),
    "bool": ("true or false", (bool,)),
    "int": ("a whole number", (int,)),
    "float": ("a number", (int, float)),
}


@dataclass(frozen=True, slots=True)
class Property:
    """One property of a class, under its name on the wire."""

    type: ast.expr
    """The annotation, such as `pulumi.Input[Optional[Sequence[pulumi.Input['NodePoolNodeConfigArgs']]]]`."""
    required: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the package."""

    path: Path

    def properties(self, name: str) -> dict[str, Property]:
        """The properties of a class of this file; KeyError if it has no such class."""
        return dict(_properties(_class(self.path, name)))


def arguments(token: str) -> dict[str, Property]:
    """The arguments of a resource type; KeyError for a token that the package does not have."""
    return _of(token).properties(f"{_noun(token)}Args")


def computed(token: str) -> list[str]:
    """The texts among the outputs of a resource type that are no arguments of it."""
    outputs, given = _of(token).properties(f"_{_noun(token)}State"), arguments(token)
    return [name for name, each in outputs.items() if name not in given and _scalar(_plain(each.type)) == "str"]


def faults(token: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Why these are no arguments of that resource type: paths, each with the reason; unknown values have every type."""
    try:
        known = arguments(token)
    except KeyError:
        return [("", f"{token} is no resource of the installed pulumi-gcp")]
    return list(_object_faults("", values, known, token, _of(token)))


def function_faults(token: str, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Why these are no arguments of that function: paths, each with the reason."""
    try:
        source = _of(token)
    except KeyError:
        return [("", f"{token} is no function of the installed pulumi-gcp")]
    known = dict(_parameters(_function(source.path, source.path.stem)))
    return list(_object_faults("", values, known, token, source))


def results(token: str) -> list[str]:
    """The texts among what a function answers."""
    answered = _of(token).properties(f"{_noun(token)[0].upper()}{_noun(token)[1:]}Result")
    return [name for name, each in answered.items() if _scalar(_plain(each.type)) == "str"]


def leaves(token: str) -> Iterator[tuple[str, str]]:
    """Every argument of a resource type that holds no others, as `nodeConfig.labels`, with the name of its type."""
    yield from _leaves("", arguments(token), _of(token))


def _leaves(path: str, known: Mapping[str, Property], source: Source) -> Iterator[tuple[str, str]]:
    for key, each in known.items():
        plain = _item(each.type)
        if isinstance(plain, ast.Constant) and isinstance(plain.value, str):
            inputs = Source(source.path.parent / "_inputs.py")
            yield from _leaves(f"{path}{key}.", inputs.properties(plain.value), inputs)
        else:
            yield f"{path}{key}", _scalar(plain)


def _item(type_: ast.expr) -> ast.expr:
    """The type of what a list or a map holds; else the type itself."""
    match plain := _plain(type_):
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=item):
            return _item(item)
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, item])):
            return _item(item)
        case _:
            return plain


def _object_faults(
    path: str, values: Mapping[str, Any], known: Mapping[str, Property], name: str, source: Source
) -> Iterator[tuple[str, str]]:
    for key, each in known.items():
        if each.required and values.get(key) is None:
            yield f"{path}{key}", f"missing; {name} requires it"
    for key, value in values.items():
        if key in known:
            yield from _value_faults(f"{path}{key}", value, known[key].type, source)
        else:
            yield f"{path}{key}", f"not a property of {name}{did_you_mean(key, known)}"


def _value_faults(path: str, value: Any, type_: ast.expr, source: Source) -> Iterator[tuple[str, str]]:
    if value is UNKNOWN or value is None:
        return
    plain = _plain(type_)
    match plain:
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=item):
            yield from _list_faults(path, value, item, source)
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[_, item])):
            yield from _map_faults(path, value, item, source)
        case ast.Constant(value=str(name)):
            inputs = Source(source.path.parent / "_inputs.py")
            yield from _nested_faults(path, value, inputs, name)
        case _ if (scalar := SCALARS.get(_scalar(plain))) and not _is(value, scalar[1]):
            yield path, f"{value!r} is not {scalar[0]}"


def _list_faults(path: str, value: Any, item: ast.expr, source: Source) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield path, f"{value!r} is not a list"
        return
    for index, each in enumerate(value):
        yield from _value_faults(f"{path}[{index}]", each, item, source)


def _map_faults(path: str, value: Any, item: ast.expr, source: Source) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield path, f"{value!r} is not a map"
        return
    for key, each in value.items():
        yield from _value_faults(f"{path}.{key}", each, item, source)


def _nested_faults(path: str, value: Any, source: Source, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        yield from _object_faults(f"{path}.", value, source.properties(name), name, source)
    else:
        yield path, f"{value!r} is not an object"


def _is(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _plain(type_: ast.expr) -> ast.expr:
    """A type without `pulumi.Input[...]` and `Optional[...]` around it."""
    match type_:
        case ast.Subscript(value=ast.Attribute(attr="Input") | ast.Name(id="Optional"), slice=inner):
            return _plain(inner)
        case _:
            return type_


def _scalar(type_: ast.expr) -> str:
    return type_.attr if isinstance(type_, ast.Attribute) else ""


def _of(token: str) -> Source:
    """The file of a resource type or function, `gcp:tpu/v2Vm:V2Vm` in `tpu/v2_vm.py`; acronyms stay in one piece."""
    found = re.fullmatch(r"gcp:(\w+)/(\w+):\w+", token)
    path = found and _files(found[1]).get(found[2].lower())
    if not path:
        raise KeyError(token)
    return Source(path)


@cache
def _files(module: str) -> Mapping[str, Path]:
    return {path.stem.replace("_", ""): path for path in (_package() / module).glob("*.py")}


def _noun(token: str) -> str:
    return token.rpartition(":")[2]


@cache
def _package() -> Path:
    spec = find_spec("pulumi_gcp")
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


@cache
def _class(path: Path, name: str) -> ast.ClassDef:
    text = _text(path)
    start = text.find(f"\nclass {name}:\n")
    if start < 0:
        raise KeyError(name)
    end = text.find("\n\n\n", start)
    [found] = ast.parse(text[start : end if end > 0 else None]).body[:1]
    assert isinstance(found, ast.ClassDef)
    return found


@cache
def _function(path: Path, name: str) -> ast.FunctionDef:
    text = _text(path)
    start = text.find(f"\ndef {name}(")
    if start < 0:
        raise KeyError(name)
    end = text.find("\ndef ", start + 1)
    [found] = ast.parse(text[start : end if end > 0 else None]).body[:1]
    assert isinstance(found, ast.FunctionDef)
    return found


def _parameters(found: ast.FunctionDef) -> Iterator[tuple[str, Property]]:
    for each in found.args.args:
        if each.arg != "opts" and each.annotation:
            head, *tail = each.arg.split("_")
            yield head + "".join(map(str.capitalize, tail)), Property(each.annotation, False)


def _properties(found: ast.ClassDef) -> Iterator[tuple[str, Property]]:
    functions = [each for each in found.body if isinstance(each, ast.FunctionDef)]
    required = _required(next(each for each in functions if each.name == "__init__"))
    for each in functions:
        for decorator in each.decorator_list:
            if name := _wire_name(decorator, each.name):
                assert each.returns
                yield name, Property(each.returns, each.name in required)


def _required(init: ast.FunctionDef) -> set[str]:
    arguments_, defaults = init.args.kwonlyargs, init.args.kw_defaults
    return {each.arg for each, default in zip(arguments_, defaults, strict=True) if default is None}


def _wire_name(decorator: ast.expr, name: str) -> str:
    """The name that `@pulumi.getter` or `@pulumi.getter(name="...")` gives; "" for another decorator."""
    match decorator:
        case ast.Call(func=ast.Attribute(attr="getter"), keywords=[ast.keyword(value=ast.Constant(value=str(given)))]):
            return given
        case ast.Attribute(attr="getter"):
            return name
        case _:
            return ""
