"""Resources of a stack, for what is told of several together: the chips they ask for, the endpoints they serve on."""

from collections.abc import Collection, Iterator, Sequence

from tpuserve.declared import chips, endpoints, resource
from tpuserve.declared.chips import Chips, Missing
from tpuserve.declared.endpoints import Served

from .family import Resource, Unchecked
from .values import plain


def chips_of(resources: Sequence[Resource]) -> Iterator[Chips | Missing]:
    """What each resource asks for, or why that cannot be told; in the order of their URNs."""
    return chips.chips_of(_plain(resources, chips.READ))


def served(resources: Sequence[Resource]) -> Iterator[Served]:
    """Each Deployment of the stack, by URN."""
    return endpoints.served(_plain(resources, endpoints.TOKENS))


def unchecked(each: Served, reason: str) -> Unchecked:
    """That a rule does not know enough of the endpoint: why, if the stack does not declare it, else `reason`."""
    name, urn = each.given.get("endpoint"), each.deployment.urn
    if each.endpoint is None and isinstance(name, str):
        return Unchecked("endpoint", urn, f"is {name!r}, which this stack does not declare")
    if each.endpoint is None:
        return Unchecked("endpoint", urn)
    return Unchecked("endpoint", urn, f"is {each.endpoint.name}, {reason}")


def _plain(resources: Sequence[Resource], tokens: Collection[str]) -> list[resource.Resource]:
    return [
        resource.Resource(each.token, each.name, each.urn, plain(each.properties), each.dependencies)
        for each in resources
        if each.token in tokens
    ]
