"""GKE node pools with TPU chips: machine type, topology, number of nodes and placement belong together."""

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN, Fault, Unclear, Unknown
from tpuserve.catalog.machines import machine_type
from tpuserve.catalog.reading import at
from tpuserve.catalog.topologies import multi_host_topologies
from tpuserve.catalog.words import listed

WORKLOAD_POLICY_ONLY = "tpu7x-"
"""Machine types whose node pools take a workload policy in place of a placement policy (vllm-project/ci-infra#547)."""
COUNTS = ("nodeCount", "autoscaling.maxNodeCount")
"""Numbers of nodes in each zone."""


def pool_topologies(machine: object) -> dict[str, int]:
    """Topology -> nodes of a pool that is one slice of several hosts.

    GKE alone also makes 2x4 of two machines with 4 chips (docs.cloud.google.com/tpu/docs/v6e).
    """
    kind = machine_type(machine)
    two = {"2x4": 2} if kind and kind.chips == 4 else {}
    return two | multi_host_topologies(machine)


def check_node_pool(pool: Mapping[str, Any]) -> Iterator[Fault | Unclear]:
    """What in a node pool, with the names of GKE's API, does not agree; nothing for one without TPU chips."""
    machine = at(pool, "nodeConfig.machineType")
    if isinstance(machine, Unknown):
        yield Unclear("nodeConfig.machineType")
    elif str(machine).startswith(WORKLOAD_POLICY_ONLY):
        yield from _workload_policy(pool, machine)
    elif machine_type(machine):
        yield from _topology(pool, str(machine))


def _workload_policy(pool: Mapping[str, Any], machine: str) -> Iterator[Fault | Unclear]:
    kind = at(pool, "placementPolicy.type")
    if isinstance(kind, Unknown):
        yield Unclear("placementPolicy.type")
    elif kind:
        yield Fault(
            "placementPolicy.type",
            f"{kind!r} is a placement policy, and node pools of {machine!r} take a workload policy; leave the type "
            "out and name a compute resource policy with `workloadPolicy` in placementPolicy.policyName",
        )


def _topology(pool: Mapping[str, Any], machine: str) -> Iterator[Fault | Unclear]:
    topology, allowed = at(pool, "placementPolicy.tpuTopology"), pool_topologies(machine)
    if isinstance(topology, Unknown):
        yield Unclear("placementPolicy.tpuTopology")
    elif topology in allowed:
        yield from _nodes(pool, f"one slice of {topology} is {allowed[topology]} nodes of {machine}", allowed[topology])
    elif topology:
        shapes = f"use {listed((f'{name} ({hosts} nodes)' for name, hosts in allowed.items()), 'or')}, or " * bool(
            allowed
        )
        yield Fault(
            "placementPolicy.tpuTopology",
            f"{topology!r} is no topology of several {machine!r}; {shapes}leave it out for single hosts",
        )


def _nodes(pool: Mapping[str, Any], why: str, hosts: int) -> Iterator[Fault | Unclear]:
    counts = {path: at(pool, path) for path in COUNTS}
    if at(pool, "autoscaling") is None and counts["nodeCount"] is None:
        counts["initialNodeCount"] = at(pool, "initialNodeCount")
    for path, count in counts.items():
        if isinstance(count, Unknown):
            yield Unclear(path)
        elif count is not None and int(count) != hosts:
            yield Fault(path, f"{int(count)} does not fit: {why}; give {hosts}")
    if all(count is None for count in counts.values()) and at(pool, "autoscaling.totalMaxNodeCount") is None:
        yield Fault("nodeCount", f"is missing: {why}; give {hosts}")
    yield from _total(at(pool, "autoscaling.totalMaxNodeCount"), why, hosts)


def _total(total: Any, why: str, hosts: int) -> Iterator[Fault | Unclear]:
    if total is UNKNOWN:
        yield Unclear("autoscaling.totalMaxNodeCount")
    elif total:
        yield Fault(
            "autoscaling.totalMaxNodeCount",
            f"{int(total)} is a limit over all zones, and {why}, all in one zone; give maxNodeCount {hosts} instead",
        )
