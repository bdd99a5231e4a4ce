"""Deployments joined with the endpoints that they serve on."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tpuserve.declared.resource import Resource
from tpuserve.declared.tokens import DEPLOYMENT, ENDPOINT, RAW_ENDPOINT

IDS = {ENDPOINT: "endpointId", RAW_ENDPOINT: "name"}
"""Types of endpoints, each with the argument that is its id."""
TOKENS = (DEPLOYMENT, *IDS)
"""Types that are joined."""
NAME = re.compile(r"(?:.*/)?projects/([^/]+)/locations/([^/]+)/endpoints/([^/]+)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of the stack with its arguments, `UNKNOWN` where they are not known yet."""

    name: str
    given: Mapping[str, Any]

    def is_of(self, project: str) -> bool:
        """Whether it can be that project's: a project's id and its number cannot be told to be two projects."""
        own = self.given.get("project", project)
        return own == project or str(own).isdecimal() != project.isdecimal()


@dataclass(frozen=True, slots=True)
class Served:
    """A Deployment with its arguments, and the endpoint of the stack that it serves on if there is one."""

    deployment: Resource
    given: Mapping[str, Any]
    endpoint: Endpoint | None


def served(resources: Sequence[Resource]) -> Iterator[Served]:
    """Each Deployment of the stack, by URN."""
    found = {each.urn: Endpoint(each.name, each.given) for each in resources if each.token in IDS}
    named: dict[tuple[str, str], list[Endpoint]] = defaultdict(list)
    for each in resources:
        if endpoint := found.get(each.urn):
            named[str(endpoint.given.get("location")), str(endpoint.given.get(IDS[each.token]))].append(endpoint)
    for deployment in sorted(resources, key=lambda each: each.urn):
        if deployment.token == DEPLOYMENT:
            given = deployment.given
            sources = [found[urn] for urn in deployment.dependencies.get("endpoint", ()) if urn in found]
            candidates = sources or _of_that_name(given.get("endpoint"), named)
            yield Served(deployment, given, candidates[0] if len(candidates) == 1 else None)


def _of_that_name(name: object, named: Mapping[tuple[str, str], list[Endpoint]]) -> list[Endpoint]:
    if not isinstance(name, str) or not (parts := NAME.fullmatch(name)):
        return []
    return [each for each in named.get((parts[2], parts[3]), ()) if each.is_of(parts[1])]
