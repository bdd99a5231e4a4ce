"""Values of a resource as a policy sees them: read key by key, since listing them raises at the first unknown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulumi_policy.proxy import UnknownValueError

from tpuserve.catalog import UNKNOWN, Unknown


@dataclass(frozen=True, slots=True)
class Found:
    """A value, or `UNKNOWN`, and where it is."""

    path: str
    value: Any
    steps: tuple[str | int, ...] = ()
    """The path as keys of maps and indices of lists."""


def find(properties: Any, pattern: str) -> Iterator[Found]:
    """Every value at a path such as `deployedModels.*.dedicatedResources.machineSpec.machineType`.

    `*` stands for each key of a map or each index of a list. What is absent is not found; an unknown on the way is
    found as `UNKNOWN` with the path down to it, since everything below it is unknown too.
    """
    found = [Found("", properties)]
    for step in pattern.split("."):
        found = [each for before in found for each in _step(before, step)]
    yield from found


def plain(value: Any) -> Any:
    """A value as plain maps and lists, with `UNKNOWN` for what is not known yet; what is absent is left out."""
    if isinstance(value, Mapping):
        read = {key: plain(_read(value, key)) for key in list(value)}
        return {key: each for key, each in read.items() if each is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(_read(value, index)) for index in range(len(value))]
    return value


def _step(before: Found, step: str) -> Iterator[Found]:
    if isinstance(before.value, Unknown):
        yield before
        return
    for key in _keys(before.value, step):
        path = f"{before.path}[{key}]" if isinstance(key, int) else f"{before.path}.{key}".lstrip(".")
        value = _read(before.value, key)
        if value is not None:
            yield Found(path, value, (*before.steps, key))


def _keys(value: Any, step: str) -> list[Any]:
    if isinstance(value, Mapping):
        keys = list(value)  # `step in value` would read the value, and raise if it is unknown
        return keys if step == "*" else [key for key in keys if key == step]
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return list(range(len(value))) if is_list and step == "*" else []


def _read(value: Any, key: Any) -> Any:
    try:
        return _whole(value[key])
    except UnknownValueError:
        return UNKNOWN


def _whole(value: Any) -> Any:
    """A whole number as one: on the wire every number is a float."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
