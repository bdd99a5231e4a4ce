"""Collections on GKE: laws that hold for any node pools."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault
from tpuserve.catalog.gke_collections import (
    GROUP_LABEL,
    WORKLOAD_LABEL,
    check_collection_group,
    check_collection_pool,
    collection_of,
)

LABELS = {GROUP_LABEL: "digits", WORKLOAD_LABEL: "HIGH_AVAILABILITY"}
TOPOLOGIES = st.sampled_from(["4x4", "4x8", "8x8"])


def pool(topology: Any = "4x4", machine: str = "ct6e-standard-4t") -> dict[str, Any]:
    return {"nodeConfig": {"machineType": machine, "labels": LABELS}, "placementPolicy": {"tpuTopology": topology}}


def blamed(topologies: list[str]) -> list[int]:
    pools = [(f"p{index}", pool(topology)) for index, topology in enumerate(topologies)]
    return [index for index, _ in check_collection_group("digits", pools)]


@pytest.mark.parametrize("machine", catalog.machine_types())
def test_a_machine_may_be_of_a_collection_if_its_generation_has_them(machine: str) -> None:
    found = catalog.machine_type(machine)
    generation = catalog.generation(found.generation) if found else None
    faults = [each for each in check_collection_pool(pool(machine=machine)) if isinstance(each, Fault)]

    assert generation
    assert bool(faults) is not generation.collections


@given(st.lists(TOPOLOGIES, min_size=1, max_size=8))
def test_those_that_are_not_blamed_are_all_alike(topologies: list[str]) -> None:
    left = {topologies[index] for index in range(len(topologies)) if index not in blamed(topologies)}

    assert len(left) == 1


@given(st.lists(TOPOLOGIES, min_size=1, max_size=8))
def test_never_more_are_blamed_than_need_to_change(topologies: list[str]) -> None:
    most = max(topologies.count(each) for each in topologies)

    assert len(blamed(topologies)) == len(topologies) - most


@pytest.mark.parametrize(
    ("labels", "name"),
    [(LABELS, "digits"), ({}, None), (None, None), (UNKNOWN, UNKNOWN), ({GROUP_LABEL: UNKNOWN}, UNKNOWN)],
)
def test_the_group_label_names_the_collection(labels: Any, name: Any) -> None:
    assert collection_of({"nodeConfig": {"labels": labels}}) is name


@pytest.mark.parametrize("key", ["gke-workload", "workload-type", "cloud.google.com/gke-nodepool", "app"])
def test_a_label_that_is_none_of_a_collection_is_nobodys_business(key: str) -> None:
    given = {"nodeConfig": {"machineType": "ct6e-standard-4t", "labels": {key: "x"}, "spot": True}}

    assert list(check_collection_pool(given)) == []
