"""Chips asked for, and limits on them."""
# ruff: noqa: E501 - whole messages

from inline_snapshot import snapshot

from tpuserve import catalog


def test_slices_need_their_chips_in_their_zone() -> None:
    need = catalog.need_of_slices(3, "v6e-8", "us-east5-b")

    assert need == catalog.Need("tpu", "us-east5-b", "v6e", 24, "3 slices of v6e-8")


def test_replicas_need_the_chips_of_their_maximum() -> None:
    need = catalog.need_of_replicas(2, "ct6e-standard-4t", "us-east5", "stable")

    assert need
    assert need.chips == 8


def test_what_the_catalog_does_not_know_needs_nothing() -> None:
    assert catalog.need_of_replicas(2, "n1-standard-4", "us-east5", "stable") is None


def test_needs_of_one_quota_are_added_up() -> None:
    needs = [
        catalog.need_of_replicas(1, "ct6e-standard-1t", "us-east5", "stable"),
        catalog.need_of_replicas(1, "ct6e-standard-1t", "us-east5", "canary"),
    ]

    faults = catalog.check_limits([need for need in needs if need], {"vertex": {"us-east5": {"v6e": 1}}})

    assert faults == snapshot(
        [
            (
                "vertex.us-east5.v6e",
                "2 chips asked for (variant stable: at most 1 replica on ct6e-standard-1t = 1 chip; variant canary: at most 1 replica on ct6e-standard-1t = 1 chip), the limit is 1; ask for 1 fewer or raise the limit",
            )
        ]
    )


def test_a_limit_that_is_just_met_passes() -> None:
    need = catalog.need_of_slices(3, "v6e-8", "us-east5-b")

    assert need
    assert catalog.check_limits([need], {"tpu": {"us-east5-b": {"v6e": 24}}}) == []


def test_a_limit_of_another_plane_does_not_count() -> None:
    need = catalog.need_of_slices(3, "v6e-8", "us-east5-b")

    assert need
    assert catalog.check_limits([need], {"vertex": {"us-east5-b": {"v6e": 1}}}) == []
