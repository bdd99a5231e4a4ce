"""Family `traffic-private`: an endpoint that is reached by private services access serves one variant, unsplit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import Unknown

from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated
from .traffic import DEPLOYMENT, RAW_ENDPOINT, SPLIT, unknown_parts
from .values import plain

IDS = {"tpuserve:vertex:Endpoint": "endpointId", RAW_ENDPOINT: "name"}
"""Types of endpoints, each with the argument that is its id."""
ANYWHERE = "an endpoint of this stack"
_NAME = re.compile(r"(?:.*/)?projects/([^/]+)/locations/([^/]+)/endpoints/([^/]+)")


def traffic_private(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether each Deployment that splits requests does so on an endpoint that can; by value or by name joined."""
    endpoints = [each for each in resources if each.token in IDS]
    for deployment in sorted(resources, key=lambda each: each.urn):
        if deployment.token == DEPLOYMENT:
            yield from _answers(deployment, endpoints)


def _answers(deployment: Resource, endpoints: Sequence[Resource]) -> Iterator[Answer]:
    given = plain(deployment.properties)
    variants, split = given.get("deployedModels", {}), given.get(SPLIT)
    unknown = [Unchecked(each.path, deployment.urn) for each in unknown_parts(variants, split)]
    if not unknown and not catalog.check_private_traffic(variants, split, ANYWHERE):
        yield Passed("endpoint", deployment.urn)
        return
    found = _joined(deployment, given.get("endpoint"), endpoints)
    network = plain(found.properties).get("network") if found else None
    if found is None:
        yield _not_joined(deployment, given.get("endpoint"))
    elif isinstance(network, Unknown):
        yield Unchecked("endpoint", deployment.urn, f"is {found.name}, whose network is not known yet")
    elif network is None:
        yield Passed("endpoint", deployment.urn)
    else:
        yield from unknown
        for path, message in catalog.check_private_traffic(variants, split, found.name):
            yield Violated(path, message, deployment.urn)


def _not_joined(deployment: Resource, endpoint: Any) -> Answer:
    if isinstance(endpoint, Unknown):
        return Unchecked("endpoint", deployment.urn)
    reason = f"is {endpoint!r}, which this stack does not declare: whether it can split requests is not known"
    return Unchecked("endpoint", deployment.urn, reason)


def _joined(deployment: Resource, endpoint: Any, endpoints: Iterable[Resource]) -> Resource | None:
    """The endpoint that a Deployment names: the one that its argument was made from, or the one of that name."""
    sources = deployment.dependencies.get("endpoint", ())
    found = [each for each in endpoints if each.urn in sources]
    if not found and isinstance(endpoint, str) and (name := _NAME.fullmatch(endpoint)):
        found = [each for each in endpoints if _is_named(each, *name.groups())]
    return found[0] if len(found) == 1 else None


def _is_named(endpoint: Resource, project: str, location: str, id_: str) -> bool:
    given: Mapping[str, Any] = plain(endpoint.properties)
    own = given.get("project", project)
    same_project = own == project or str(own).isdecimal() != project.isdecimal()
    return same_project and (given.get("location"), given.get(IDS[endpoint.token])) == (location, id_)


FAMILY = StackFamily(
    name="traffic-private",
    description="An endpoint that is reached by private services access serves one variant, without a traffic split.",
    rule=traffic_private,
    remediation="Keep one variant and leave `trafficSplit` out, or use an endpoint without `network`.",
)
