"""Property values between the engine's wire form (`Struct`) and Python: unknowns, secrets, whole numbers.

Secrets are unwrapped on the way in and remembered by path, and what goes out at the same path is wrapped again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf import struct_pb2

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.hiding import HIDDEN, texts
from tpuserve.marks import SECRET, SIGNATURE, UNKNOWN_STRING
from tpuserve.resources.paths import Step

# The protocol's marks of outputs, and of what is not known yet by the type that it will have.
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
COMPUTED = frozenset(
    {
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",  # bool
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",  # number
        UNKNOWN_STRING,
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",  # array
        "030794c1-ac77-496b-92df-f27374a8bd58",  # asset
        "e48ece36-62e2-4504-bad9-02848725956a",  # archive
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",  # object
    }
)

Path = tuple[Step, ...]


@dataclass(slots=True)
class Properties:
    """Decoded properties and the paths at which a secret stood."""

    values: dict[str, Any] = field(default_factory=dict)
    secrets: set[Path] = field(default_factory=set)

    def hidden(self) -> frozenset[str]:
        """Every text that is secret."""
        return frozenset(text for path in self.secrets for text in texts(at(self.values, path)))


def decode(struct: struct_pb2.Struct) -> Properties:
    """The properties of a request."""
    secrets: set[Path] = set()
    values = {key: _decode(item, (key,), secrets) for key, item in struct.fields.items()}
    return Properties(values, secrets)


def _decode(value: struct_pb2.Value, path: Path, secrets: set[Path]) -> Any:
    match value.WhichOneof("kind"):
        case "struct_value":
            return _decode_struct(value.struct_value, path, secrets)
        case "list_value":
            return [_decode(item, (*path, index), secrets) for index, item in enumerate(value.list_value.values)]
        case "string_value":
            return UNKNOWN if value.string_value in COMPUTED else value.string_value
        case "number_value":
            return int(value.number_value) if value.number_value.is_integer() else value.number_value
        case "bool_value":
            return value.bool_value
        case _:
            return None


def _decode_struct(struct: struct_pb2.Struct, path: Path, secrets: set[Path]) -> Any:
    fields = struct.fields
    kind = fields[SIGNATURE].string_value if SIGNATURE in fields else ""
    if kind == SECRET:
        secrets.add(path)
        return _decode(fields["value"], path, secrets)
    if kind == OUTPUT:
        if fields["secret"].bool_value:
            secrets.add(path)
        return _decode(fields["value"], path, secrets) if "value" in fields else UNKNOWN
    return {key: _decode(item, (*path, key), secrets) for key, item in fields.items()}


def encode(values: Mapping[str, Any], secrets: Iterable[Path] = ()) -> struct_pb2.Struct:
    """The properties of an answer."""
    wrapped = set(secrets)
    return struct_pb2.Struct(fields={key: _encode(item, (key,), wrapped) for key, item in values.items()})


def _encode(value: Any, path: Path, secrets: set[Path]) -> struct_pb2.Value:
    if path in secrets:
        plain = _encode(value, path, secrets - {path})
        marker = struct_pb2.Value(string_value=SECRET)
        return struct_pb2.Value(struct_value=struct_pb2.Struct(fields={SIGNATURE: marker, "value": plain}))
    if value is UNKNOWN:
        return struct_pb2.Value(string_value=UNKNOWN_STRING)
    if isinstance(value, Mapping):
        fields = {key: _encode(item, (*path, key), secrets) for key, item in value.items()}
        return struct_pb2.Value(struct_value=struct_pb2.Struct(fields=fields))
    if isinstance(value, (list, tuple)):
        items = [_encode(item, (*path, index), secrets) for index, item in enumerate(value)]
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=items))
    return _encode_scalar(value)


def _encode_scalar(value: Any) -> struct_pb2.Value:
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    if isinstance(value, bool):
        return struct_pb2.Value(bool_value=value)
    if isinstance(value, (int, float)):
        return struct_pb2.Value(number_value=value)
    return struct_pb2.Value(string_value=value)


def at(values: Any, path: Path) -> Any:
    """The value at `path`, or None where there is none."""
    for step in path:
        if isinstance(values, Mapping):
            values = values.get(str(step))
        elif isinstance(values, list) and isinstance(step, int) and step < len(values):
            values = values[step]
        else:
            return None
    return values


def redacted(value: Any, secrets: Iterable[Path], path: Path = ()) -> Any:
    """`value` with the same word in place of each secret, so that it can enter a hash."""
    if path in set(secrets):
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: redacted(item, secrets, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [redacted(item, secrets, (*path, index)) for index, item in enumerate(value)]
    return value
