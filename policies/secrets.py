"""Secrets of a resource, which the policy SDK hands to the rules in plain text: no message shows one."""

from collections.abc import Iterator
from typing import Any

from tpuserve.hiding import texts
from tpuserve.marks import SECRET, SIGNATURE


def secrets(value: Any) -> Iterator[str]:
    """Every secret text in properties as the engine sends them, turned into maps and lists."""
    if isinstance(value, dict):
        if value.get(SIGNATURE) == SECRET:
            yield from texts(value.get("value"))
        else:
            yield from (text for each in value.values() for text in secrets(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in secrets(each))
