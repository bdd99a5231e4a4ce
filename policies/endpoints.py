"""Deployments joined with the endpoints that they serve on, for rules on the whole stack."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuserve.catalog import Unknown

from .family import Resource, Unchecked
from .values import plain

DEPLOYMENT = "tpuserve:vertex:Deployment"
RAW_ENDPOINT = "gcp:vertex/aiEndpoint:AiEndpoint"
IDS = {"tpuserve:vertex:Endpoint": "endpointId", RAW_ENDPOINT: "name"}
"""Types of endpoints, each with the argument that is its id."""
_NAME = re.compile(r"(?:.*/)?projects/([^/]+)/locations/([^/]+)/endpoints/([^/]+)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of the stack with its arguments, `UNKNOWN` where they are not known yet."""

    name: str
    urn: str
    id_argument: str
    given: Mapping[str, Any]

    def is_named(self, project: str, location: str, id_: str) -> bool:
        """Whether Google would call it so; a project's id and its number cannot be told to be two projects."""
        own = self.given.get("project", project)
        same_project = own == project or str(own).isdecimal() != project.isdecimal()
        return same_project and (self.given.get("location"), self.given.get(self.id_argument)) == (location, id_)


@dataclass(frozen=True, slots=True)
class Served:
    """A Deployment with its arguments, and the endpoint of the stack that it serves on if there is one."""

    deployment: Resource
    given: Mapping[str, Any]
    endpoint: Endpoint | None

    def unchecked(self, reason: str) -> Unchecked:
        """That the rule does not know enough of the endpoint: why, if the stack does not declare it, else `reason`."""
        name = self.given.get("endpoint")
        if self.endpoint is None and isinstance(name, str):
            return Unchecked("endpoint", self.deployment.urn, f"is {name!r}, which this stack does not declare")
        if self.endpoint is None:
            return Unchecked("endpoint", self.deployment.urn)
        return Unchecked("endpoint", self.deployment.urn, f"is {self.endpoint.name}, {reason}")


def served(resources: Sequence[Resource]) -> Iterator[Served]:
    """Each Deployment of the stack, by URN."""
    endpoints = [
        Endpoint(each.name, each.urn, IDS[each.token], plain(each.properties))
        for each in resources
        if each.token in IDS
    ]
    for deployment in sorted(resources, key=lambda each: each.urn):
        if deployment.token == DEPLOYMENT:
            given = plain(deployment.properties)
            yield Served(deployment, given, _joined(deployment, given.get("endpoint"), endpoints))


def _joined(deployment: Resource, name: str | Unknown | None, endpoints: Sequence[Endpoint]) -> Endpoint | None:
    """The endpoint that the argument was made from, or the one of that name."""
    sources = deployment.dependencies.get("endpoint", ())
    found = [each for each in endpoints if each.urn in sources]
    if not found and isinstance(name, str) and (parts := _NAME.fullmatch(name)):
        found = [each for each in endpoints if each.is_named(*parts.groups())]
    return found[0] if len(found) == 1 else None
