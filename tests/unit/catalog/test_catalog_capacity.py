"""Chips asked for, and what is charged for them."""

from tpuserve import catalog
from tpuserve.catalog import Account, Charge, Need


def charge(need: Need | None) -> Charge | None:
    assert need
    return catalog.charge_of(need, "acme", "digits")


def test_slices_need_their_chips_in_their_zone() -> None:
    need = catalog.need_of_slices(3, "v6e-8", "us-east5-b")

    assert need
    assert (need.plane, need.location, need.generation, need.chips) == ("tpu", "us-east5-b", "v6e", 24)


def test_replicas_need_the_chips_of_their_maximum() -> None:
    need = catalog.need_of_replicas(1, 2, "ct6e-standard-4t", "us-east5")

    assert need
    assert (need.chips, need.reason) == (8, "at most 2 replicas on ct6e-standard-4t")


def test_replicas_need_the_chips_of_all_their_hosts() -> None:
    need = catalog.need_of_replicas(2, 2, "ct6e-standard-4t", "us-east5", topology="4x4")

    assert need
    assert (need.chips, need.reason) == (32, "2 replicas on ct6e-standard-4t as 4x4")


def test_a_maximum_below_the_minimum_does_not_count() -> None:
    need = catalog.need_of_replicas(3, 0, "ct6e-standard-1t", "us-east5")

    assert need
    assert need.chips == 3


def test_what_the_catalog_does_not_know_needs_nothing() -> None:
    assert catalog.need_of_replicas(1, 2, "n1-standard-4", "us-east5") is None
    assert catalog.need_of_slices(3, "v4-8", "us-east5-b") is None


def test_a_charge_is_to_the_quota_of_its_shape() -> None:
    assert charge(catalog.need_of_slices(2, "v5litepod-16", "us-west4-a")) == Charge(
        Account("acme", "TPUV5sLitepodPerProjectPerZoneForTPUAPI", "us-west4-a"), 32, "digits: 2 slices of v5litepod-16"
    )


def test_a_charge_counts_in_the_region_where_the_quota_does() -> None:
    assert charge(catalog.need_of_slices(1, "v5litepod-16", "us-west4-a", preemptible=True)) == Charge(
        Account("acme", "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI", "us-west4"),
        16,
        "digits: 1 slice of v5litepod-16",
    )


def test_a_generation_without_a_quota_is_charged_to_none() -> None:
    assert catalog.charge_of(Need("vertex", "us-east5", "7x", 1, 1, 4, "tpu7x-standard-4t"), "acme", "digits") is None
