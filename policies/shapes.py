"""Family `shapes`: accelerator type, topology, hosts and runtime version of a slice or node pool agree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tpuserve import catalog
from tpuserve.catalog import Fault, Unclear, Unknown
from tpuserve.declared.tokens import CLUSTER, NODE_POOL, QUEUED, RAW_QUEUED, RAW_VM

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .values import find, plain

Check = Callable[[Mapping[str, Any]], Iterable[Fault | Unclear]]

SUBJECTS: dict[str, tuple[str, Check]] = {
    QUEUED: ("tpu.nodeSpec.*.node", catalog.check_slice),
    RAW_QUEUED: ("tpu.nodeSpecs.*.node", catalog.check_slice),
    RAW_VM: ("", catalog.check_slice),
    NODE_POOL: ("", catalog.check_node_pool),
    CLUSTER: ("nodePools.*", catalog.check_node_pool),
}
"""Where each type has its shapes, "" for the resource itself, and the catalog's rule for them."""


def shapes(resource: Resource, config: Config) -> list[Answer] | None:
    """Whether each slice or node pool of the resource is one that exists."""
    if not (subject := SUBJECTS.get(resource.token)):
        return None
    return list(_answers(resource, *subject))


def _answers(resource: Resource, pattern: str, check: Check) -> Iterator[Answer]:
    for found in find(resource.properties, pattern) if pattern else [None]:
        path, value = (found.path, found.value) if found else ("", resource.properties)
        if isinstance(value, Unknown):
            yield Unchecked(path)
            continue
        answers = [_answer(path, each) for each in check(plain(value))]
        yield from answers or [Passed(path)]


def _answer(path: str, each: Fault | Unclear) -> Answer:
    where = ".".join(step for step in (path, each.path) if step) or "acceleratorType"
    return Violated(where, each.message) if isinstance(each, Fault) else Unchecked(where, reason=each.reason)


FAMILY = Family(
    name="shapes",
    description="Accelerator type, topology, number of hosts, runtime version and placement agree.",
    rule=shapes,
    tokens=tuple(SUBJECTS),
    remediation="Give one of the shapes that the message lists.",
)
