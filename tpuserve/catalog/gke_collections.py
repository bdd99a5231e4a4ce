"""Collections on GKE: node pools that two labels make one group, which Google keeps available.

Sources: cloud.google.com/kubernetes-engine/docs/concepts/tpus#collection-scheduling (2026-04-08), and for the labels
the cluster autoscaler's own constants.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Fault, Unclear, Unknown
from tpuserve.catalog.generations import generation
from tpuserve.catalog.machines import machine_type
from tpuserve.catalog.node_pools import pool_topologies
from tpuserve.catalog.reading import at
from tpuserve.catalog.words import listed

GROUP_LABEL = "cloud.google.com/gke-nodepool-group-name"
WORKLOAD_LABEL = "cloud.google.com/gke-workload-type"
HIGH_AVAILABILITY = "HIGH_AVAILABILITY"
DOMAIN = "cloud.google.com/"
LABELS = "nodeConfig.labels"
MACHINE = "nodeConfig.machineType"
INTERRUPTED = ("nodeConfig.spot", "nodeConfig.preemptible")
"""Capacity that GKE keeps no collection on."""
ALIKE = {
    MACHINE: "machine type",
    "placementPolicy.tpuTopology": "topology",
    "version": "version",
}
"""What is the same on every pool of a group; a version only where it is given."""


def collection_of(pool: Mapping[str, Any]) -> Any:
    """Name of the collection that the pool is of, `UNKNOWN` where that cannot be told; None for one of none."""
    labels = at(pool, LABELS)
    return labels.get(GROUP_LABEL) if isinstance(labels, Mapping) else labels


def check_collection_pool(pool: Mapping[str, Any]) -> Iterator[Fault | Unclear]:
    """What keeps a node pool with a label of collections from being one of a collection; nothing for another pool."""
    labels, machine = at(pool, LABELS), at(pool, MACHINE)
    if isinstance(labels, Unknown):
        if isinstance(machine, Unknown) or machine_type(machine):
            yield Unclear(LABELS)
    elif found := {key: right for key in labels or () if (right := _meant(key))}:
        yield from _labels(labels or {}, found)
        yield from _kind(machine)
        for path in INTERRUPTED:
            yield from _not_interrupted(path, at(pool, path))


def check_collection_group(
    name: str, pools: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[tuple[int, Fault | Unclear]]:
    """What keeps node pools, each with its own name, from being one collection; each with the index of the pool.

    What most pools have is right, so that the answer is the same for any order.
    """
    for path, noun in ALIKE.items():
        given = [(index, at(pool, path)) for index, (_, pool) in enumerate(pools)]
        if path != MACHINE and len(pools) > 1:  # the pool's own check says that of its machine type
            yield from ((index, Unclear(path)) for index, value in given if isinstance(value, Unknown))
        for index, message in _unlike(name, noun, [pool[0] for pool in pools], given):
            yield index, Fault(path, message)
    if len(pools) > 1 and all(_is_single_host(pool) for _, pool in pools):
        for index in range(len(pools)):
            yield index, Fault(f"{LABELS}.{GROUP_LABEL}", _one_pool(name, len(pools)))


def _meant(key: str) -> str | None:
    """The label of collections that the key stands for, however it is spelled."""
    bare = re.sub("[^a-z]", "", key.lower().removeprefix(DOMAIN))
    if DOMAIN not in key.lower() and not bare.startswith("gke"):
        return None  # a label of the user's own
    meant = {"nodepoolgroupname": GROUP_LABEL, "nodepoolgroup": GROUP_LABEL, "workloadtype": WORKLOAD_LABEL}
    return meant.get(bare.removeprefix("gke"))


def _labels(labels: Mapping[str, Any], found: Mapping[str, str]) -> Iterator[Fault | Unclear]:
    for key in sorted(found):
        if key != found[key]:
            yield Fault(f"{LABELS}.{key}", f"is no label of collections; spell it {found[key]}")
    for label in (GROUP_LABEL, WORKLOAD_LABEL):
        value, path = labels.get(label), f"{LABELS}.{label}"
        if isinstance(value, Unknown):
            yield Unclear(path)
        elif not value and label not in found.values():
            yield Fault(path, f"is missing: a collection has both {GROUP_LABEL} and {WORKLOAD_LABEL}")
        elif value and label == WORKLOAD_LABEL and value != HIGH_AVAILABILITY:
            yield Fault(path, f"{value!r} is not the workload type of a collection; use {HIGH_AVAILABILITY}")


def _kind(machine: Any) -> Iterator[Fault | Unclear]:
    kind = machine_type(machine)
    found = generation(kind.generation) if kind else None
    if isinstance(machine, Unknown):
        yield Unclear(MACHINE)
    elif not (found and found.collections):
        given = repr(machine) if machine else "the default"
        yield Fault(
            MACHINE,
            f"{given} is not of Trillium (v6e), and GKE has collections of that alone; use a ct6e machine type",
        )


def _not_interrupted(path: str, value: Any) -> Iterator[Fault | Unclear]:
    if isinstance(value, Unknown):
        yield Unclear(path)
    elif value is True:
        yield Fault(path, "is true, and GKE supports no collection on capacity that it may take back; leave it out")


def _unlike(
    collection: str, noun: str, names: Sequence[str], given: Sequence[tuple[int, Any]]
) -> Iterator[tuple[int, str]]:
    known = [(index, value) for index, value in given if not isinstance(value, Unknown)]
    compared = [(index, value) for index, value in known if value is not None or noun != ALIKE["version"]]
    counts = Counter(value for _, value in compared)
    usual = min(counts, key=lambda value: (-counts[value], str(value)), default=None)
    others = listed(sorted(names[index] for index, value in compared if value == usual))
    for index, value in compared:
        if value != usual:
            message = f"{_shown(value)} as {noun} is not that of the other node pools of collection {collection!r}"
            yield index, f"{message} ({others}: {_shown(usual)}); give all the same"


def _one_pool(name: str, count: int) -> str:
    return (
        f"{name!r} names {count} node pools of single hosts, and such a collection is one node pool; give each its own "
        "name, or one of them more nodes"
    )


def _shown(value: Any) -> str:
    return "none" if value is None else repr(value)


def _is_single_host(pool: Mapping[str, Any]) -> bool:
    machine, topology = at(pool, MACHINE), at(pool, "placementPolicy.tpuTopology")
    return topology is not UNKNOWN and bool(machine_type(machine)) and topology not in pool_topologies(machine)
