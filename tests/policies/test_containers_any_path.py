"""Family containers-any-path: models that take any path, joined through their Deployments with the endpoints."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from inline_snapshot import snapshot
from pulumi_policy import PolicyResource
from pulumi_policy.proxy import UNKNOWN_BOOLEAN_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.containers_any_path import FAMILY  # pyright: ignore[reportMissingImports]

from tests.gcp import known
from tests.policies.packs import declared, stack_violations
from tpuserve.declared.endpoints import IDS
from tpuserve.declared.tokens import DEPLOYMENT, MODEL, RAW_ENDPOINT

RULE, TWIN = FAMILY.policies()


def model(**container: Any) -> PolicyResource:
    return declared(MODEL, "digits", {"containerSpec": {"imageUri": "i", **container}})


def stack(model: PolicyResource, token: str = RAW_ENDPOINT, **endpoint: Any) -> list[PolicyResource]:
    there = declared(token, "door", endpoint)
    serving = declared(DEPLOYMENT, "d", {"endpoint": UNKNOWN_STRING_VALUE}, endpoint=there, deployedModels=model)
    return [model, there, serving]


@pytest.mark.parametrize("token", IDS)
def test_a_model_that_takes_any_path_on_a_shared_endpoint(token: str) -> None:
    assert stack_violations(RULE, *stack(model(invokeRoutePrefix="/*"), token)) == snapshot(
        [
            (
                "digits",
                "containerSpec.invokeRoutePrefix: needs a dedicated endpoint; set door.dedicatedEndpointEnabled to true, or remove it",
            )
        ]
    )


@pytest.mark.parametrize("prefix", ["/*", UNKNOWN_STRING_VALUE])
def test_on_a_dedicated_endpoint_it_passes(prefix: str) -> None:
    assert stack_violations(RULE, *stack(model(invokeRoutePrefix=prefix), dedicatedEndpointEnabled=True)) == []


def test_a_model_with_a_route_is_served_anywhere() -> None:
    assert stack_violations(RULE, *stack(model(predictRoute="/predict"))) == []


def test_a_model_that_is_deployed_nowhere_passes() -> None:
    assert stack_violations(RULE, model(invokeRoutePrefix="/*"), declared(RAW_ENDPOINT, "door", {})) == []


def test_an_endpoint_that_may_become_dedicated_is_named_by_the_twin() -> None:
    resources = stack(model(invokeRoutePrefix="/*"), dedicatedEndpointEnabled=UNKNOWN_BOOLEAN_VALUE)

    assert stack_violations(RULE, *resources) == []
    assert stack_violations(TWIN, *resources) == snapshot(
        [
            (
                "d",
                "endpoint is door, of which it is not known yet whether it is dedicated, so containers-any-path could not be checked here",
            )
        ]
    )


def test_a_container_that_is_not_known_yet_is_named_by_the_twin() -> None:
    resources = stack(declared(MODEL, "digits", {"containerSpec": UNKNOWN_OBJECT_VALUE}))

    assert stack_violations(RULE, *resources) == []
    assert [message.split()[0] for _, message in stack_violations(TWIN, *resources)] == ["containerSpec"]


def test_an_endpoint_of_another_stack_is_named_by_the_twin() -> None:
    digits = model(invokeRoutePrefix="/*")
    serving = declared(DEPLOYMENT, "d", {"endpoint": "projects/p/locations/l/endpoints/e"}, deployedModels=digits)

    assert len(stack_violations(TWIN, digits, serving)) == 1


def test_the_bridged_provider_has_what_the_rule_reads() -> None:
    assert "dedicatedEndpointEnabled" in known.arguments(RAW_ENDPOINT)
