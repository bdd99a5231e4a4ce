"""Family traffic: shares of an endpoint's requests."""
# ruff: noqa: E501 - whole messages

import json
from typing import Any

import pytest
from inline_snapshot import snapshot
from pulumi_policy.policy import _NotApplicableError
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.traffic import FAMILY  # pyright: ignore[reportMissingImports]

from tests.gcp import known
from tests.policies.packs import DEPLOYMENT, violations
from tpuserve.declared.tokens import RAW_ENDPOINT

RULE, TWIN = FAMILY.policies()


def split(shares: Any, *variants: str) -> dict[str, Any]:
    declared = {"deployedModels": {name: {} for name in variants or ("stable", "canary")}}
    return declared if shares is None else {**declared, "trafficSplit": shares}


def raw(shares: Any, **more: Any) -> dict[str, Any]:
    text = shares if isinstance(shares, str) else json.dumps(shares)
    return {"displayName": "e", "location": "us-east5", "trafficSplit": text, **more}


def test_shares_that_sum_to_100_pass() -> None:
    assert violations(RULE, DEPLOYMENT, split({"stable": 90.0, "canary": 10.0})) == []


def test_a_split_left_out_with_one_variant_passes() -> None:
    assert violations(RULE, DEPLOYMENT, split(None, "stable")) == []


def test_a_split_left_out_with_several_variants() -> None:
    assert violations(RULE, DEPLOYMENT, split(None)) == snapshot(
        ["trafficSplit: left out, and there are several variants (stable and canary); give each its share, 100 in all"]
    )


def test_shares_that_do_not_sum_to_100() -> None:
    assert violations(RULE, DEPLOYMENT, split({"stable": 90, "canary": 20})) == snapshot(
        ["trafficSplit: stable 90 + canary 20 sums to 110; shares must sum to 100"]
    )


def test_a_variant_that_is_not_declared() -> None:
    assert violations(RULE, DEPLOYMENT, split({"stable": 90, "canari": 10})) == snapshot(
        ["trafficSplit: 'canari' is not a variant; variants: stable and canary; did you mean canary?"]
    )


def test_an_unknown_share_is_named_by_the_twin() -> None:
    properties = split({"stable": 90, "canary": UNKNOWN_NUMBER_VALUE})

    assert violations(RULE, DEPLOYMENT, properties) == []
    assert violations(TWIN, DEPLOYMENT, properties) == snapshot(
        ["trafficSplit.canary is not known yet, so traffic could not be checked here"]
    )


def test_an_unknown_share_hides_no_stranger() -> None:
    assert len(violations(RULE, DEPLOYMENT, split({"canari": UNKNOWN_NUMBER_VALUE}))) == 1


@pytest.mark.parametrize(
    ("properties", "path"),
    [
        (split(UNKNOWN_OBJECT_VALUE), "trafficSplit"),
        ({"deployedModels": UNKNOWN_OBJECT_VALUE, "trafficSplit": {"stable": 100}}, "deployedModels"),
    ],
)
def test_a_map_that_is_wholly_unknown_is_named_by_the_twin(properties: dict[str, Any], path: str) -> None:
    assert [each.split()[0] for each in violations(TWIN, DEPLOYMENT, properties)] == [path]


def test_a_sum_is_checked_though_the_variants_are_unknown() -> None:
    properties = {"deployedModels": UNKNOWN_OBJECT_VALUE, "trafficSplit": {"stable": 90}}

    assert len(violations(RULE, DEPLOYMENT, properties)) == 1


def test_an_unknown_variant_is_a_variant() -> None:
    properties = {"deployedModels": {"stable": UNKNOWN_OBJECT_VALUE}, "trafficSplit": {"stable": 100}}

    assert violations(RULE, DEPLOYMENT, properties) == violations(TWIN, DEPLOYMENT, properties) == []


@pytest.mark.parametrize("shares", [{}, {"1": 100}, {"1": 30, "22": 70}, "{}", " {} "])
def test_splits_of_a_raw_endpoint_that_pass(shares: Any) -> None:
    assert violations(RULE, RAW_ENDPOINT, raw(shares)) == []


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"1": 30, "2": 60}, "trafficSplit: 1 30 + 2 60 sums to 90; shares must sum to 100"),
        ({"stable": 100}, "trafficSplit: 'stable' is not a valid deployed model id; allowed: 1 to 10 digits"),
        ({"1": "100"}, "trafficSplit: '100' for '1' is not a share; give a whole number from 0 to 100"),
        (
            "90/10",
            "trafficSplit: '90/10' is not a split; give JSON from the ids of deployed models to shares that sum to 100, or {}",
        ),
    ],
)
def test_splits_of_a_raw_endpoint_that_are_denied(shares: Any, message: str) -> None:
    assert violations(RULE, RAW_ENDPOINT, raw(shares)) == [message]


def test_a_raw_endpoint_in_a_network_has_no_split() -> None:
    assert violations(RULE, RAW_ENDPOINT, raw({"1": 100}, network="projects/1/global/networks/n")) == snapshot(
        [
            "trafficSplit: an endpoint with network is reached by private services access and has no traffic split: leave it out"
        ]
    )


def test_a_raw_endpoint_in_a_network_may_have_an_empty_split() -> None:
    assert violations(RULE, RAW_ENDPOINT, raw({}, network="projects/1/global/networks/n")) == []


@pytest.mark.parametrize(
    ("properties", "path"),
    [
        (raw(UNKNOWN_STRING_VALUE), "trafficSplit"),
        (raw({"1": 100}, network=UNKNOWN_STRING_VALUE), "network"),
    ],
)
def test_what_is_unknown_of_a_raw_endpoint_is_named_by_the_twin(properties: dict[str, Any], path: str) -> None:
    assert violations(RULE, RAW_ENDPOINT, properties) == []
    assert [each.split()[0] for each in violations(TWIN, RAW_ENDPOINT, properties)] == [path]


def test_other_resources_are_not_applicable() -> None:
    with pytest.raises(_NotApplicableError):
        violations(RULE, "gcp:storage/bucket:Bucket", {})


def test_the_bridged_provider_has_what_the_rule_reads() -> None:
    assert {"trafficSplit", "network", "name", "location", "project"} <= known.arguments(RAW_ENDPOINT).keys()
