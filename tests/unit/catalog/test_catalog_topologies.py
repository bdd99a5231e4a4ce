"""TPU topologies of machine types: several hosts have one, a single host has none (AI-Hypercomputer/xpk#825)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve.catalog import (
    UNKNOWN,
    check_tpu_topology,
    chips_of_replica,
    is_own_topology,
    machine_types,
    multi_host_topologies,
)

FOUR, EIGHT = "ct6e-standard-4t", "ct6e-standard-8t"
MACHINES = st.sampled_from(sorted(machine_types()))


def test_left_out_is_a_single_host() -> None:
    assert check_tpu_topology(FOUR, None) is None


def test_shape_of_one_host_is_to_be_left_out() -> None:
    message = "'2x2' is the shape of one 'ct6e-standard-4t' (4 chips): leave it out for a single host"

    assert check_tpu_topology(FOUR, "2x2") == message


def test_machine_type_that_is_always_a_single_host_takes_none() -> None:
    message = "'4x4' cannot be given beside 'ct6e-standard-8t', which serves as a single host; leave it out"

    assert check_tpu_topology(EIGHT, "4x4") == message


def test_other_topology_is_refused_with_those_there_are() -> None:
    assert check_tpu_topology(FOUR, "3x3") == (
        "'3x3' is no topology of 'ct6e-standard-4t'; use 4x4 (4 hosts), 4x8 (8 hosts), 8x8 (16 hosts), 8x16 (32 hosts) "
        "or 16x16 (64 hosts), or leave it out for a single host"
    )


@pytest.mark.parametrize("machine", [FOUR, "ct5lp-hightpu-4t"])
@pytest.mark.parametrize("topology", ["4x4", "4x8", "8x8", "8x16", "16x16"])
def test_several_hosts(machine: str, topology: str) -> None:
    assert check_tpu_topology(machine, topology) is None


@pytest.mark.parametrize(("machine", "topology"), [(UNKNOWN, "4x4"), (FOUR, UNKNOWN), ("n1-standard-2", "4x4")])
def test_what_is_not_known_is_not_checked(machine: object, topology: object) -> None:
    assert check_tpu_topology(machine, topology) is None  # type: ignore[arg-type]


@given(MACHINES)
def test_a_machine_type_has_its_chips_with_its_own_topology_as_without(machine: str) -> None:
    kind = machine_types()[machine]

    assert chips_of_replica(machine, kind.topology) == chips_of_replica(machine) == kind.chips


@given(MACHINES)
def test_several_hosts_have_their_chips_together(machine: str) -> None:
    kind = machine_types()[machine]

    found = {topology: chips_of_replica(machine, topology) for topology in multi_host_topologies(machine)}

    assert found == {topology: hosts * kind.chips for topology, hosts in multi_host_topologies(machine).items()}


@pytest.mark.parametrize(("machine", "topology"), [("n1-standard-2", None), (FOUR, UNKNOWN), (FOUR, "many")])
def test_chips_of_what_is_not_known(machine: str, topology: object) -> None:
    assert chips_of_replica(machine, topology) is None


@pytest.mark.parametrize(("topology", "own"), [("2x2", True), ("4x4", False), (None, False)])
def test_own_topology(topology: str | None, own: bool) -> None:
    assert is_own_topology(FOUR, topology) is own
