"""Secrets of a resource, which the policy SDK hands to the rules in plain text: no message shows one."""

from collections.abc import Iterator
from typing import Any

from tpuserve.hiding import texts
from tpuserve.marks import is_secret


def secrets(value: Any) -> Iterator[str]:
    """Every secret text in properties as the engine sends them, turned into maps and lists."""
    if is_secret(value):
        yield from texts(value.get("value"))
    elif isinstance(value, dict):
        yield from (text for each in value.values() for text in secrets(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in secrets(each))
