"""The filter, order and mask of ListModels, ListModelVersions and ListEndpoints."""

import re
from collections.abc import Iterable
from typing import Any

from tpuserve.emulator.errors import invalid

# ListEndpointsRequest.filter, ListModelsRequest.filter: display_name and the id with = and !=, labels.key=value,
# labels.key:* or labels:key. assumed: terms are joined by AND alone.
_TERM = re.compile(r'(?P<field>[A-Za-z_]+(?:\."[^"]+"|\.[\w-]+)?)\s*(?P<sign>!=|=|:)\s*(?P<value>"[^"]*"|[^\s"]+)')
_NAMES = {"displayName": "display_name", "endpoint_id": "endpoint", "model_id": "model"}
# order_by: the same requests
_ORDERS = ("display_name", "create_time", "update_time")


def listed(items: Iterable[Any], request: Any, kind: str) -> list[Any]:
    """The models or endpoints (`kind`) that a list request asks for, in its order, with the fields of its mask."""
    found = _chosen(items, request.filter, kind)
    for part in reversed([part.split() for part in request.order_by.split(",") if part.strip()]):
        _sort(found, part)
    return [_read(item, list(request.read_mask.paths)) for item in found]


def _chosen(items: Iterable[Any], expression: str, kind: str) -> list[Any]:
    texts = re.split(r"\s+AND\s+", expression.strip()) if expression.strip() else []
    terms = [_term(text, expression, kind) for text in texts]
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
        return key in item.labels and (sign == ":" or (item.labels[key] == value) == (sign != "!="))
    found = item.display_name if field == "display_name" else item.name.rpartition("/")[2].partition("@")[0]
    return (found == value) == (sign != "!=")


def _sort(items: list[Any], part: list[str]) -> None:
    field, direction = (part[0], part[1] if len(part) > 1 else "asc")
    if field not in _ORDERS or direction not in {"asc", "desc"}:
        raise invalid("order_by", " ".join(part), f"one of {', '.join(_ORDERS)}, then asc or desc")
    items.sort(key=lambda item: _sortable(getattr(item, field)), reverse=direction == "desc")


def _sortable(value: Any) -> Any:
    return value if isinstance(value, str) else value.ToNanoseconds()


def _read(item: Any, paths: list[str]) -> Any:
    """The item itself, or a copy with the top-level fields of the mask alone."""
    if not paths or paths == ["*"]:
        return item
    for path in paths:
        if path not in item.DESCRIPTOR.fields_by_name:
            raise invalid("read_mask", path, f"a field of {item.DESCRIPTOR.name}")
    part = type(item)()
    part.CopyFrom(item)
    for field in item.DESCRIPTOR.fields:
        if field.name not in paths:
            part.ClearField(field.name)
    return part
