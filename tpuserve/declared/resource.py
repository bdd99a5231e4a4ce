"""A resource as the program declares it, whoever shows it: the engine to a policy pack, or its events to a report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource with its inputs as plain maps and lists, `UNKNOWN` where they are not known yet."""

    token: str
    """Its type, such as `tpuserve:vertex:Deployment`."""
    name: str
    urn: str
    given: Mapping[str, Any]
    dependencies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Property -> URNs of the resources that it has its value from, where that is told."""
