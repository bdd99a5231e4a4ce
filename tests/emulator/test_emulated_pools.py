"""Deployment resource pools, and models deployed on them."""

from typing import Any

import pytest
from google.cloud import aiplatform_v1
from google.cloud.aiplatform_v1.services.deployment_resource_pool_service import transports

from tests.emulator.google import HERE, LOCATION, Google, refused

POOL = f"{HERE}/deploymentResourcePools/pool"
MACHINES = {"machine_spec": {"machine_type": "ct6e-standard-4t"}, "min_replica_count": 1}


@pytest.fixture
def pools(cloud: Google) -> Any:
    transport = transports.DeploymentResourcePoolServiceGrpcTransport(channel=cloud.channel)
    return aiplatform_v1.DeploymentResourcePoolServiceClient(transport=transport)


def made(cloud: Google, pools: Any, key: str = "pool", **machines: Any) -> Any:
    operation = pools.create_deployment_resource_pool(
        parent=LOCATION,
        deployment_resource_pool_id=key,
        deployment_resource_pool={"dedicated_resources": {**MACHINES, **machines}},
    )
    return cloud.done(operation)


def deployed(cloud: Google, **more: Any) -> Any:
    request = {"endpoint": cloud.endpoint(), "deployed_model": {"model": cloud.upload(), **more}}
    return cloud.done(cloud.endpoints.deploy_model(request=request)).deployed_model


def test_a_pool_is_found_by_its_number(cloud: Google, pools: Any) -> None:
    made(cloud, pools)

    assert pools.get_deployment_resource_pool(name=f"{LOCATION}/deploymentResourcePools/pool").name == POOL


def test_max_replicas_are_min_replicas_where_none_are_given(cloud: Google, pools: Any) -> None:
    assert made(cloud, pools).dedicated_resources.max_replica_count == 1


def test_a_pool_that_is_missing_is_not_found(pools: Any) -> None:
    with refused("NOT_FOUND", "deploymentResourcePools/pool"):
        pools.get_deployment_resource_pool(name=POOL)


def test_a_pool_is_made_once(cloud: Google, pools: Any) -> None:
    made(cloud, pools)

    with refused("ALREADY_EXISTS", "deploymentResourcePools/pool"):
        made(cloud, pools)


@pytest.mark.parametrize("key", ["", "Pool", "1pool", "pool-", "p" * 64])
def test_an_id_has_a_form(cloud: Google, pools: Any, key: str) -> None:
    """CreateDeploymentResourcePoolRequest.deployment_resource_pool_id."""
    with refused("INVALID_ARGUMENT", "deployment_resource_pool_id"):
        made(cloud, pools, key)


def test_a_pool_has_the_rules_of_its_machines(cloud: Google, pools: Any) -> None:
    with refused("INVALID_ARGUMENT", "deployment_resource_pool.dedicated_resources.min_replica_count"):
        made(cloud, pools, min_replica_count=0)


def test_pools_are_listed_in_pages(cloud: Google, pools: Any) -> None:
    for key in ("a", "b", "c"):
        made(cloud, pools, key)

    found = pools.list_deployment_resource_pools(request={"parent": LOCATION, "page_size": 2})

    assert [item.name.rpartition("/")[2] for item in found] == ["a", "b", "c"]


def test_a_model_is_deployed_on_a_pool(cloud: Google, pools: Any) -> None:
    made(cloud, pools)

    found = deployed(cloud, shared_resources=f"{LOCATION}/deploymentResourcePools/pool")

    assert (found.shared_resources, found.status.available_replica_count) == (POOL, 1)


def test_a_model_is_not_deployed_on_a_pool_that_is_missing(cloud: Google) -> None:
    with refused("NOT_FOUND", "deploymentResourcePools/pool"):
        deployed(cloud, shared_resources=POOL)


def test_a_pool_that_serves_is_not_deleted(cloud: Google, pools: Any) -> None:
    made(cloud, pools)
    deployed(cloud, shared_resources=POOL)

    with refused("FAILED_PRECONDITION", "deployed models"):
        pools.delete_deployment_resource_pool(name=POOL)


def test_a_pool_is_deleted(cloud: Google, pools: Any) -> None:
    made(cloud, pools)
    cloud.done(pools.delete_deployment_resource_pool(name=POOL))

    assert list(pools.list_deployment_resource_pools(parent=LOCATION)) == []


def test_replicas_of_a_pool_are_not_the_deployed_models_to_change(cloud: Google, pools: Any) -> None:
    made(cloud, pools)
    found = deployed(cloud, shared_resources=POOL)
    change = {"id": found.id, "dedicated_resources": {"min_replica_count": 2}}

    with refused("INVALID_ARGUMENT", "shared_resources"):
        cloud.endpoints.mutate_deployed_model(
            endpoint=f"{LOCATION}/endpoints/serving",
            deployed_model=change,
            update_mask={"paths": ["dedicated_resources.min_replica_count"]},
        )
