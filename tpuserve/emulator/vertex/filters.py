"""The filter expressions of ListModels and ListEndpoints."""

import re
from collections.abc import Iterable
from typing import Any

from tpuserve.emulator.errors import invalid

# ListEndpointsRequest.filter, ListModelsRequest.filter: display_name and the id with = and !=, labels.key=value,
# labels.key:* or labels:key. assumed: terms are joined by AND alone.
_TERM = re.compile(r'\s*(?P<field>[A-Za-z_.]+(?:\."[^"]+"|[\w-]*))\s*(?P<sign>!=|=|:)\s*(?P<value>"[^"]*"|[^\s"]+)\s*')
_NAMES = {"displayName": "display_name", "endpoint_id": "endpoint", "model_id": "model"}


def chosen(items: Iterable[Any], expression: str, kind: str) -> list[Any]:
    """The models or endpoints (`kind`) that the expression lets through; INVALID_ARGUMENT for one it cannot read."""
    terms = [_term(text, expression, kind) for text in re.split(r"\s+AND\s+", expression)] if expression.strip() else []
    return [item for item in items if all(_holds(item, *term) for term in terms)]


def _term(text: str, expression: str, kind: str) -> tuple[str, str, str]:
    match = _TERM.fullmatch(text)
    field = _NAMES.get(match["field"], match["field"]) if match is not None else ""
    if match is None or not (field in {"display_name", kind, "labels"} or field.startswith("labels.")):
        raise invalid("filter", expression, f"terms about {kind}, display_name or labels, joined by AND")
    return field, match["sign"], match["value"].strip('"')


def _holds(item: Any, field: str, sign: str, value: str) -> bool:
    if field == "labels":
        return value in item.labels
    if field.startswith("labels."):
        key = field.removeprefix("labels.").strip('"')
        return key in item.labels and (sign == ":" or item.labels[key] == value)
    found = item.display_name if field == "display_name" else item.name.rpartition("/")[2].partition("@")[0]
    return (found == value) == (sign != "!=")
