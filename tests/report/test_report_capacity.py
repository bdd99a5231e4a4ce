"""Chips before, at the peak and after; what they cost; what serves."""

from typing import Any

import pytest

from tests.report.streams import (
    DEPLOYMENT,
    ENDPOINT,
    QUEUED,
    UNKNOWN,
    deployment,
    found,
    replaced,
    slices,
    step,
    told,
    variant,
)

DIFF = {"tpu": "update-replace"}
SLICES, REPLICAS = "TPUV6EPerProjectPerZoneForTPUAPI", "CustomModelServingV6ETPUPerProjectPerRegion"


def limits(quota: str, chips: int) -> dict[str, Any]:
    return {"quotas": {"limits": {"*": {quota: {"*": chips}}}}}


def uses(*events: Any, **more: Any) -> list[tuple[int, int, int]]:
    """Before, peak and after, of each row."""
    return [(each.before.chips, each.peak.chips, each.after.chips) for each in told(*events, **more).capacity]


def test_what_stays_is_held_all_the_time() -> None:
    assert uses(step("same", QUEUED, "c", slices(2), slices(2))) == [(16, 16, 16)]


def test_what_is_created_is_held_from_then_on() -> None:
    assert uses(step("create", QUEUED, "c", new=slices(2))) == [(0, 16, 16)]


def test_what_is_deleted_is_held_until_then() -> None:
    assert uses(step("delete", QUEUED, "c", slices(2))) == [(16, 16, 0)]


def test_what_is_imported_is_there_already() -> None:
    assert uses(step("import", QUEUED, "c", new=slices(2))) == [(16, 16, 16)]


def test_what_is_read_is_there_already() -> None:
    assert uses(step("read", QUEUED, "c", new=slices(2))) == [(16, 16, 16)]


@pytest.mark.parametrize("operation", ["discard", "discard-replaced", "remove-pending-replace"])
def test_what_the_state_forgets_gives_up_nothing(operation: str) -> None:
    assert uses(step(operation, QUEUED, "c", slices(2))) == []


def test_a_refresh_alone_takes_nothing_away() -> None:
    assert uses(found(QUEUED, "c", slices(3), slices(2))) == [(16, 16, 16)]


@pytest.mark.parametrize(("first", "peak"), [("delete", 24), ("create", 40)])
def test_a_replacement_holds_both_only_if_it_creates_first(first: str, peak: int) -> None:
    assert uses(*replaced(first, QUEUED, "c", slices(2), slices(3), diff=DIFF)) == [(16, peak, 24)]


def test_deletes_come_after_what_is_created() -> None:
    assert uses(step("create", QUEUED, "new", new=slices(2)), step("delete", QUEUED, "old", slices(2))) == [
        (16, 32, 16)
    ]


def test_a_replacement_that_shrinks_may_come_after_what_is_created() -> None:
    shrinks = replaced("delete", QUEUED, "c", slices(4), slices(2), diff=DIFF)

    assert uses(*shrinks, step("create", QUEUED, "new", new=slices(2))) == [(32, 48, 32)]


def test_what_a_refresh_did_not_find_is_not_held_before() -> None:
    assert uses(found(QUEUED, "c", slices(2), None), step("create", QUEUED, "c", new=slices(2))) == [(0, 16, 16)]


def test_hosts_are_counted_beside_chips() -> None:
    [row] = told(step("create", QUEUED, "c", new=slices(2, "v6e-16"))).capacity

    assert (row.after.chips, row.after.hosts) == (32, 8)


@pytest.mark.parametrize(("limit", "code"), [(15, 1), (16, 2), (-1, 2)])
def test_a_peak_beyond_its_limit_blocks(limit: int, code: int) -> None:
    assert told(step("create", QUEUED, "c", new=slices(2)), config=limits(SLICES, limit)).code == code


def test_a_limit_that_was_exceeded_before_does_not_block_a_change_that_takes_no_more() -> None:
    events = [step("same", QUEUED, "c", slices(2), slices(2)), step("update", old={}, new={}, diff={"a": "update"})]

    assert told(*events, config=limits(SLICES, 8)).code == 2


def test_a_reservation_is_charged_to_no_quota() -> None:
    reserved = slices(2, reservationName="projects/acme/reservations/r")

    [row] = told(step("create", QUEUED, "c", new=reserved), config=limits(SLICES, 0)).capacity

    assert (row.tier, row.quota, row.is_over) == ("reservation", "", False)


def rollout(old: dict[str, Any], new: dict[str, Any], *more: Any) -> tuple[int, int, int]:
    event = step(
        "update", DEPLOYMENT, "d", deployment(**old), deployment(*more, **new), diff={"deployedModels": "update"}
    )
    [found] = uses(event)
    return found


def test_a_variant_is_deployed_beside_the_one_that_runs() -> None:
    assert rollout({"stable": variant(2)}, {"stable": variant(2, "2")}) == (2, 4, 2)


def test_a_variant_that_is_undeployed_first_is_not_held_twice() -> None:
    assert rollout({"stable": variant(2)}, {"stable": variant(2, "2", strategy="UNDEPLOY_FIRST")}) == (2, 2, 2)


def test_what_can_run_beside_is_deployed_before_a_variant_is_undeployed_first() -> None:
    moved = variant(2, "2", strategy="UNDEPLOY_FIRST")
    moved["dedicatedResources"]["machineSpec"] = {"machineType": "ct5lp-hightpu-1t"}

    event = step(
        "update",
        DEPLOYMENT,
        "d",
        deployment(stable=variant(2)),
        deployment(stable=moved, next=variant(2, "3")),
        diff={"deployedModels": "update"},
    )

    assert sorted(uses(event)) == [(0, 2, 2), (2, 4, 2)]


def test_more_replicas_in_place_are_held_once() -> None:
    assert rollout({"stable": variant(2)}, {"stable": variant(3)}) == (2, 3, 3)


def test_fewer_replicas_in_place_are_given_back() -> None:
    assert rollout({"stable": variant(3)}, {"stable": variant(2)}) == (3, 3, 2)


def test_a_variant_that_goes_is_held_until_the_new_one_is_there() -> None:
    assert rollout({"stable": variant(2)}, {"next": variant(1, "2")}) == (2, 3, 1)


def test_a_variant_under_another_name_takes_over_what_runs() -> None:
    assert rollout({"stable": variant(2)}, {"main": variant(2)}) == (2, 2, 2)


def test_a_variant_takes_over_with_more_replicas_what_runs_under_another_name() -> None:
    assert rollout({"stable": variant(3)}, {"main": variant(5)}) == (3, 5, 5)


def test_a_variant_that_becomes_what_another_was_takes_that_over() -> None:
    old, new = {"a": variant(2), "b": variant(1, "2")}, {"b": variant(3)}

    assert rollout(old, new) == (3, 4, 3)


def test_what_gets_no_requests_is_undeployed_before_a_variant_that_makes_room() -> None:
    old = deployment({"a": 100, "idle": 0}, a=variant(2), idle=variant(4, "9"))
    new = deployment(
        {"a": 100},
        a=variant(2, "2", strategy="UNDEPLOY_FIRST"),
    )

    assert uses(step("update", DEPLOYMENT, "d", old, new, diff={"deployedModels": "update"})) == [(6, 6, 2)]


def test_a_pause_gives_all_back() -> None:
    assert rollout({"stable": variant(2)}, {"stable": variant(2)}, None, True) == (2, 2, 0)


def test_a_deployment_whose_endpoint_is_new_is_where_that_is() -> None:
    serving = {**deployment(stable=2), "endpoint": UNKNOWN}
    endpoint = {"project": "acme", "location": "us-east5"}

    [row] = told(step("create", ENDPOINT, "e", new=endpoint), step("create", DEPLOYMENT, "d", new=serving)).capacity

    assert (row.place, row.project, row.quota) == ("us-east5", "acme", REPLICAS)


def test_a_deployment_whose_endpoint_may_be_in_two_places_is_not_counted() -> None:
    serving = {**deployment(stable=2), "endpoint": UNKNOWN}
    endpoints = [
        step("create", ENDPOINT, each, new={"project": "acme", "location": each}) for each in ("us-a1", "us-b1")
    ]

    report = told(*endpoints, step("create", DEPLOYMENT, "d", new=serving))

    assert (report.capacity, [each.path for each in report.not_counted]) == ((), ["endpoint"])


def test_a_project_is_one_whether_by_id_or_by_number() -> None:
    old = {**deployment(stable=2), "endpoint": "projects/12/locations/us-east5/endpoints/e"}
    endpoint = step("same", ENDPOINT, "e", {"project": "acme"}, {"project": "acme"})
    endpoint["resourcePreEvent"]["metadata"]["old"]["outputs"] = {"name": "projects/12/locations/us-east5/endpoints/e"}

    assert uses(endpoint, step("update", DEPLOYMENT, "d", old, deployment(stable=2), diff={"endpoint": "update"})) == [
        (2, 2, 2)
    ]


def test_cost_is_told_an_hour_and_a_month() -> None:
    cost = told(*replaced("delete", QUEUED, "c", slices(2), slices(3), diff=DIFF)).cost

    assert (cost.hourly_before, cost.hourly_after) == (43.2, 64.8)
    assert (cost.monthly_before, cost.monthly_after) == (31536.0, 47304.0)


def test_cost_tells_the_day_of_its_prices() -> None:
    assert told(step("create", QUEUED, "c", new=slices(2))).cost.dates == ("2026-11",)


def test_what_has_no_known_price_is_said() -> None:
    cost = told(step("create", DEPLOYMENT, "d", new=deployment(stable=2))).cost

    assert (cost.hourly_after, len(cost.not_known)) == (0, 1)


def test_prices_of_the_stack_count_in_place_of_the_list() -> None:
    prices = {"vertex": {"us-east5": {"v6e": {"onDemand": 3}}}}

    cost = told(step("create", DEPLOYMENT, "d", new=deployment(stable=2)), config={"budget": {"prices": prices}}).cost

    assert (cost.hourly_after, cost.dates, cost.not_known) == (6, (), ())


def traffic(*event: Any) -> list[tuple[str, str, str]]:
    return [(each.variant, each.share_before.text, each.share_after.text) for each in told(*event).traffic]


def test_shares_are_told_before_and_after() -> None:
    old, new = deployment({"a": 100}, a=1), deployment({"a": 90, "b": 10}, a=1, b=1)

    assert traffic(step("update", DEPLOYMENT, "d", old, new, diff={"x": "update"})) == [
        ("a", "100", "90"),
        ("b", "", "10"),
    ]


def test_a_variant_alone_has_all_requests() -> None:
    assert traffic(step("create", DEPLOYMENT, "d", new=deployment(a=1))) == [("a", "", "100")]


def test_what_serves_and_does_not_change_is_not_told() -> None:
    assert traffic(step("same", DEPLOYMENT, "d", deployment(a=1), deployment(a=1))) == []


def test_the_verdict_says_what_is_given_up() -> None:
    report = told(*replaced("delete", QUEUED, "c", slices(2), slices(3), diff=DIFF), config=limits(SLICES, 16))

    assert report.verdict.sentence == (
        "prod: 1 replacement gives up 16 v6e chips in us-east5-b for the length of a queue; +$15,768 a month; "
        "24 chips of v6e at the peak in us-east5-b, over the limit of 16"
    )
