"""An HTTP request as the message that the method takes, and what of it only the discovery document knows.

How a request is taken apart: google/api/http.proto, HttpRule.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from google.protobuf.json_format import ParseDict, ParseError

from tpuserve.emulator.beside import Asked
from tpuserve.emulator.nesting import too_deep
from tpuserve.emulator.rest import scalars
from tpuserve.emulator.rest.discovery import Document, Route
from tpuserve.emulator.rest.routing import Found
from tpuserve.emulator.rest.schemas import Schemas, camel, snake
from tpuserve.emulator.rest.violations import (
    BadRequestError,
    Violation,
    no_json,
    no_message,
    unknown_query,
    wrong_value,
)

_HTTP_BODY = "google.api.HttpBody"
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}  # gcloud 528 sends True


class Incoming(NamedTuple):
    """What came over HTTP, apart from the path."""

    query: Iterable[tuple[str, str]]
    body: bytes
    content_type: str = ""


class Request(NamedTuple):
    """A method's message, and what of its body the message does not have."""

    message: Any
    beside: Asked | None = None


def request(document: Document, found: Found, kind: Any, incoming: Incoming) -> Request:
    """The message of class `kind`; BadRequestError with everything that does not fit."""
    route, fields = found.route, kind.DESCRIPTOR.fields_by_name
    within = body_field(route, kind)
    given, faults = _query(document, route, kind, incoming.query)
    raw = next((field for field in fields.values() if _is_raw(field)), None)
    rest: dict[str, Any] = {}
    if raw is None and route.request:
        body, more = _body(document, route, kind, incoming.body)
        faults += more
        if isinstance(body, dict):
            known, rest = divided(body, fields[within].message_type if within else kind.DESCRIPTOR)
            given = {**given, within: known} if within else {**known, **given}
    if faults:
        raise BadRequestError(faults)
    _place(found.values, given, fields, within)
    message = _parsed(given, kind)
    if raw is not None:
        getattr(message, raw.name).content_type, getattr(message, raw.name).data = incoming.content_type, incoming.body
    return Request(message, _asked(document, route, within, rest))


def _asked(document: Document, route: Route, within: str, rest: dict[str, Any]) -> Asked | None:
    """What is to be kept beside an object; a body that is no object of its own leaves nothing."""
    values = Schemas(document.schemas).written(str(route.request), rest) if within else {}
    return Asked(f"{document.name}.{document.version}", camel(within), values) if values else None


def body_field(route: Route, kind: Any) -> str:
    """The field of the request that the body is; empty where it is the whole request."""
    name = kind.DESCRIPTOR.name
    if not route.request or route.request.endswith(name):
        return ""
    messages = [field for field in kind.DESCRIPTOR.fields if field.message_type is not None]
    return next(field.name for field in messages if route.request.endswith(field.message_type.name))


def divided(value: dict[str, Any], descriptor: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A message's JSON in two: what its message has, and what only the document knows, each in its place."""
    known: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    fields = {field.json_name: field for field in descriptor.fields}
    for name, item in value.items():
        field = fields.get(camel(name))
        if field is None:
            beside[camel(name)] = item
            continue
        known[name], rest = _divided_value(item, field)
        if rest:
            beside[field.json_name] = rest
    return known, beside


def _divided_value(item: Any, field: Any) -> tuple[Any, Any]:
    inner = field.message_type
    if inner is None or inner.full_name.startswith("google.protobuf.") or inner.GetOptions().map_entry:
        return item, None
    if isinstance(item, dict):
        return divided(item, inner)
    if isinstance(item, list):
        parts = [divided(part, inner) if isinstance(part, dict) else (part, {}) for part in item]
        rest = [beside for _, beside in parts]
        return [known for known, _ in parts], rest if any(rest) else None
    return item, None


def _body(document: Document, route: Route, kind: Any, body: bytes) -> tuple[Any, list[Violation]]:
    schemas, within = Schemas(document.schemas), body_field(route, kind)
    try:
        value = json.loads(body, parse_constant=_no_constant) if body.strip() else {}
    except (ValueError, RecursionError) as error:
        return None, [no_json(f"{error}.")]
    if not isinstance(value, dict):
        return None, [no_message()]
    if too_deep(value):
        return None, [no_json("Message too deep.")]  # assumed: the words
    descriptor = kind.DESCRIPTOR.fields_by_name[within].message_type if within else kind.DESCRIPTOR
    faults = schemas.violations(route.request, value, descriptor, within)
    if not faults and route.http_method == "POST":
        faults = schemas.required(route.request, value, within)
    return value, faults


def _no_constant(text: str) -> None:
    raise ValueError(f"Unexpected token {text}")


def _query(
    document: Document, route: Route, kind: Any, query: Iterable[tuple[str, str]]
) -> tuple[dict[str, Any], list[Violation]]:
    rows, given, faults = route.query(), dict[str, Any](), list[Violation]()
    for name, text in query:
        key = camel(name)
        if name in document.parameters or name == "$alt":
            continue
        if key not in rows:
            faults.append(unknown_query(name))
        elif not _query_fits(rows[key], text):
            faults.append(wrong_value(snake(key), scalars.kind(rows[key]), text))
        else:
            _add(given, kind.DESCRIPTOR.fields_by_name.get(snake(key)), key, rows[key], text)
    return given, faults


def _query_fits(row: Mapping[str, Any], text: str) -> bool:
    if "enum" in row:
        return text in row["enum"] or scalars.fits({"format": "int32"}, text)
    if row["type"] == "boolean":
        return text.lower() in _TRUTHS
    return scalars.fits(row, text)


def _add(given: dict[str, Any], field: Any, key: str, row: Mapping[str, Any], text: str) -> None:
    """One parameter. One that the message does not have says nothing here."""
    if field is None:
        return
    value: Any = _TRUTHS[text.lower()] if row["type"] == "boolean" else text
    if row.get("format") == "google-fieldmask":
        value = ",".join(camel(path) for path in text.split(",") if path)
    if row.get("repeated"):
        given.setdefault(snake(key), []).append(value)
    else:
        given[snake(key)] = value


def _place(values: Mapping[str, str], given: dict[str, Any], fields: Mapping[str, Any], within: str) -> None:
    """The values of the path: in the request, else in the message that the body is."""
    for name, value in values.items():
        key = snake(name)
        if key in fields:
            given.pop(name, None)
            given[key] = value
        elif within:
            given.setdefault(within, {})[key] = value
        else:
            holder = next(field.name for field in fields.values() if _has(field, key))
            _placed_in(given, holder, fields[holder].json_name)[key] = value


def _has(field: Any, key: str) -> bool:
    return field.message_type is not None and key in field.message_type.fields_by_name


def _placed_in(given: dict[str, Any], name: str, json_name: str) -> dict[str, Any]:
    """The message that an update's body holds, under either of its names."""
    if isinstance(given.get(json_name), dict):
        return given[json_name]
    return given.setdefault(name, {})


def _is_raw(field: Any) -> bool:
    return field.message_type is not None and field.message_type.full_name == _HTTP_BODY


def _parsed(given: Mapping[str, Any], kind: Any) -> Any:
    try:
        return ParseDict(given, kind())
    except (ParseError, ValueError, OverflowError) as error:
        raise BadRequestError([no_json(f"{error}.")]) from error
