"""Family `traffic-private`: an endpoint that is reached by private services access serves one variant, unsplit."""

from collections.abc import Iterator, Sequence

from tpuserve import catalog
from tpuserve.catalog import Unknown
from tpuserve.declared.endpoints import IDS, Served
from tpuserve.declared.tokens import DEPLOYMENT

from .declared import served, unchecked
from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated
from .traffic import SPLIT, unknown_parts

ANYWHERE = "an endpoint of this stack"


def traffic_private(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether each Deployment that splits requests does so on an endpoint that can."""
    for each in served(resources):
        yield from _answers(each)


def _answers(each: Served) -> Iterator[Answer]:
    urn, variants, split = each.deployment.urn, each.given.get("deployedModels", {}), each.given.get(SPLIT)
    unknown = [Unchecked(part.path, urn) for part in unknown_parts(variants, split)]
    network = each.endpoint.given.get("network") if each.endpoint else None
    if not unknown and not catalog.check_private_traffic(variants, split, ANYWHERE):
        yield Passed("endpoint", urn)
    elif each.endpoint is None or isinstance(network, Unknown):
        yield unchecked(each, "whose network is not known yet")
    elif not network:
        yield Passed("endpoint", urn)
    else:
        yield from unknown
        for path, message in catalog.check_private_traffic(variants, split, each.endpoint.name):
            yield Violated(path, message, urn)


FAMILY = StackFamily(
    name="traffic-private",
    description="An endpoint that is reached by private services access serves one variant, without a traffic split.",
    rule=traffic_private,
    tokens=(DEPLOYMENT, *IDS),
    remediation="Keep one variant and leave `trafficSplit` out, or use an endpoint without `network`.",
)
