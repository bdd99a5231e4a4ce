"""Family traffic-private: Deployments joined with the endpoints that they serve on."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pulumi_policy import PolicyResource
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.traffic_private import FAMILY  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT, declared, stack_violations
from tpuserve.declared.tokens import RAW_ENDPOINT

ENDPOINT = "tpuserve:vertex:Endpoint"
NETWORK = {"network": "projects/1/global/networks/n"}
NAME = "projects/acme/locations/us-east5/endpoints/digits"
RULE, TWIN = FAMILY.policies()
TWO = {"stable": 90, "canary": 10}


def endpoint(**more: Any) -> PolicyResource:
    own = {"endpointId": "digits", "location": "us-east5", "project": "acme"}
    return declared(ENDPOINT, "digits", {"displayName": "digits", **own, **more})


def raw_endpoint(**more: Any) -> PolicyResource:
    own = {"name": "digits", "location": "us-east5", "project": "acme"}
    return declared(RAW_ENDPOINT, "digits", {"displayName": "digits", **own, **more})


def deployment(split: Any, name: Any = UNKNOWN_STRING_VALUE, **sources: PolicyResource) -> PolicyResource:
    variants = {key: {} for key in (split if isinstance(split, dict) else ["stable", "canary"])}
    shares = {} if split is None else {"trafficSplit": split}
    return declared(DEPLOYMENT, "d", {"endpoint": name, "deployedModels": variants, **shares}, **sources)


@pytest.mark.parametrize("made", [endpoint, raw_endpoint])
def test_a_split_on_an_endpoint_in_a_network(made: Any) -> None:
    there = made(**NETWORK)

    assert stack_violations(RULE, there, deployment(TWO, endpoint=there)) == snapshot(
        [
            (
                "d",
                "deployedModels: digits is reached by private services access, where one variant serves: remove others than one",
            )
        ]
    )


def test_one_variant_with_a_share_of_somebody_elses() -> None:
    there = endpoint(**NETWORK)
    shared = declared(
        DEPLOYMENT, "d", {"deployedModels": {"stable": {}}, "trafficSplit": {"stable": 60, "47": 40}}, endpoint=there
    )

    assert stack_violations(RULE, there, shared) == snapshot(
        [("d", "trafficSplit: digits is reached by private services access, which has no traffic split: leave it out")]
    )


@pytest.mark.parametrize("made", [endpoint, raw_endpoint])
@pytest.mark.parametrize(
    "name", [NAME, f"https://us-east5-aiplatform.googleapis.com/v1/{NAME}", NAME.replace("acme", "42")]
)
def test_an_endpoint_is_joined_by_its_name(made: Any, name: str) -> None:
    assert len(stack_violations(RULE, made(**NETWORK), deployment(TWO, name))) == 1


@pytest.mark.parametrize("other", ["acme/locations/us-east1", "acne/locations/us-east5"])
def test_another_endpoint_of_that_id_is_not_joined(other: str) -> None:
    name = f"projects/{other}/endpoints/digits"

    assert stack_violations(RULE, endpoint(**NETWORK), deployment(TWO, name)) == []


def test_a_split_on_any_other_endpoint_passes() -> None:
    there = endpoint()

    assert stack_violations(RULE, there, deployment(TWO, endpoint=there)) == []
    assert stack_violations(TWIN, there, deployment(TWO, endpoint=there)) == []


@pytest.mark.parametrize("split", [{"stable": 100}, {"stable": 100.0}])
def test_one_variant_on_an_endpoint_in_a_network_passes(split: dict[str, Any]) -> None:
    there = endpoint(**NETWORK)

    assert stack_violations(RULE, there, deployment(split, endpoint=there)) == []


@pytest.mark.parametrize("made", [endpoint, raw_endpoint])
def test_a_network_that_is_left_empty_is_none(made: Any) -> None:
    there = made(network="")

    assert stack_violations(RULE, there, deployment(TWO, endpoint=there)) == []


def test_one_variant_needs_no_known_endpoint() -> None:
    assert stack_violations(TWIN, deployment({"stable": 100})) == []


def test_an_endpoint_of_another_stack_is_named_by_the_twin() -> None:
    assert stack_violations(TWIN, deployment(TWO, NAME)) == snapshot(
        [
            (
                "d",
                "endpoint is 'projects/acme/locations/us-east5/endpoints/digits', which this stack does not declare, so traffic-private could not be checked here",
            )
        ]
    )


def test_an_endpoint_that_is_not_known_yet_is_named_by_the_twin() -> None:
    assert stack_violations(TWIN, deployment(TWO)) == snapshot(
        [("d", "endpoint is not known yet, so traffic-private could not be checked here")]
    )


def test_a_network_that_is_not_known_yet_is_named_by_the_twin() -> None:
    there = endpoint(network=UNKNOWN_STRING_VALUE)

    assert stack_violations(RULE, there, deployment(TWO, endpoint=there)) == []
    assert stack_violations(TWIN, there, deployment(TWO, endpoint=there)) == snapshot(
        [("d", "endpoint is digits, whose network is not known yet, so traffic-private could not be checked here")]
    )


@pytest.mark.parametrize(
    "unknown",
    [{"deployedModels": UNKNOWN_OBJECT_VALUE}, {"deployedModels": {"a": {}}, "trafficSplit": UNKNOWN_OBJECT_VALUE}],
)
def test_a_split_that_is_not_known_yet_is_named_by_the_twin(unknown: dict[str, Any]) -> None:
    there = endpoint(**NETWORK)

    assert len(stack_violations(TWIN, there, declared(DEPLOYMENT, "d", unknown, endpoint=there))) == 1


@given(st.permutations(range(4)))
def test_the_order_of_the_resources_is_nothing_to_it(order: list[int]) -> None:
    private, public = endpoint(**NETWORK), declared(ENDPOINT, "open", {"displayName": "open"})
    stack = [private, public, deployment(TWO, endpoint=private), declared(DEPLOYMENT, "e", {}, endpoint=public)]

    assert stack_violations(RULE, *[stack[index] for index in order]) == stack_violations(RULE, *stack)


def test_every_deployment_is_checked() -> None:
    there = endpoint(**NETWORK)
    second = declared(DEPLOYMENT, "e", {"deployedModels": {"a": {}, "b": {}}}, endpoint=there)

    blamed = [name for name, _ in stack_violations(RULE, second, deployment(TWO, endpoint=there), there)]

    assert blamed == ["d", "e"]
