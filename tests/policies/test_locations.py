"""Families locations and locations-listed: where TPUs are, and where a stack may be."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _NotApplicableError
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE
from tpuserve.policies.locations import ARGUMENTS, FAMILY, LISTED  # pyright: ignore[reportMissingImports]

from tests.policies.packs import stack_violations, violations
from tests.policies.stacks import NAME, deployed, node_pool, raw_pool, raw_vm, slices, variant
from tpuserve.declared.tokens import CLUSTER, NODE_POOL, QUEUED, RAW_GARDEN, RAW_POOL, RAW_QUEUED, RAW_VM

RULE, TWIN = FAMILY.policies()
ADVICE, ADVICE_TWIN = LISTED.policies()
ENDPOINT = "tpuserve:vertex:Endpoint"
DEPLOYMENT = "tpuserve:vertex:Deployment"
IN_EAST5 = {"allowed": ["us-east5"]}
V6E_8 = {"type": "V6E", "topology": "2x4"}


def in_zone(zone: Any, kind: Any = "v6e-8") -> dict[str, Any]:
    return {"zone": zone, "tpu": {"nodeSpec": [{"node": {"acceleratorType": kind}}]}}


def test_a_zone_that_is_known_to_lack_the_generation() -> None:
    assert violations(RULE, QUEUED, in_zone("us-west4-a")) == snapshot(
        [
            "zone: 'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a"
        ]
    )


def test_a_raw_tpu_vm_in_such_a_zone() -> None:
    assert len(violations(RULE, RAW_VM, {"zone": "us-west4-a", "acceleratorType": "v6e-4"})) == 1


@pytest.mark.parametrize("zone", ["us-east5-b", "us-east5-c"])
def test_a_zone_of_any_source_passes(zone: str) -> None:
    assert violations(RULE, QUEUED, in_zone(zone)) == []


def test_a_zone_whose_table_was_not_read_passes() -> None:
    assert violations(RULE, QUEUED, in_zone("europe-west9-a", "v5litepod-8")) == []


def test_a_region_beside_the_stacks_list() -> None:
    assert violations(RULE, ENDPOINT, {"location": "us-west1"}, IN_EAST5) == snapshot(
        [
            "location: 'us-west1' is not where this stack may be; use us-east5, or widen `locations.allowed` in the stack's policy configuration"
        ]
    )


@pytest.mark.parametrize(
    ("token", "properties"),
    [
        (ENDPOINT, {"location": "us-east5"}),
        (DEPLOYMENT, {"endpoint": NAME}),
        (RAW_POOL, {"region": "us-east5"}),
        (RAW_GARDEN, {"location": "us-east5"}),
        (QUEUED, in_zone("us-east5-b")),
    ],
)
def test_a_region_of_the_stacks_list_and_its_zones_pass(token: str, properties: dict[str, Any]) -> None:
    assert violations(RULE, token, properties, IN_EAST5) == []


def test_a_zone_of_the_stacks_list_allows_no_other_of_its_region() -> None:
    assert len(violations(RULE, QUEUED, in_zone("us-east5-b"), {"allowed": ["us-east5-a"]})) == 1


def test_a_deployment_is_where_its_endpoints_name_says() -> None:
    assert len(violations(RULE, DEPLOYMENT, {"endpoint": NAME}, {"allowed": ["us-west1"]})) == 1


def test_an_endpoint_that_the_update_makes_is_checked_itself() -> None:
    assert violations(TWIN, DEPLOYMENT, {"endpoint": UNKNOWN_STRING_VALUE}, IN_EAST5) == []


@pytest.mark.parametrize("token", [token for token in ARGUMENTS if token != DEPLOYMENT])
def test_a_place_that_is_not_known_yet_is_named_by_the_twin(token: str) -> None:
    properties = {ARGUMENTS[token]: UNKNOWN_STRING_VALUE}

    assert violations(RULE, token, properties, IN_EAST5) == []
    assert violations(TWIN, token, properties, IN_EAST5) == [
        f"{ARGUMENTS[token]} is not known yet, so locations could not be checked here"
    ]


def test_a_type_that_is_not_known_yet_hides_no_zone_beside_the_list() -> None:
    assert len(violations(RULE, QUEUED, in_zone("us-east5-b", UNKNOWN_STRING_VALUE), {"allowed": ["us-west1"]})) == 1


@pytest.mark.parametrize(("token", "argument"), [(RAW_VM, "zone"), (RAW_POOL, "region")])
def test_a_place_that_is_left_to_the_bridged_provider_is_told_by_the_twin(token: str, argument: str) -> None:
    assert violations(RULE, token, {}, IN_EAST5) == []
    assert violations(TWIN, token, {}, IN_EAST5) == [
        f"{argument} is left out, and the provider's own is not known here, so locations could not be checked here"
    ]


@pytest.mark.parametrize(
    ("token", "given"),
    [
        (RAW_VM, {"acceleratorConfig": V6E_8}),
        (QUEUED, {"tpu": {"nodeSpec": [{"node": {"acceleratorConfig": V6E_8}}]}}),
        (RAW_QUEUED, {"tpu": {"nodeSpecs": [{"node": {"acceleratorType": "v6e-8"}}]}}),
    ],
)
def test_a_slice_lacks_its_generation_whichever_way_its_accelerator_is_given(token: str, given: Any) -> None:
    [message] = violations(RULE, token, {"zone": "us-west4-a", **given})

    assert "'us-west4-a' has no Trillium (v6e), which v6e-8 needs" in message


@pytest.mark.parametrize("token", [token for token in ARGUMENTS if token.startswith("gcp:")])
def test_the_arguments_of_raw_types_are_those_of_the_bridged_provider(token: str) -> None:
    from importlib.metadata import files

    module, noun = token.split(":")[1].split("/", maxsplit=1)[0], token.rsplit(":", 1)[1]
    sources = [each for each in files("pulumi-gcp") or () if each.parts[:2] == ("pulumi_gcp", module)]
    of_type = [each.read_text() for each in sources if f"class {noun}Args:" in each.read_text()]

    assert any(f"def {ARGUMENTS[token]}(self)" in text for text in of_type)


def test_a_zone_that_is_reported_only() -> None:
    assert stack_violations(ADVICE, slices(zone="us-east5-c")) == snapshot(
        [
            (
                "slices",
                "zone: 'us-east5-c' as a zone with v6e is single-tenant only, as of 2026-11 (https://cloud.google.com/tpu/docs/types-zones?hl=de (older copy)); documented: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a",
            )
        ]
    )


def test_a_documented_zone_passes() -> None:
    assert stack_violations(ADVICE, slices(), raw_vm()) == []


def test_a_region_in_no_source() -> None:
    assert stack_violations(ADVICE, raw_pool(region="us-south1")) == snapshot(
        [
            (
                "pool",
                "region: 'us-south1' as a region of Vertex AI with v6e is in none of the catalog's sources; none is documented",
            )
        ]
    )


def test_what_the_stack_knows_better_passes() -> None:
    known = {"known": {"v6e": ["us-south1"]}}

    assert stack_violations(ADVICE, raw_pool(region="us-south1"), config=known) == []


def test_the_advice_advises() -> None:
    assert ADVICE.enforcement_level is EnforcementLevel.ADVISORY


def test_a_machine_that_is_not_known_yet_is_named_by_the_twin_of_the_advice() -> None:
    assert len(stack_violations(ADVICE_TWIN, deployed(a=variant(UNKNOWN_STRING_VALUE)))) == 1


@given(st.permutations(range(3)))
def test_the_order_of_resources_is_nothing_to_the_advice(order: list[int]) -> None:
    stack = [slices(zone="us-east5-c"), raw_pool(region="us-south1"), slices(zone="us-east4-a", name="c")]

    assert stack_violations(ADVICE, *[stack[index] for index in order]) == stack_violations(ADVICE, *stack)


def nodes(machine: Any = "ct6e-standard-4t", **more: Any) -> dict[str, Any]:
    return {"cluster": "c", "location": "us-east5", "nodeConfig": {"machineType": machine}, **more}


def inside(pool: Any) -> tuple[str, dict[str, Any]]:
    return CLUSTER, {"location": "us-east5", "nodePools": [pool]}


WRONG = ["us-west4-a"]


@pytest.mark.parametrize(
    ("token", "properties", "path"),
    [
        (NODE_POOL, nodes(nodeLocations=WRONG), "nodeLocations[0]"),
        (NODE_POOL, nodes(location=WRONG[0]), "location"),
        (*inside(nodes(nodeLocations=["us-east5-b", *WRONG])), "nodePools[0].nodeLocations[1]"),
    ],
)
def test_nodes_of_gke_in_a_zone_that_is_known_to_lack_the_generation(
    token: str, properties: dict[str, Any], path: str
) -> None:
    (message,) = violations(RULE, token, properties)

    assert message.startswith(f"{path}: 'us-west4-a' has no Trillium (v6e), which ct6e-standard-4t needs")


@pytest.mark.parametrize("more", [{"nodeLocations": ["us-east5-b"]}, {"location": "us-east5-b"}, {}])
def test_nodes_of_gke_beside_the_stacks_list(more: dict[str, Any]) -> None:
    (message,) = violations(RULE, NODE_POOL, nodes(**more), {"allowed": ["us-west1"]})

    assert "is not where this stack may be" in message


@pytest.mark.parametrize("more", [{"nodeLocations": ["us-east5-b"]}, {"location": "us-east5-b"}])
def test_nodes_of_gke_where_they_may_be_pass(more: dict[str, Any]) -> None:
    given = nodes(**more)

    assert (violations(RULE, NODE_POOL, given, IN_EAST5), violations(TWIN, NODE_POOL, given, IN_EAST5)) == ([], [])


@pytest.mark.parametrize(
    ("token", "properties", "words"),
    [
        (NODE_POOL, nodes(), "nodeLocations is left out, and the nodes are in several zones of us-east5"),
        (NODE_POOL, nodes(location=None), "location is left out, and the pack does not see the cluster's"),
        (NODE_POOL, nodes(UNKNOWN_STRING_VALUE, location=UNKNOWN_STRING_VALUE), "location is not known yet"),
        (NODE_POOL, nodes(nodeLocations=UNKNOWN_STRING_VALUE), "nodeLocations is not known yet"),
        (NODE_POOL, nodes(nodeLocations=[UNKNOWN_STRING_VALUE]), "nodeLocations[0] is not known yet"),
        (*inside(UNKNOWN_STRING_VALUE), "nodePools[0] is not known yet"),
        (CLUSTER, {"location": "us-east5", "nodePools": UNKNOWN_STRING_VALUE}, "nodePools is not known yet"),
    ],
)
def test_nodes_of_gke_whose_zones_the_pack_cannot_tell(token: str, properties: dict[str, Any], words: str) -> None:
    (message,) = violations(TWIN, token, properties)

    assert message.startswith(words)


@pytest.mark.parametrize(("token", "properties"), [(NODE_POOL, nodes("n2-standard-4")), inside(nodes("n2-standard-4"))])
def test_nodes_without_tpu_chips_may_be_anywhere(token: str, properties: dict[str, Any]) -> None:
    with pytest.raises(_NotApplicableError):
        violations(RULE, token, properties, {"allowed": ["us-west1"]})


def test_twin_says_that_no_table_is_of_gke() -> None:
    (found,) = stack_violations(ADVICE_TWIN, node_pool())

    assert "is 'ct6e-standard-4t' on GKE, whose chips are not counted" in found[1]
