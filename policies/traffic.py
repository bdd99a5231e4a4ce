"""Family `traffic`: who gets which share of an endpoint's requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Unknown
from tpuserve.declared.tokens import DEPLOYMENT, RAW_ENDPOINT

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .values import plain

SPLIT = "trafficSplit"


def traffic(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether the shares sum to 100, go to what the resource declares, and can be given at all."""
    if resource.token == DEPLOYMENT:
        return list(_of_deployment(plain(resource.properties)))
    return list(_of_raw_endpoint(plain(resource.properties))) if resource.token == RAW_ENDPOINT else None


def _of_deployment(given: Mapping[str, Any]) -> Iterator[Answer]:
    variants, split = given.get("deployedModels", {}), given.get(SPLIT)
    unknown = list(unknown_parts(variants, split))
    yield from unknown
    if message := catalog.check_traffic_split(split, variants):
        yield Violated(SPLIT, message)
    elif not unknown:
        yield Passed(SPLIT)


def unknown_parts(variants: Mapping[str, Any] | Unknown, split: Mapping[str, Any] | Unknown | None) -> Iterator[Answer]:
    """What a rule on the split of a Deployment would have to know."""
    if isinstance(variants, Unknown):
        yield Unchecked("deployedModels")
    if isinstance(split, Unknown):
        yield Unchecked(SPLIT)
    elif split:
        yield from (Unchecked(f"{SPLIT}.{key}") for key, share in split.items() if share is UNKNOWN)


def _of_raw_endpoint(given: Mapping[str, Any]) -> Iterator[Answer]:
    """The bridged provider takes the split as JSON by the ids that Google gave to what is deployed."""
    split, network = given.get(SPLIT), given.get("network")
    if isinstance(split, Unknown):
        yield Unchecked(SPLIT)
    elif split is None:
        yield Passed(SPLIT)
    elif message := catalog.check_split_by_id(split, private=bool(network)):
        yield Violated(SPLIT, message)
    else:
        yield Unchecked("network") if isinstance(network, Unknown) else Passed(SPLIT)


FAMILY = Family(
    name="traffic",
    description="Shares of an endpoint's requests sum to 100 and go to variants that are declared.",
    rule=traffic,
    tokens=(DEPLOYMENT, RAW_ENDPOINT),
    remediation="Give each declared variant its share in `trafficSplit`, 100 in all; leave it out for a single one.",
)
