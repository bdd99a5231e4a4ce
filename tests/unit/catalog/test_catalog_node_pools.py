"""Node pools of GKE with TPU chips: machine type, topology, number of nodes and placement."""

from typing import Any

import pytest

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault, Unclear
from tpuserve.catalog.node_pools import at, check_node_pool, pool_topologies

HOSTS = [
    (machine, name, hosts) for machine in catalog.machine_types() for name, hosts in pool_topologies(machine).items()
]


def pool(machine: Any = "ct6e-standard-4t", topology: Any = "4x4", **more: Any) -> dict[str, Any]:
    return {"nodeConfig": {"machineType": machine}, "placementPolicy": {"tpuTopology": topology}, **more}


def said(given: dict[str, Any]) -> set[tuple[type, str]]:
    """Kind and path of each answer."""
    return {(type(each), each.path) for each in check_node_pool(given)}


@pytest.mark.parametrize(("machine", "topology", "hosts"), HOSTS)
def test_a_slice_has_as_many_nodes_as_its_topology_needs(machine: str, topology: str, hosts: int) -> None:
    counts = (hosts - 1, hosts, hosts + 1)

    assert [bool(said(pool(machine, topology, nodeCount=count))) for count in counts] == [True, False, True]


@pytest.mark.parametrize(("machine", "topology", "hosts"), HOSTS)
def test_the_chips_of_the_nodes_are_those_of_the_topology(machine: str, topology: str, hosts: int) -> None:
    found = catalog.machine_type(machine)
    width, height = map(int, topology.split("x"))

    assert found
    assert hosts * found.chips == width * height


@pytest.mark.parametrize("machine", ["ct6e-standard-1t", "ct6e-standard-8t", "ct5lp-hightpu-1t", "ct5lp-hightpu-8t"])
def test_machines_of_single_hosts_have_no_topology_of_several(machine: str) -> None:
    assert pool_topologies(machine) == {}


def test_gke_makes_2x4_of_two_machines_with_four_chips() -> None:
    assert pool_topologies("ct6e-standard-4t")["2x4"] == 2


@pytest.mark.parametrize("machine", ["n2-standard-4", None, "", UNKNOWN, 8])
def test_other_machines_have_no_topologies(machine: Any) -> None:
    assert pool_topologies(machine) == {}


def test_single_hosts_may_be_any_number() -> None:
    assert said({"nodeConfig": {"machineType": "ct6e-standard-8t"}, "nodeCount": 7}) == set()


@pytest.mark.parametrize("count", ["nodeCount", "initialNodeCount"])
def test_an_initial_count_counts_only_where_nothing_else_says_how_many(count: str) -> None:
    assert said(pool(**{count: 3})) == {(Fault, count)}


def test_a_scaled_pool_is_not_held_to_its_initial_count() -> None:
    assert said(pool(initialNodeCount=0, autoscaling={"minNodeCount": 0, "maxNodeCount": 4})) == set()


def test_a_limit_over_all_zones_says_nothing_of_one_slice() -> None:
    assert said(pool(autoscaling={"totalMaxNodeCount": 4})) == {(Fault, "autoscaling.totalMaxNodeCount")}


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"nodeConfig": UNKNOWN}, "nodeConfig.machineType"),
        (pool(UNKNOWN), "nodeConfig.machineType"),
        (pool(topology=UNKNOWN), "placementPolicy.tpuTopology"),
        (pool() | {"placementPolicy": UNKNOWN}, "placementPolicy.tpuTopology"),
        (pool(nodeCount=UNKNOWN), "nodeCount"),
        (pool(autoscaling={"maxNodeCount": UNKNOWN}), "autoscaling.maxNodeCount"),
        (pool(nodeCount=4, autoscaling={"totalMaxNodeCount": UNKNOWN}), "autoscaling.totalMaxNodeCount"),
        (
            {"nodeConfig": {"machineType": "tpu7x-standard-4t"}, "placementPolicy": {"type": UNKNOWN}},
            "placementPolicy.type",
        ),
    ],
)
def test_what_is_not_known_yet_is_unclear_and_no_fault(given: dict[str, Any], path: str) -> None:
    assert said(given) == {(Unclear, path)}


@pytest.mark.parametrize(("given", "kind"), [({"type": "COMPACT"}, {Fault}), ({"policyName": "workload"}, set())])
def test_ironwood_takes_a_workload_policy(given: dict[str, Any], kind: set[type]) -> None:
    found = said({"nodeConfig": {"machineType": "tpu7x-standard-4t"}, "placementPolicy": given})

    assert {each for each, _ in found} == kind


@pytest.mark.parametrize(
    ("given", "value"),
    [({"a": {"b": 1}}, 1), ({"a": {}}, None), ({}, None), ({"a": UNKNOWN}, UNKNOWN), ({"a": 1}, None)],
)
def test_a_value_is_found_by_its_path(given: dict[str, Any], value: Any) -> None:
    assert at(given, "a.b") is value
