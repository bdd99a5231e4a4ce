"""Whether a JSON value fits a schema of a discovery document. Pure.

Where the message behind a schema is known, its fields are known as well: a published client may have a field that the
document has not, and enums travel as numbers too.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tpuserve.emulator.rest import scalars
from tpuserve.emulator.rest.violations import Violation, missing, no_list, no_message, unknown_name, wrong_value

Descriptor = Any  # google.protobuf.descriptor.Descriptor, or None where the message is not known
_WHOLE_MESSAGES = (
    "google.protobuf.Value",
    "google.protobuf.Struct",
    "google.protobuf.Any",
    "google.protobuf.ListValue",
)


class Place(NamedTuple):
    """Where a value is: its path in proto names, and the field that it is the value of."""

    path: str
    name: str = ""
    above: str = ""
    field: Any = None


def snake(name: str) -> str:
    """displayName -> display_name; what is in that form stays."""
    return re.sub(r"(?<!^)([A-Z])", lambda found: f"_{found[1].lower()}", name)


def camel(name: str) -> str:
    """display_name -> displayName; what is in that form stays."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


class Schemas:
    """The schemas of one document."""

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        self._schemas = schemas

    def violations(self, schema: str, value: Any, descriptor: Descriptor, path: str = "") -> list[Violation]:
        """Every fault of a message."""
        if not isinstance(value, dict):
            return [no_message()]
        return list(self._message(schema, value, descriptor, path))

    def required(self, schema: str, value: Mapping[str, Any], path: str = "") -> list[Violation]:
        """The fields of this message alone that the document calls `Required.` and that are not there."""
        rows = self._schemas[schema].get("properties", {})
        given = {camel(name) for name, found in value.items() if found not in (None, "", [], {})}
        wanted = [name for name, row in rows.items() if row.get("description", "").startswith("Required.")]
        return [missing(_joined(path, name)) for name in wanted if name not in given]

    def written(self, schema: str, value: Mapping[str, Any]) -> dict[str, Any]:
        """What of a message's JSON a caller may write: without nulls, unspecified enums and what is output only."""
        rows = self._schemas[schema].get("properties", {})
        told = {camel(name): item for name, item in value.items() if item is not None and camel(name) in rows}
        settable = {name: item for name, item in told.items() if not rows[name].get("readOnly")}
        return {
            name: self._written(rows[name], item) for name, item in settable.items() if item != _unspecified(rows[name])
        }

    def _written(self, row: Mapping[str, Any], value: Any) -> Any:
        if isinstance(value, list):
            return [self._written(row["items"], item) for item in value]
        return self.written(row["$ref"], value) if "$ref" in row and isinstance(value, dict) else value

    def _message(self, schema: str, value: Any, descriptor: Descriptor, path: str) -> Iterator[Violation]:
        rows = self._schemas[schema].get("properties", {})
        fields = {} if descriptor is None else {field.json_name: field for field in descriptor.fields}
        for name, found in value.items():
            key = camel(name)
            if key not in rows and key not in fields:
                yield unknown_name(path, name)
            elif key in rows:
                yield from self._value(rows[key], found, Place(_joined(path, name), name, path, fields.get(key)))

    def _value(self, row: Mapping[str, Any], value: Any, place: Place) -> Iterator[Violation]:
        if value is None:
            return
        if row.get("type") == "array":
            yield from self._list(row, value, place)
        elif isinstance(value, list) and row.get("type") != "any":
            yield no_list(place.above, place.name)
        elif "additionalProperties" in row:
            yield from self._map(row["additionalProperties"], value, place)
        elif "$ref" in row:
            yield from self._nested(row["$ref"], value, place)
        elif not _fits(row, value, place.field):
            yield wrong_value(place.path, _kind(row, place.field), value)

    def _list(self, row: Mapping[str, Any], value: Any, place: Place) -> Iterator[Violation]:
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            inner = place._replace(path=f"{place.path}[{index}]")
            if item is None or not isinstance(value, list):
                yield wrong_value(inner.path if item is None else place.path, _kind(row["items"], place.field), item)
            else:
                yield from self._value(row["items"], item, inner)

    def _map(self, row: Mapping[str, Any], value: Any, place: Place) -> Iterator[Violation]:
        if not isinstance(value, dict):
            yield wrong_value(place.path, "Map", value)
            return
        entry = getattr(place.field, "message_type", None)
        field = entry.fields_by_name["value"] if entry is not None and entry.GetOptions().map_entry else None
        for index, (name, item) in enumerate(value.items()):
            inner = Place(f"{place.path}[{index}].value", name, place.path, field)
            if item is None and row.get("type") != "any":
                yield wrong_value(inner.path, _kind(row, field), item)
            else:
                yield from self._value(row, item, inner)

    def _nested(self, schema: str, value: Any, place: Place) -> Iterator[Violation]:
        message = getattr(place.field, "message_type", None)
        if message is not None and message.full_name in _WHOLE_MESSAGES:
            return
        if not isinstance(value, dict):
            yield wrong_value(place.path, _kind({"$ref": schema}, place.field), value)
            return
        yield from self._message(schema, value, message, place.path)


def _fits(row: Mapping[str, Any], value: Any, field: Any) -> bool:
    if "enum" not in row:
        return scalars.fits(row, value)
    numbers = field.enum_type.values_by_number if field is not None and field.enum_type is not None else ()
    if isinstance(value, str):
        return value in row["enum"] or (field is not None and value in getattr(field.enum_type, "values_by_name", ()))
    return isinstance(value, int) and not isinstance(value, bool) and value in numbers


def _kind(row: Mapping[str, Any], field: Any) -> str:
    """The type of a value in the words of an error: messages and enums by their full names."""
    named = getattr(field, "message_type", None) or getattr(field, "enum_type", None)
    if ("$ref" in row or "enum" in row) and named is not None:
        return f"type.googleapis.com/{named.full_name}"
    return f"type.googleapis.com/{row['$ref']}" if "$ref" in row else scalars.kind(row)


def _unspecified(row: Mapping[str, Any]) -> Any:
    """The enum's word for nothing, which no answer has."""
    first = row.get("enum", [""])[0]
    return first if first.endswith("_UNSPECIFIED") else None


def _joined(path: str, name: str) -> str:
    return f"{path}.{snake(name)}" if path else snake(name)
