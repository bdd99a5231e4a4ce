"""Values of what is declared, of which some may not be known yet."""

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import Unknown


def at(given: Any, path: str) -> Any:
    """The value at a dotted path; `UNKNOWN` if it or what holds it is not known, None where absent."""
    for key in path.split("."):
        if not isinstance(given, Mapping):
            return given if isinstance(given, Unknown) else None
        given = given.get(key)
    return given
