"""Pulumi's autonaming configuration, and why some of it cannot be used with an Endpoint or a Deployment."""

import re
from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import Fault

KEY = "pulumi:autonaming"
PACKAGE = "tpuserve"
CREATE_FIRST = ("tpuserve:vertex:Endpoint", "tpuserve:vertex:Deployment")
"""Resources that are replaced by a new one beside the old one, so that something serves all the while."""

_RANDOM = re.compile(r"\$\{(?:(?:hex|alphanum|string|num)\(\d+\)|uuid)\}")


def check_autonaming(setting: Any) -> list[Fault]:
    """What the value of `pulumi:autonaming` would do to endpoints and deployments; the path is of the part to change.

    Names without a random part make the engine delete before it creates, for every replacement.
    """
    if not isinstance(setting, Mapping):
        return []
    paths = {path: part for path, part in (_naming_of(setting, token) for token in CREATE_FIRST) if _is_fixed(part)}
    return [Fault(path, _message(part)) for path, part in paths.items()]


def _naming_of(setting: Mapping[str, Any], token: str) -> tuple[str, Mapping[str, Any]]:
    """The part that holds for a resource: its own, else its provider's, else the general one."""
    provider = _mapping(_mapping(setting.get("providers")).get(PACKAGE))
    resource = _mapping(_mapping(provider.get("resources")).get(token))
    if _says_something(resource):
        return f"{KEY}.providers.{PACKAGE}.resources.{token}", resource
    if _says_something(provider):
        return f"{KEY}.providers.{PACKAGE}", provider
    return KEY, setting


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _says_something(part: Mapping[str, Any]) -> bool:
    return "mode" in part or "pattern" in part


def _is_fixed(part: Mapping[str, Any]) -> bool:
    if "pattern" in part:
        return not _RANDOM.search(str(part["pattern"]))
    return part.get("mode") in ("verbatim", "disabled")


def _message(part: Mapping[str, Any]) -> str:
    given = f"pattern {part['pattern']!r}" if "pattern" in part else f"mode {part['mode']!r}"
    return (
        f"{given} gives names without a random part, so Pulumi deletes before it creates: replacing an endpoint or its "
        "deployment would be an outage; add ${hex(8)} to a pattern, or set mode default under "
        f"providers.{PACKAGE}"
    )
