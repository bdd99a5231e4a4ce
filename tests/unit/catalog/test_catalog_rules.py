"""What the rules let through, and what they answer for values that nobody thought of."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN

PERCENT = st.integers(0, 100)
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,10}", fullmatch=True)
ANYTHING = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.just(UNKNOWN))
TEXT = st.one_of(st.text(), st.just(UNKNOWN))

ALL_UNKNOWN: list[Callable[[], Any]] = [
    lambda: catalog.check_accelerator_type(UNKNOWN),
    lambda: catalog.check_machine_type(UNKNOWN),
    lambda: catalog.check_accelerator_fields(UNKNOWN, ["acceleratorType"]),
    lambda: catalog.check_runtime(UNKNOWN, UNKNOWN),
    lambda: catalog.check_zone(UNKNOWN, UNKNOWN),
    lambda: catalog.check_collection(UNKNOWN, UNKNOWN, UNKNOWN),
    lambda: catalog.check_node_prefix(UNKNOWN),
    lambda: catalog.check_resource_id("modelId", UNKNOWN),
    lambda: catalog.check_traffic_split(UNKNOWN, UNKNOWN),
    lambda: catalog.check_replicas(UNKNOWN, UNKNOWN, UNKNOWN),
    lambda: catalog.check_duration(UNKNOWN),
    lambda: catalog.check_port(UNKNOWN),
    lambda: catalog.check_count(UNKNOWN),
    lambda: catalog.check_time(UNKNOWN),
    lambda: catalog.check_topology(UNKNOWN, UNKNOWN),
    lambda: catalog.check_topology("V6E", UNKNOWN),
    lambda: catalog.check_queueing_policy(UNKNOWN),
    lambda: catalog.check_queueing_policy({"validAfterTime": UNKNOWN}),
    lambda: catalog.check_queueing_policy({"validInterval": {"startTime": UNKNOWN, "endTime": UNKNOWN}}),
    lambda: catalog.check_tiers({"spot": UNKNOWN, "guaranteed": {}}),
    lambda: catalog.check_scheduling({"spot": UNKNOWN}, {"spot": True}),
    lambda: catalog.check_scheduling({"guaranteed": {"reserved": UNKNOWN}}, {"reserved": True}),
    lambda: catalog.check_subnetwork(UNKNOWN, UNKNOWN),
    lambda: catalog.check_reservation(UNKNOWN, UNKNOWN),
    lambda: catalog.check_data_disks([UNKNOWN, {"mode": UNKNOWN}], UNKNOWN, 2, UNKNOWN),
    lambda: catalog.check_data_disks([{"sourceDisk": UNKNOWN}], UNKNOWN, UNKNOWN, UNKNOWN),
    lambda: catalog.check_labels(UNKNOWN),
    lambda: catalog.check_container(UNKNOWN, {}),
]


@pytest.mark.parametrize("rule", ALL_UNKNOWN)
def test_a_value_that_is_not_known_is_no_fault(rule: Callable[[], Any]) -> None:
    assert not rule()


@pytest.mark.parametrize("name", catalog.accelerator_types())
def test_every_accelerator_type_in_the_catalog_passes(name: str) -> None:
    assert catalog.check_accelerator_type(name) is None


@pytest.mark.parametrize("name", catalog.machine_types())
def test_every_machine_type_in_the_catalog_passes(name: str) -> None:
    assert catalog.check_machine_type(name) is None


@pytest.mark.parametrize("zone", [zone.name for zone in catalog.zones_for("v6e")])
def test_every_zone_of_the_generation_passes(zone: str) -> None:
    assert catalog.check_zone(zone, "v6e-8") is None


def test_a_zone_outside_what_was_read_is_not_refused() -> None:
    assert catalog.check_zone("asia-southeast1-b", "v5litepod-8") is None


def test_a_zone_is_not_refused_for_an_accelerator_that_is_not_known() -> None:
    assert catalog.check_zone("us-west4-a", UNKNOWN) is None


def test_a_runtime_version_that_the_catalog_does_not_know_passes() -> None:
    assert catalog.check_runtime("v6e-8", "v2-nightly-tpuv6e") is None


@pytest.mark.parametrize("spelling", ["AVAILABILITY_OPTIMIZED", "AVAILABILITY-OPTIMIZED", "availability-optimized"])
def test_every_spelling_of_the_workload_type_is_the_enum(spelling: str) -> None:
    assert catalog.normalize_workload_type(spelling) == "AVAILABILITY_OPTIMIZED"


def test_several_v5e_slices_without_a_workload_type_are_no_collection() -> None:
    assert catalog.check_collection(3, "v5litepod-8", None) == []


@given(st.integers(2, 1000), st.sampled_from([n for n in catalog.accelerator_types() if n.startswith("v6e")]))
def test_any_number_of_v6e_slices_from_two_is_a_collection(count: int, accelerator: str) -> None:
    assert catalog.check_collection(count, accelerator, "AVAILABILITY_OPTIMIZED") == []


def test_a_whole_number_from_the_engine_is_a_count() -> None:
    assert catalog.check_collection(3.0, "v6e-8", None) == []  # pyright: ignore[reportArgumentType]


@given(st.dictionaries(NAMES, PERCENT, min_size=1))
def test_a_split_passes_exactly_if_it_sums_to_100(split: dict[str, int]) -> None:
    fault = catalog.check_traffic_split(split, list(split))

    assert (fault is None) == (sum(split.values()) == 100)


def test_a_share_that_is_not_known_leaves_the_sum_unchecked() -> None:
    assert catalog.check_traffic_split({"stable": 50, "canary": UNKNOWN}, ["stable", "canary"]) is None


def test_digits_are_the_id_of_a_deployed_model_of_someone_else() -> None:
    assert catalog.check_traffic_split({"stable": 60, "4711": 40}, ["stable"]) is None


def test_digits_are_a_stranger_where_there_can_be_no_one_else() -> None:
    fault = catalog.check_traffic_split({"stable": 60, "4711": 40}, ["stable"], foreign_ok=False)

    assert fault == "'4711' is not a variant; variants: stable"


def test_a_split_left_out_with_one_variant_passes() -> None:
    assert catalog.check_traffic_split(None, ["stable"]) is None


@given(st.integers(1, 100), st.integers(1, 100))
def test_max_passes_exactly_if_it_is_not_below_min(minimum: int, maximum: int) -> None:
    assert (catalog.check_replicas(minimum, maximum) == []) == (maximum >= minimum)


@given(ANYTHING, ANYTHING, ANYTHING)
def test_replica_counts_never_raise(minimum: Any, maximum: Any, required: Any) -> None:
    assert isinstance(catalog.check_replicas(minimum, maximum, required), list)


@given(ANYTHING, TEXT, st.one_of(st.none(), TEXT))
def test_collections_never_raise(count: Any, accelerator: Any, workload: Any) -> None:
    assert isinstance(catalog.check_collection(count, accelerator, workload), list)


@given(st.dictionaries(st.text(), ANYTHING))
def test_splits_never_raise(split: Any) -> None:
    assert catalog.check_traffic_split(split, ["stable"]) is None or split is not None


@given(ANYTHING)
def test_single_values_never_raise(value: Any) -> None:
    rules = (catalog.check_accelerator_type, catalog.check_machine_type, catalog.check_duration, catalog.check_port)

    assert all(isinstance(rule(value), str | None) for rule in rules)


@given(st.integers(1, 65535))
def test_every_port_passes(port: int) -> None:
    assert catalog.check_port(port) is None


@pytest.mark.parametrize("value", ["0s", "3600s", "1.5s", "0.000000001s"])
def test_durations_pass(value: str) -> None:
    assert catalog.check_duration(value) is None
