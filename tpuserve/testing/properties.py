"""Properties in the engine's own wire form, written from Pulumi's protocol and not with the plugin's code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format, struct_pb2

from tpuserve.catalog.faults import UNKNOWN

# Source: sdk/go/common/resource/properties.go and sdk/proto/pulumi/provider.proto of pulumi.
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a mark of the protocol
UNKNOWN_VALUE = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


@dataclass(frozen=True)
class Secret:
    """A value that the engine knows as secret."""

    value: Any


def to_wire(values: Mapping[str, Any]) -> struct_pb2.Struct:
    """Python values, `UNKNOWN` and `Secret` among them, as the engine sends them."""
    return json_format.ParseDict(_plain(dict(values)), struct_pb2.Struct())


def _plain(value: Any) -> Any:
    if value is UNKNOWN:
        return UNKNOWN_VALUE
    if isinstance(value, Secret):
        return {SIGNATURE: SECRET, "value": _plain(value.value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def from_wire(struct: struct_pb2.Struct) -> dict[str, Any]:
    """What the engine reads in an answer."""
    return {key: _read(item) for key, item in json_format.MessageToDict(struct).items()}


def _read(value: Any) -> Any:
    if value == UNKNOWN_VALUE:
        return UNKNOWN
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            return Secret(_read(value["value"]))
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_read(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
