"""Family `collections`: what is asked for as several slices is a collection that Google can keep available."""

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Unknown
from tpuserve.declared.tokens import QUEUED

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .remedies import Edit
from .values import find, plain

MANY = "multiNodeParams"


def collections(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether each request for several slices is for at least two, of a generation that has collections, as one."""
    if resource.token != QUEUED:
        return None
    return [
        answer for found in find(resource.properties, "tpu.nodeSpec.*") for answer in _spec(found.path, found.value)
    ]


def spelled(resource: Resource, config: Config) -> Iterator[Edit]:
    """The workload type as the API spells it: Google's page writes a hyphen."""
    of_many = find(resource.properties, f"tpu.nodeSpec.*.{MANY}.workloadType") if resource.token == QUEUED else ()
    for found in of_many:
        if isinstance(found.value, str) and (right := catalog.normalize_workload_type(found.value)) != found.value:
            yield Edit(found.steps, right)


def _spec(path: str, given: Any) -> Iterator[Answer]:
    spec = plain(given)
    if isinstance(spec, Unknown) or isinstance(spec.get(MANY), Unknown):
        yield Unchecked(path if isinstance(spec, Unknown) else f"{path}.{MANY}")
    elif MANY in spec:
        answers = list(_collection(path, spec[MANY], spec.get("node")))
        yield from answers or [Passed(f"{path}.{MANY}")]


def _collection(path: str, many: Mapping[str, Any], node: Any) -> Iterator[Answer]:
    where, kind = _accelerator(f"{path}.node", node)
    paths = {
        "node_count": f"{path}.{MANY}.nodeCount",
        "workload_type": f"{path}.{MANY}.workloadType",
        "accelerator_type": where,
    }
    values = {
        "node_count": many.get("nodeCount", UNKNOWN),
        "workload_type": many.get("workloadType"),
        "accelerator_type": kind,
    }
    yield from (Unchecked(paths[name]) for name, value in values.items() if isinstance(value, Unknown))
    for which, message in catalog.check_collection(
        values["node_count"], values["accelerator_type"], values["workload_type"]
    ):
        yield Violated(paths[which], message)
    if values["workload_type"] is None and _has_collections(kind):
        yield Violated(
            paths["workload_type"],
            "is missing: Google takes that, and these slices are then no collection; give "
            f"{catalog.COLLECTION} to keep most of them available all of the time, or THROUGHPUT_OPTIMIZED if none is "
            "meant",
        )


def _has_collections(kind: Any) -> bool:
    found = catalog.accelerator_type(kind)
    generation = catalog.generation(found.generation) if found else None
    return bool(generation and generation.collections)


def _accelerator(path: str, node: Any) -> tuple[str, Any]:
    """Where the accelerator is named, and its type; `UNKNOWN` where that cannot be told."""
    if not isinstance(node, Mapping):
        return path, UNKNOWN
    config = node.get("acceleratorConfig")
    if config is None:
        return f"{path}.acceleratorType", node.get("acceleratorType", UNKNOWN)
    if not isinstance(config, Mapping):
        return f"{path}.acceleratorConfig", UNKNOWN
    return f"{path}.acceleratorConfig.type", catalog.accelerator_of(node)


FAMILY = Family(
    name="collections",
    description="Several slices in one request are a collection: two or more, of one shape, with a workload type. "
    "Google and Check take several slices without one; this rule wants it said, where the generation has collections.",
    rule=collections,
    remedy=spelled,
    tokens=(QUEUED,),
    remediation="Ask for 2 slices or more of a v6e type, and set `workloadType` to AVAILABILITY_OPTIMIZED.",
)
