"""Family budget: list prices against what a stack may cost."""
# ruff: noqa: E501 - whole messages

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pulumi_policy import PolicyResource
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE
from tpuserve.policies.budget import FAMILY  # pyright: ignore[reportMissingImports]

from tests.policies.packs import declared, stack_violations
from tests.policies.stacks import deployed, node_pool, raw_pool, raw_queued, raw_vm, slices, variant
from tpuserve import catalog
from tpuserve.declared.tokens import RAW_GARDEN

RULE, TWIN = FAMILY.policies()


def test_slices_that_cost_more_than_the_stack_may() -> None:
    assert stack_violations(RULE, slices(), config={"hourly": 10}) == snapshot(
        [
            (
                "",
                "budget.hourly: 64.80 USD an hour at list price (slices: 3 slices of v6e-8 = 24 x 2.7 USD an hour), the limit is 10.00; declare fewer chips, or raise `budget.hourly` in the stack's policy configuration",
            )
        ]
    )


def test_a_month_has_730_hours() -> None:
    assert stack_violations(RULE, slices(), config={"monthly": 24 * 2.7 * 730 - 1}) == snapshot(
        [
            (
                "",
                "budget.monthly: 47,304.00 USD a month of 730 hours at list price (slices: 3 slices of v6e-8 = 24 x 2.7 USD an hour), the limit is 47,303.00; declare fewer chips, or raise `budget.monthly` in the stack's policy configuration",
            )
        ]
    )


def test_a_limit_that_is_just_met_passes() -> None:
    assert stack_violations(RULE, slices(), config={"hourly": 24 * 2.7}) == []


def test_without_limits_nothing_is_said() -> None:
    assert stack_violations(RULE, slices()) == stack_violations(TWIN, deployed(a=variant())) == []


def test_flex_start_has_no_price_here() -> None:
    (found,) = stack_violations(TWIN, slices(provisioningModel="FLEX_START"), config={"hourly": 1})

    assert "provisioningModel is FLEX_START, whose quota and price are not checked" in found[1]


def test_spot_has_a_price_of_its_own() -> None:
    assert stack_violations(RULE, slices(spot={}), config={"hourly": 24 * 1.215}) == []
    assert len(stack_violations(RULE, slices(spot={}), config={"hourly": 24 * 1.215 - 1})) == 1


def test_raw_resources_cost_too() -> None:
    assert len(stack_violations(RULE, raw_vm(), raw_queued(), config={"hourly": 4 * 2.7 + 8 * 1.2 - 0.1})) == 1


@pytest.mark.parametrize(
    "unpriced",
    [
        deployed(a=variant()),
        raw_pool(),
        slices(zone="us-west1-c"),
        slices(guaranteed={"reserved": True}),
        slices(kind=UNKNOWN_STRING_VALUE),
    ],
)
def test_what_has_no_known_price_is_named_by_the_twin(unpriced: PolicyResource) -> None:
    assert len(stack_violations(TWIN, unpriced, config={"hourly": 0})) == 1
    assert stack_violations(RULE, unpriced, config={"hourly": 0}) == []


def test_what_the_twin_says_of_vertex() -> None:
    assert stack_violations(TWIN, deployed(a=variant()), config={"hourly": 1}) == snapshot(
        [
            (
                "digits",
                "deployedModels.a.dedicatedResources is v6e in us-east5 (Vertex AI, on-demand), whose price is not known: give it in `budget.prices`, so budget could not be checked here",
            )
        ]
    )


def test_the_known_part_can_be_too_much_alone() -> None:
    assert len(stack_violations(RULE, slices(), deployed(a=variant()), config={"hourly": 1})) == 1


def test_a_price_of_ones_own_counts() -> None:
    prices = {"vertex": {"us-east5": {"v6e": {"onDemand": 3}}}}

    assert stack_violations(RULE, deployed(a=variant()), config={"hourly": 6, "prices": prices}) == []
    assert len(stack_violations(RULE, deployed(a=variant()), config={"hourly": 5.9, "prices": prices})) == 1


@given(st.permutations(range(4)))
def test_the_order_of_resources_changes_no_answer(order: list[int]) -> None:
    stack = [slices(), raw_vm(), deployed(a=variant()), slices(name="b", spot={})]
    shuffled = [stack[index] for index in order]

    for policy in (RULE, TWIN):
        assert stack_violations(policy, *shuffled, config={"hourly": 1}) == stack_violations(
            policy, *stack, config={"hourly": 1}
        )


def test_every_price_has_its_source_and_date() -> None:
    price = catalog.list_price("v6e", "us-east5-b", spot=False)

    assert price
    assert (price.amount, bool(price.source), price.date) == (2.7, True, "2026-11")


def test_a_placeholder_is_no_price() -> None:
    from tpuserve.catalog.tables import table

    assert all(row["on_demand"] < 100 for regions in table("prices").values() for row in regions.values())


def test_chips_on_gke_are_said_not_to_be_counted() -> None:
    (found,) = stack_violations(TWIN, node_pool(), config={"hourly": 1})

    assert found[0] == "pool"
    assert found[1].startswith("nodeConfig.machineType is 'ct6e-standard-4t' on GKE, whose chips are not counted")


def test_nodes_without_tpu_chips_are_none_of_its_business() -> None:
    assert stack_violations(TWIN, node_pool("n2-standard-4"), config={"hourly": 1}) == []


def test_machines_that_google_chooses_are_said_not_to_be_counted() -> None:
    chosen = declared(RAW_GARDEN, "garden", {"project": "acme", "location": "us-west1"})

    (found,) = stack_violations(TWIN, chosen, config={"hourly": 1})

    assert found[1].startswith("deployConfig.dedicatedResources is left out, and Google chooses the machines")
