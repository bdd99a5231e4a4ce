"""Family `collections-gke`: node pools of GKE whose labels say that they are a collection are one."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import Fault, Unclear, Unknown
from tpuserve.catalog.gke_collections import GROUP_LABEL, HIGH_AVAILABILITY, LABELS, WORKLOAD_LABEL
from tpuserve.declared.tokens import NODE_POOL

from .family import Answer, Config, Passed, Resource, StackFamily, Unchecked, Violated
from .values import plain

CLUSTER = re.compile(r"projects/[^/]+/(?:locations|zones)/([^/]+)/clusters/([^/]+)")


def collections_gke(resources: Sequence[Resource], config: Config) -> Iterator[Answer]:
    """Whether each pool of a collection may be one, and all of a group are alike."""
    groups: dict[tuple[Any, str], list[tuple[Resource, Mapping[str, Any]]]] = defaultdict(list)
    for each in sorted(resources, key=lambda given: given.urn):
        if each.token != NODE_POOL:
            continue
        pool = plain(each.properties)
        answers = [_answer(each, answer) for answer in catalog.check_collection_pool(pool)]
        name = catalog.collection_of(pool)
        if isinstance(name, str):
            groups[_cluster(each, pool), name].append((each, pool))
        yield from answers or ([Passed(LABELS, each.urn)] if name else [])
    for (_, name), pools in groups.items():
        for index, answer in catalog.check_collection_group(name, [(each.name, pool) for each, pool in pools]):
            yield _answer(pools[index][0], answer)


def _cluster(each: Resource, pool: Mapping[str, Any]) -> Any:
    """The cluster's location and name, which may be given as its full name; while that is not known, its resources.

    Projects are not compared: one is often left out.
    """
    cluster = pool.get("cluster")
    if isinstance(cluster, Unknown):
        return tuple(sorted(each.dependencies.get("cluster", ())))
    full = CLUSTER.fullmatch(str(cluster))
    return (full[1], full[2]) if full else (pool.get("location"), cluster)


def _answer(resource: Resource, each: Fault | Unclear) -> Answer:
    if isinstance(each, Fault):
        return Violated(each.path, each.message, resource.urn)
    return Unchecked(each.path, resource.urn, each.reason)


FAMILY = StackFamily(
    name="collections-gke",
    title="Collections on GKE",
    description="Node pools with the labels of a collection have both, are Trillium without Spot, and are alike.",
    rule=collections_gke,
    tokens=(NODE_POOL,),
    remediation=f"Give each pool of the group {GROUP_LABEL} and {WORKLOAD_LABEL}="
    f"{HIGH_AVAILABILITY}, and the same machine type, topology and version.",
)
