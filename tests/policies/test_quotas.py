"""Family quotas: sums of chips against the limits of each quota."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.quotas import FAMILY  # pyright: ignore[reportMissingImports]

from tests.policies.packs import declared, stack_violations
from tests.policies.stacks import deployed, node_pool, raw_garden, raw_pool, raw_queued, raw_vm, slices, variant
from tpuserve.declared.chips import NODES, REPLICAS
from tpuserve.declared.tokens import RAW_GARDEN, RAW_QUEUED, RAW_VM

RULE, TWIN = FAMILY.policies()
V6E = "TPUV6EPerProjectPerZoneForTPUAPI"
V6E_SPOT = "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI"
SERVING = "TPUV5sLitepodServingPerProjectPerZoneForTPUAPI"
PODS = "TPUV5sLitepodPerProjectPerZoneForTPUAPI"
SPOT_PODS = "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI"
VERTEX = "CustomModelServingV6ETPUPerProjectPerRegion"
VERTEX_SPOT = "CustomModelServingPreemptibleV6ETPUPerProjectPerRegion"
VERTEX_V5E = "CustomModelServingV5ETPUPerProjectPerRegion"


def limits(quota: str, place: str, chips: float) -> dict[str, Any]:
    return {"limits": {"acme": {quota: {place: chips}}}}


NOTHING = {"limits": {"acme": {}}}


def charged(*resources: Any) -> list[str]:
    """The accounts and chips that are beyond limits of nothing."""
    found = [message.split(": ", 1) for _, message in stack_violations(RULE, *resources, config=NOTHING)]
    return [f"{path.removeprefix('quotas.limits.acme.')}: {message.split(' chip')[0]}" for path, message in found]


def test_chips_are_whole_numbers_as_the_engine_sends_limits() -> None:
    [(_, message)] = stack_violations(RULE, slices(), config=limits(V6E, "us-east5-b", 4.0))

    assert "is 4; declare 20 chips fewer" in message


def test_slices_beyond_their_limit() -> None:
    assert stack_violations(RULE, slices(), config=limits(V6E, "us-east5-b", 4)) == snapshot(
        [
            (
                "",
                "quotas.limits.acme.TPUV6EPerProjectPerZoneForTPUAPI.us-east5-b: 24 chips asked for (slices: 3 slices of v6e-8 = 24 chips), the limit of quota 'TPU v6e cores per project per zone' (TPUV6EPerProjectPerZoneForTPUAPI) in us-east5-b of project acme is 4; declare 20 chips fewer, or ask Google for 24 in the console (IAM & Admin > Quotas & System Limits, filter: tpu.googleapis.com/tpu-v6e)",
            )
        ]
    )


def test_a_limit_that_is_just_met_passes() -> None:
    assert stack_violations(RULE, slices(), config=limits(V6E, "us-east5-b", 24)) == []


def test_a_missing_limit_is_0() -> None:
    assert charged(slices()) == [f"{V6E}.us-east5-b: 24"]


def test_without_any_limits_the_twin_says_so() -> None:
    assert stack_violations(RULE, slices()) == []
    assert stack_violations(TWIN, slices()) == snapshot(
        [
            (
                "",
                "quotas.limits has no limits (`tpuserve quotas fetch` reads them), so quotas could not be checked here",
            )
        ]
    )


def test_a_stack_without_chips_needs_no_limits() -> None:
    assert stack_violations(TWIN, declared("gcp:storage/bucket:Bucket", "b", {})) == []


def test_v5e_of_one_host_is_for_serving_and_pods_are_apart() -> None:
    both = (slices(1, "v5litepod-8", "one"), slices(1, "v5litepod-16", "pod"))

    assert charged(*both) == [f"{PODS}.us-east5-b: 16", f"{SERVING}.us-east5-b: 8"]


@pytest.mark.parametrize("more", [{"spot": {}}, {"bestEffort": {}}])
def test_spot_is_a_quota_of_its_own(more: dict[str, Any]) -> None:
    assert charged(slices(**more)) == [f"{V6E_SPOT}.us-east5-b: 24"]


def test_preemptible_v5e_pods_are_counted_by_region() -> None:
    assert charged(slices(2, "v5litepod-16", spot={})) == [f"{SPOT_PODS}.us-east5: 32"]


def test_what_is_reserved_is_charged_to_none() -> None:
    assert charged(slices(guaranteed={"reserved": True})) == []
    assert charged(slices(reservationName="projects/acme/locations/us-east5-b/reservations/r")) == []


def test_a_raw_tpu_vm_on_a_reservation_is_charged_to_none() -> None:
    assert charged(raw_vm(schedulingConfig={"reserved": True})) == []


def test_a_zone_that_is_left_to_the_bridged_provider_is_said_to_be() -> None:
    assert stack_violations(TWIN, raw_vm(zone=None), config=NOTHING) == snapshot(
        [
            (
                "vm",
                "zone is left out, and the provider's own is not known here, so quotas could not be checked here",
            )
        ]
    )


def test_a_tier_that_is_not_known_is_not_taken_for_preemptible() -> None:
    given = slices(bestEffort=UNKNOWN_OBJECT_VALUE)

    assert charged(given) == []
    assert "bestEffort is not known yet" in stack_violations(TWIN, given, config=NOTHING)[0][1]


def test_a_list_with_nothing_in_it_asks_for_nothing() -> None:
    assert charged(declared(RAW_QUEUED, "raw", {"zone": "us-west4-a", "tpu": {"nodeSpecs": [None]}})) == []


def test_replicas_on_a_reservation_are_charged_as_others() -> None:
    bound = {"reservationAffinityType": "SPECIFIC_RESERVATION", "key": "k", "values": ["r"]}
    machines = variant("ct6e-standard-4t", 1, 3)
    machines["dedicatedResources"]["machineSpec"]["reservationAffinity"] = bound

    assert charged(deployed(stable=machines)) == [f"{VERTEX}.us-east5: 12"]


def test_vertex_is_charged_for_the_most_replicas() -> None:
    assert charged(deployed(stable=variant("ct6e-standard-4t", 1, 3))) == [f"{VERTEX}.us-east5: 12"]


def test_hosts_of_a_multi_host_topology_count() -> None:
    machine = {"machineType": "ct6e-standard-4t", "tpuTopology": "4x4"}

    assert charged(deployed(stable={"dedicatedResources": {"machineSpec": machine, "minReplicaCount": 1}})) == [
        f"{VERTEX}.us-east5: 16"
    ]


def test_flex_start_is_told_to_be_unchecked() -> None:
    """The quota that it is charged to is asserted nowhere here."""
    flex = slices(provisioningModel="FLEX_START")

    assert charged(flex) == []
    (found,) = stack_violations(TWIN, flex, config=NOTHING)
    assert "provisioningModel is FLEX_START, whose quota and price are not checked" in found[1]


@pytest.mark.parametrize("more", [{"provisioningModel": "STANDARD"}, {"provisioningModel": "RESERVATION_BOUND"}])
def test_another_model_is_charged_as_without_one(more: dict[str, Any]) -> None:
    assert charged(slices(**more)) == charged(slices())


def test_spot_replicas_are_apart() -> None:
    assert charged(deployed(a=variant(), b=variant(spot=True))) == [
        f"{VERTEX_SPOT}.us-east5: 2",
        f"{VERTEX}.us-east5: 2",
    ]


def test_a_shared_pool_counts_once() -> None:
    shared = {"sharedResources": "projects/acme/locations/us-east5/deploymentResourcePools/pool"}

    assert charged(raw_pool(), deployed(a=shared, b=shared)) == [f"{VERTEX}.us-east5: 2"]


def test_a_paused_deployment_holds_nothing() -> None:
    given = {
        "endpoint": "projects/acme/locations/us-east5/endpoints/e",
        "deployedModels": {"a": variant()},
        "paused": True,
    }

    assert charged(declared("tpuserve:vertex:Deployment", "d", given)) == []


def test_a_deployment_is_where_its_endpoint_is() -> None:
    endpoint = declared("tpuserve:vertex:Endpoint", "e", {"project": "acme", "location": "us-west1"})
    given = {"endpoint": UNKNOWN_STRING_VALUE, "deployedModels": {"a": variant()}}

    assert charged(endpoint, declared("tpuserve:vertex:Deployment", "d", given, endpoint=endpoint)) == [
        f"{VERTEX}.us-west1: 2"
    ]


def test_planes_and_providers_are_added_up() -> None:
    assert charged(slices(), raw_vm(), raw_queued(), raw_garden()) == [
        f"{VERTEX_V5E}.us-west1: 4",
        f"{SERVING}.us-west4-a: 8",
        f"{V6E}.us-east5-b: 28",
    ]


def test_limits_of_any_place_and_project() -> None:
    assert stack_violations(RULE, slices(), config={"limits": {"*": {V6E: {"*": 24}}}}) == []


def test_limits_of_another_project_are_not_its_own() -> None:
    others = {"limits": {"other": {V6E: {"us-east5-b": 99}}, "acme": {}}}

    assert len(stack_violations(RULE, slices(), config=others)) == 1


NUMBERED = "projects/1234/locations/us-east5/endpoints/digits"
OTHERS = {"limits": {"acme": {VERTEX: {"us-east5": 2}}, "other": {}}}


def test_a_project_that_google_spells_as_its_number_has_the_limits_of_its_id() -> None:
    passes = limits(VERTEX, "us-east5", 2)

    assert stack_violations(RULE, deployed(endpoint=NUMBERED, a=variant()), config=passes) == []


def test_a_number_and_an_id_are_charged_to_one_account() -> None:
    pool, numbered = raw_pool(), deployed(endpoint=NUMBERED, a=variant())

    assert charged(pool, numbered) == [f"{VERTEX}.us-east5: 4"]


def test_of_several_projects_the_one_of_the_stacks_endpoint_is_charged() -> None:
    endpoint = declared("tpuserve:vertex:Endpoint", "e", {"project": "acme", "location": "us-east5"})
    given = {"endpoint": NUMBERED, "deployedModels": {"a": variant()}}
    serving = declared("tpuserve:vertex:Deployment", "d", given, endpoint=endpoint)

    assert stack_violations(RULE, endpoint, serving, config=OTHERS) == []


def test_a_number_that_may_be_any_of_several_projects_is_not_checked() -> None:
    numbered = deployed(endpoint=NUMBERED, a=variant())

    assert stack_violations(RULE, numbered, config=OTHERS) == []
    [(_, message)] = stack_violations(TWIN, numbered, config=OTHERS)
    assert "project 1234 is a number where several limits are of ids" in message


@pytest.mark.parametrize(
    "unknown",
    [
        slices(kind=UNKNOWN_STRING_VALUE),
        slices(zone=UNKNOWN_STRING_VALUE),
        slices(tpu=UNKNOWN_OBJECT_VALUE),
        slices(spot=UNKNOWN_OBJECT_VALUE),
        slices(provisioningModel=UNKNOWN_STRING_VALUE),
        slices(kind="v4-8"),
        deployed(a=variant(most=UNKNOWN_NUMBER_VALUE)),
        deployed(a=variant(UNKNOWN_STRING_VALUE)),
        deployed(a=UNKNOWN_OBJECT_VALUE),
        deployed(endpoint=UNKNOWN_STRING_VALUE, a=variant()),
        raw_vm(acceleratorType=UNKNOWN_STRING_VALUE),
        raw_pool(region=UNKNOWN_STRING_VALUE),
    ],
)
def test_what_is_not_known_is_named_by_the_twin_and_counted_nowhere(unknown: Any) -> None:
    assert charged(unknown) == []
    assert len(stack_violations(TWIN, unknown, config=NOTHING)) == 1


def test_an_unknown_resource_hides_no_other() -> None:
    unknown = slices(kind=UNKNOWN_STRING_VALUE, name="other")

    assert charged(unknown, slices()) == [f"{V6E}.us-east5-b: 24"]


@given(st.permutations(range(6)))
def test_the_order_of_resources_changes_no_answer(order: list[int]) -> None:
    stack = [
        slices(),
        slices(name="b"),
        raw_vm(),
        raw_pool(),
        deployed(a=variant()),
        slices(zone=UNKNOWN_STRING_VALUE, name="c"),
    ]
    shuffled = [stack[index] for index in order]

    for policy in (RULE, TWIN):
        assert stack_violations(policy, *shuffled, config=NOTHING) == stack_violations(policy, *stack, config=NOTHING)


@pytest.mark.parametrize(
    ("token", "properties"),
    [
        (RAW_VM, ["acceleratorConfig", "acceleratorType", "schedulingConfig"]),
        (RAW_QUEUED, ["nodeSpecs"]),
        *[(token, ["dedicatedResources", "machineSpec", "maxReplicaCount", "minReplicaCount"]) for token in REPLICAS],
    ],
)
def test_names_of_raw_arguments_are_those_of_the_bridged_provider(token: str, properties: list[str]) -> None:
    from importlib.metadata import files

    module = token.split(":")[1].split("/", maxsplit=1)[0]
    sources = [each for each in files("pulumi-gcp") or () if each.parts[:2] == ("pulumi_gcp", module)]
    text = "".join(each.read_text() for each in sources if each.suffix == ".py")

    assert [each for each in properties if f'"{each}"' not in text] == []
    assert f'"{token}"' in text or f"'{token}'" in text
    assert token in {*NODES, *REPLICAS, RAW_VM}


def test_chips_on_gke_are_said_not_to_be_counted() -> None:
    (found,) = stack_violations(TWIN, node_pool(), config={"limits": {"acme": {}}})

    assert found[0] == "pool"
    assert found[1].startswith("nodeConfig.machineType is 'ct6e-standard-4t' on GKE, whose chips are not counted")


def test_nodes_without_tpu_chips_are_none_of_its_business() -> None:
    assert stack_violations(TWIN, node_pool("n2-standard-4"), config={"limits": {"acme": {}}}) == []


def test_machines_that_google_chooses_are_said_not_to_be_counted() -> None:
    chosen = declared(RAW_GARDEN, "garden", {"project": "acme", "location": "us-west1"})

    (found,) = stack_violations(TWIN, chosen, config={"limits": {"acme": {}}})

    assert found[1].startswith("deployConfig.dedicatedResources is left out, and Google chooses the machines")


def test_spot_slices_by_their_provisioning_model_alone_are_preemptible() -> None:
    limits = {"limits": {"acme": {"TPUV6EPerProjectPerZoneForTPUAPI": {"*": 100}}}}

    ((_, message),) = stack_violations(RULE, slices(provisioningModel="SPOT"), config=limits)

    assert "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI" in message
