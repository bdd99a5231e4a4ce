"""Plain data (from YAML or JSON) into annotated dataclasses, with every fault at once instead of the first.

Keys are camelCase as in Google's API, fields snake_case. A field whose value has a wrong type becomes `UNKNOWN`, so
that the rules on the other fields can still run.
"""

import dataclasses
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.catalog.numbers import whole_number
from tpuserve.catalog.words import did_you_mean, listed

EXPECTED = {
    str: "a string",
    int: "a whole number, without quotes",
    bool: "true or false, without quotes",
    dict: "an object (key: value)",
    list: "a list",
}


class Decoder:
    """One pass over the data; what is wrong is in `faults` afterwards."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def decode(self, kind: Any, value: Any, path: str) -> Any:
        """`value` as a `kind`, or `UNKNOWN` with a fault."""
        if dataclasses.is_dataclass(kind):
            return self._dataclass(kind, value, path)
        origin = get_origin(kind)
        if origin in (Union, types.UnionType):
            return self.decode(next(arm for arm in get_args(kind) if arm is not types.NoneType), value, path)
        if origin is Literal:
            return self._choice(get_args(kind), value, path)
        if origin in (Mapping, dict):
            return self._mapping(get_args(kind)[1], value, path)
        if origin is list:
            return self._list(get_args(kind)[0], value, path)
        return self._scalar(kind, value, path)

    def _dataclass(self, kind: Any, value: Any, path: str) -> Any:
        if not isinstance(value, Mapping):
            return self._wrong(path, value, dict)
        fields = {camel(field.name): field for field in dataclasses.fields(kind)}
        hints = get_type_hints(kind)
        for key in value:
            if key not in fields:
                self._fault(_join(path, key), f"unknown key{did_you_mean(key, fields)}; allowed: {listed(fields)}")
        given = {key: item for key, item in value.items() if key in fields and item is not None}
        decoded = {fields[k].name: self.decode(hints[fields[k].name], v, _join(path, k)) for k, v in given.items()}
        for key, field in fields.items():
            if key not in given and _required(field):
                self._fault(_join(path, key), f"missing; give {field.metadata['doc']}")
                decoded[field.name] = UNKNOWN
        return kind(**decoded)

    def _choice(self, allowed: tuple[str, ...], value: Any, path: str) -> Any:
        if value in allowed:
            return value
        return self._fault(path, f"{value!r} is not allowed; use {listed(allowed, 'or')}")

    def _mapping(self, kind: Any, value: Any, path: str) -> Any:
        if not isinstance(value, Mapping):
            return self._wrong(path, value, dict)
        return {str(key): self.decode(kind, item, _join(path, key)) for key, item in value.items()}

    def _list(self, kind: Any, value: Any, path: str) -> Any:
        if not isinstance(value, list):
            return self._wrong(path, value, list)
        return [self.decode(kind, item, f"{path}[{index}]") for index, item in enumerate(value)]

    def _scalar(self, kind: type, value: Any, path: str) -> Any:
        if kind is int:
            number = whole_number(value)
            return self._wrong(path, value, int) if number is None else number
        return value if isinstance(value, kind) else self._wrong(path, value, kind)

    def _wrong(self, path: str, value: Any, kind: type) -> Any:
        return self._fault(path, f"{shown(value)} is {described(value)}; give {EXPECTED[kind]}")

    def _fault(self, path: str, message: str) -> Any:
        self.faults.append(Fault(path, message))
        return UNKNOWN


def camel(name: str) -> str:
    """`accelerator_type` is written `acceleratorType`."""
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)


def described(value: Any) -> str:
    """What kind of value it is, in the words of YAML."""
    kinds = {
        bool: "a truth value",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "an object",
    }
    return kinds.get(type(value), "nothing" if value is None else type(value).__name__)


def shown(value: Any) -> str:
    """The value as it is written in YAML."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)
