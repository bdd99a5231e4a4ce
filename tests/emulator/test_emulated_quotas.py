"""Quotas: who is charged, for how much, to which id, and what is refused."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.google import LOCATION, NUMBER, Google, refused
from tpuserve.catalog import quota_of
from tpuserve.emulator import ControlError, Settings
from tpuserve.emulator.quota.tables import OF_REPLICAS, OF_SLICES, QUOTAS

V6E = "TPUV6EPerProjectPerZoneForTPUAPI"
SERVING = "CustomModelServingV6ETPUPerProjectPerRegion"
V5E = {"node": {"runtime_version": "v2-alpha-tpuv5-lite"}, "params": {"workload_type": "THROUGHPUT_OPTIMIZED"}}


def limited(cloud: Google, quota: str, **limits: int) -> None:
    cloud.control.set("quotas", {quota: {place.replace("_", "-"): chips for place, chips in limits.items()}})


def used(cloud: Google) -> dict[tuple[str, str], int]:
    return {(row["quota"], row["location"]): row["used"] for row in cloud.control.quotas()}


def v5e(accelerator: str, **queued: Any) -> dict[str, Any]:
    return {**V5E, "node": {**V5E["node"], "accelerator_type": accelerator}, "queued": queued}


def test_without_limits_nothing_is_refused(cloud: Google) -> None:
    cloud.active(params={"node_count": 1000})

    assert used(cloud) == {(V6E, "us-east5-b"): 8000}


def test_a_request_within_its_limit_is_taken(cloud: Google) -> None:
    limited(cloud, V6E, us_east5_b=24)
    cloud.active()

    assert cloud.state() == "ACTIVE"


def test_a_request_beyond_its_limit_is_refused(cloud: Google) -> None:
    limited(cloud, V6E, us_east5_b=23)
    with refused("RESOURCE_EXHAUSTED", V6E, "Limit: 23 in zone us-east5-b"):
        cloud.begin_request()

    assert cloud.control.objects()["queuedResources"] == []


def test_a_place_without_a_limit_has_none_to_give(cloud: Google) -> None:
    limited(cloud, V6E, us_east5_a=100)

    with refused("RESOURCE_EXHAUSTED", "Limit: 0 in zone us-east5-b"):
        cloud.begin_request()


def test_a_star_stands_for_every_other_place(cloud: Google) -> None:
    cloud.control.set("quotas", {V6E: {"*": 24, "us-east5-a": 0}})
    cloud.active()

    assert cloud.state() == "ACTIVE"


def test_another_quota_does_not_help(cloud: Google) -> None:
    cloud.control.set("quotas", {OF_SLICES["v5e", False, True]: {"*": 1000}, OF_SLICES["v5e", False, False]: {"*": 4}})

    with refused("RESOURCE_EXHAUSTED", "LitepodServing"):
        cloud.begin_request(**v5e("v5litepod-8"))


@pytest.mark.parametrize(
    ("more", "quota", "place", "chips"),
    [
        ({}, V6E, "us-east5-b", 24),
        ({"node": {"accelerator_type": "v6e-16"}}, V6E, "us-east5-b", 48),
        ({"queued": {"spot": {}}}, OF_SLICES["v6e", True, False], "us-east5-b", 24),
        ({"queued": {"best_effort": {}}}, OF_SLICES["v6e", True, False], "us-east5-b", 24),
        (v5e("v5litepod-8"), OF_SLICES["v5e", False, False], "us-east5-b", 24),
        (v5e("v5litepod-8", spot={}), OF_SLICES["v5e", True, False], "us-east5-b", 24),
        (v5e("v5litepod-16"), OF_SLICES["v5e", False, True], "us-east5-b", 48),
        (v5e("v5litepod-16", spot={}), OF_SLICES["v5e", True, True], "us-east5", 48),
    ],
)
def test_a_request_is_charged_to(cloud: Google, more: dict[str, Any], quota: str, place: str, chips: int) -> None:
    cloud.active(**more)

    assert used(cloud) == {(quota, place): chips}


def test_a_reserved_request_is_charged_to_none(cloud: Google) -> None:
    limited(cloud, V6E)
    cloud.active(queued={"guaranteed": {"reserved": True}})

    assert used(cloud) == {}


@pytest.mark.parametrize("kind", ["create_queued_resource", "qr_waiting", "qr_provisioning"])
def test_a_request_is_charged_before_it_is_active(cloud: Google, kind: str) -> None:
    cloud.control.hold(kind)
    cloud.begin_request()

    assert used(cloud) == {(V6E, "us-east5-b"): 24}


def test_a_suspended_request_is_charged(cloud: Google) -> None:
    cloud.control.preempt(cloud.active())

    assert used(cloud) == {(V6E, "us-east5-b"): 24}


def test_a_failed_request_is_charged(cloud: Google) -> None:
    cloud.control.fail_operation("qr_provisioning", "INTERNAL")
    cloud.control.set("queued_resource_operation_ends", "ACTIVE")
    cloud.wait(cloud.begin_request())

    assert (cloud.state(), used(cloud)) == ("FAILED", {(V6E, "us-east5-b"): 24})


def test_a_deleted_request_is_charged_no_more(cloud: Google) -> None:
    limited(cloud, V6E, us_east5_b=24)
    cloud.done(cloud.tpu.delete_queued_resource(request={"name": cloud.active(), "force": True}))
    cloud.active()

    assert cloud.state() == "ACTIVE"


def test_a_deployment_is_charged_for_its_most_replicas(cloud: Google) -> None:
    cloud.deploy(cloud.endpoint(), cloud.upload(), resources={"max_replica_count": 5})

    assert used(cloud) == {(SERVING, "us-east5"): 5}


def test_a_deployment_of_several_hosts_is_charged_for_all(cloud: Google) -> None:
    machine = {"machine_type": "ct6e-standard-4t", "tpu_topology": "4x8"}
    cloud.deploy(cloud.endpoint(), cloud.upload(), machine=machine)

    assert used(cloud) == {(SERVING, "us-east5"): 32}


@pytest.mark.parametrize(
    ("machine_type", "spot", "key"),
    [("ct6e-standard-1t", True, ("v6e", True)), ("ct5lp-hightpu-1t", False, ("v5e", False))],
)
def test_a_deployment_is_charged_to(cloud: Google, machine_type: str, spot: bool, key: tuple[str, bool]) -> None:
    cloud.deploy(cloud.endpoint(), cloud.upload(), machine={"machine_type": machine_type}, resources={"spot": spot})

    assert used(cloud) == {(OF_REPLICAS[key], "us-east5"): 1}


def test_a_machine_without_chips_is_charged_to_none(cloud: Google) -> None:
    cloud.deploy(cloud.endpoint(), cloud.upload(), machine={"machine_type": "n1-standard-2"})

    assert used(cloud) == {}


def test_a_deployment_beyond_its_limit_is_refused(cloud: Google) -> None:
    limited(cloud, SERVING, us_east5=1)
    endpoint, model = cloud.endpoint(), cloud.upload()

    with refused("RESOURCE_EXHAUSTED", QUOTAS[SERVING].metric):
        cloud.begin_deploy(endpoint, model, resources={"max_replica_count": 2})


def test_a_running_deployment_is_charged(cloud: Google) -> None:
    limited(cloud, SERVING, us_east5=1)
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(endpoint, model)

    with refused("RESOURCE_EXHAUSTED"):
        cloud.begin_deploy(endpoint, model)


def test_a_failed_deployment_is_charged_no_more(cloud: Google) -> None:
    cloud.control.fail_operation("deploy_model", "INTERNAL")
    cloud.wait(cloud.begin_deploy(cloud.endpoint(), cloud.upload()))

    assert used(cloud) == {}


def test_an_undeployed_model_is_charged_no_more(cloud: Google) -> None:
    endpoint, _, deployed = cloud.serving()
    cloud.undeploy(endpoint, deployed)

    assert used(cloud) == {}


def mutate(cloud: Google, endpoint: str, deployed: str, highest: int) -> Any:
    return cloud.endpoints.mutate_deployed_model(
        endpoint=endpoint,
        deployed_model={"id": deployed, "dedicated_resources": {"max_replica_count": highest}},
        update_mask={"paths": ["dedicated_resources.max_replica_count"]},
    )


@pytest.mark.parametrize("held", [False, True])
def test_a_change_of_replicas_is_charged_from_its_call_on(cloud: Google, held: bool) -> None:
    endpoint, _, deployed = cloud.serving()
    if held:
        cloud.control.hold("mutate_deployed_model")
    operation = mutate(cloud, endpoint, deployed, 4)
    if not held:
        cloud.done(operation)

    assert used(cloud) == {(SERVING, "us-east5"): 4}


def test_a_change_of_replicas_beyond_the_limit_is_refused(cloud: Google) -> None:
    limited(cloud, SERVING, us_east5=3)
    endpoint, _, deployed = cloud.serving()

    with refused("RESOURCE_EXHAUSTED"):
        mutate(cloud, endpoint, deployed, 4)


def test_a_change_that_asks_for_less_is_taken_beyond_the_limit(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    deployed = cloud.deploy(endpoint, model, resources={"max_replica_count": 5})
    limited(cloud, SERVING, us_east5=1)
    cloud.done(mutate(cloud, endpoint, deployed, 3))

    assert used(cloud)[SERVING, "us-east5"] == 3


def test_a_pool_is_charged_once_for_all_its_models(cloud: Google, pool: str) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    for _ in range(2):
        request = {"endpoint": endpoint, "deployed_model": {"model": model, "shared_resources": pool}}
        cloud.done(cloud.endpoints.deploy_model(request=request))

    assert used(cloud) == {(SERVING, "us-east5"): 2}


@pytest.fixture
def pool(cloud: Google) -> str:
    from google.cloud import aiplatform_v1 as v1
    from google.cloud.aiplatform_v1.services.deployment_resource_pool_service.transports import (
        DeploymentResourcePoolServiceGrpcTransport as Transport,
    )

    pools: Any = v1.DeploymentResourcePoolServiceClient(transport=Transport(channel=cloud.channel))
    resources = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 2}
    request = {
        "parent": LOCATION,
        "deployment_resource_pool": {"dedicated_resources": resources},
        "deployment_resource_pool_id": "shared",
    }
    return cloud.done(pools.create_deployment_resource_pool(request=request)).name


def test_the_numbers_are_told_with_their_limits(cloud: Google) -> None:
    limited(cloud, V6E, us_east5_b=32)
    cloud.active()

    assert cloud.control.quotas() == [
        {
            "project": str(NUMBER),
            "quota": V6E,
            "metric": "tpu.googleapis.com/tpu-v6e",
            "location": "us-east5-b",
            "limit": 32,
            "used": 24,
        }
    ]


def test_an_unknown_quota_is_no_setting(cloud: Google) -> None:
    with pytest.raises(ControlError, match=rf"quotas: TPUV6E unknown; there are .*{V6E}"):
        cloud.control.set("quotas", {"TPUV6E": {}})


def test_an_unknown_quota_ends_the_start() -> None:
    with pytest.raises(ValueError, match="TPU9 unknown"):
        Settings(quotas={"TPU9": {}})


def test_the_quotas_that_are_charged_are_those_of_the_catalog() -> None:
    rows = tomllib.loads((Path(__file__).parents[2] / "tpuserve" / "catalog" / "data" / "quotas.toml").read_text())

    assert {*OF_SLICES.values(), *OF_REPLICAS.values()} == set(rows)


def test_a_shape_is_charged_to_the_quota_that_the_catalog_names() -> None:
    slices = {key: quota_of("tpu", key[0], preemptible=key[1], multi_host=key[2]) for key in OF_SLICES}
    replicas = {key: quota_of("vertex", key[0], preemptible=key[1], multi_host=False) for key in OF_REPLICAS}

    assert {key: quota and quota.id for key, quota in slices.items()} == OF_SLICES
    assert {key: quota and quota.id for key, quota in replicas.items()} == OF_REPLICAS
