"""The newest requests, as the record has them."""

import json
from collections.abc import Mapping
from typing import Any

from tpuserve.emulator.console.markup import Markup, element
from tpuserve.emulator.console.parts import badge, clock, table

Object = Mapping[str, Any]
_IDS = ("queuedResourceId", "modelId", "endpointId", "deploymentResourcePoolId")
_NAMES = ("name", "parent", "endpoint", "model")


def requests(found: list[Any]) -> Markup:
    """The newest first."""
    heads = ["Method", "On", "Answer", "When"]
    return table("Requests", heads, [_row(one) for one in found], "No request yet.", class_="compact four")


def _row(found: Object) -> list[Markup]:
    code = found["code"] or "RUNNING"
    tone = "" if code in {"OK", "RUNNING"} else "bad"
    return [
        element("span", found["method"], title=found["service"]),
        element("code", about(found["request"]), title=json.dumps(found["request"])[:2000]),
        badge(code, tone),
        clock(found["time"]),
    ]


def about(request: Object) -> str:
    """What a request is about: the id that it gives, else the last part of the first name in it."""
    given = next((request[key] for key in _IDS if key in request), "")
    if given:
        return str(given)
    for key in _NAMES:
        value = request.get(key, "")
        text = value if isinstance(value, str) else value.get("name", "")
        if text:
            return str(text).rpartition("/")[2]
    return ""
