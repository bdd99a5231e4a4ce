"""Deployments: ids, machines, splits, stages, changes in place, failures, what may run at the same time."""

from typing import Any

import pytest
from google.cloud import aiplatform_v1

from tests.emulator.google import HERE, LOCATION, Google, refused

DIGITS = f"{LOCATION}/models/digits"
REPLICAS = {"paths": ["dedicated_resources.min_replica_count", "dedicated_resources.max_replica_count"]}


def deployed(cloud: Google, endpoint: str) -> list[Any]:
    return list(cloud.endpoints.get_endpoint(name=endpoint).deployed_models)


def two(cloud: Google) -> tuple[str, str, str]:
    """An endpoint with two deployed models, the first with all of the traffic."""
    endpoint, model, first = cloud.serving()
    return endpoint, first, cloud.deploy(endpoint, model)


def mutate(cloud: Google, endpoint: str, identifier: str, paths: dict[str, Any], **resources: Any) -> Any:
    given = {"id": identifier, "dedicated_resources": resources}
    return cloud.endpoints.mutate_deployed_model(endpoint=endpoint, deployed_model=given, update_mask=paths)


def test_an_id_may_be_chosen(cloud: Google) -> None:
    assert cloud.deploy(cloud.endpoint(), cloud.upload(), id="4711") == "4711"


@pytest.mark.parametrize("identifier", ["12345678901", "a", "1-2"])
def test_an_id_has_a_form(cloud: Google, identifier: str) -> None:
    with refused("INVALID_ARGUMENT", identifier):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), id=identifier)


def test_an_id_in_use_is_refused(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.deploy(endpoint, model, id="1")

    with refused("ALREADY_EXISTS", "deployedModels/1"):
        cloud.begin_deploy(endpoint, model, id="1")


def test_an_id_is_in_use_while_it_is_deployed(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(endpoint, model, id="1")

    with refused("ALREADY_EXISTS", "deployedModels/1"):
        cloud.begin_deploy(endpoint, model, id="1")


def test_an_alias_is_resolved_once(cloud: Google) -> None:
    endpoint, _ = cloud.endpoint(), cloud.upload(model_fields={"version_aliases": ["golden"]})
    cloud.deploy(endpoint, f"{DIGITS}@golden")
    cloud.upload(parent_model=DIGITS, model_fields={"version_aliases": ["golden"]})

    assert [(model.model, model.model_version_id) for model in deployed(cloud, endpoint)] == [
        (f"{HERE}/models/digits", "1")
    ]


def test_the_display_name_is_the_model_s_where_none_is_given(cloud: Google) -> None:
    endpoint, _, _ = cloud.serving()

    assert deployed(cloud, endpoint)[0].display_name == "digits"


def test_max_replicas_are_min_replicas_where_none_are_given(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.deploy(endpoint, cloud.upload(), resources={"min_replica_count": 2})

    assert deployed(cloud, endpoint)[0].dedicated_resources.max_replica_count == 2


def test_a_model_that_is_missing_cannot_be_deployed(cloud: Google) -> None:
    with refused("NOT_FOUND", "models/digits"):
        cloud.begin_deploy(cloud.endpoint(), DIGITS)


@pytest.mark.parametrize(
    "machine_type", ["ct6e-standard-2t", "ct5lp-hightpu-16t", "ct4p-hightpu-4t", "tpu7x-standard-4t"]
)
def test_another_tpu_machine_type_is_refused(cloud: Google, machine_type: str) -> None:
    with refused("INVALID_ARGUMENT", machine_type, "ct6e-standard-8t"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine={"machine_type": machine_type})


@pytest.mark.parametrize("machine_type", ["n1-standard-4", "g2-standard-12", "a3-highgpu-8g"])
def test_a_plain_machine_type_is_taken(cloud: Google, machine_type: str) -> None:
    endpoint = cloud.endpoint()
    cloud.deploy(endpoint, cloud.upload(), machine={"machine_type": machine_type})

    assert deployed(cloud, endpoint)[0].dedicated_resources.machine_spec.machine_type == machine_type


@pytest.mark.parametrize("machine", [{"accelerator_count": 1}, {"accelerator_type": "TPU_V5_LITEPOD"}])
def test_a_tpu_machine_type_excludes_accelerators(cloud: Google, machine: dict[str, Any]) -> None:
    with refused("INVALID_ARGUMENT", "accelerator_type", "ct6e-standard-1t"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine=machine)


def test_a_topology_is_the_machine_type_s(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "2x4", "1x1"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine={"tpu_topology": "2x4"})


@pytest.mark.parametrize("topology", ["", "2x2", "4x4", "16x16"])
def test_a_topology_may_be_of_several_hosts_with_four_chips(cloud: Google, topology: str) -> None:
    endpoint = cloud.endpoint()
    cloud.deploy(endpoint, cloud.upload(), machine={"machine_type": "ct6e-standard-4t", "tpu_topology": topology})

    assert deployed(cloud, endpoint)[0].dedicated_resources.machine_spec.tpu_topology == topology


def test_a_topology_that_gke_has_not_is_refused(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "3x3", "2x2, 4x4"):
        machine = {"machine_type": "ct6e-standard-4t", "tpu_topology": "3x3"}
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine=machine)


def test_all_replicas_are_up_when_a_deployment_ends(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.deploy(endpoint, cloud.upload(), resources={"min_replica_count": 3, "required_replica_count": 1})

    assert deployed(cloud, endpoint)[0].status.available_replica_count == 3


def test_a_deployment_ends_with_its_required_replicas_where_the_switch_says_so(cloud: Google) -> None:
    cloud.control.set("required_replicas_are_enough", True)
    endpoint = cloud.endpoint()
    cloud.deploy(endpoint, cloud.upload(), resources={"min_replica_count": 3, "required_replica_count": 1})

    assert deployed(cloud, endpoint)[0].status.available_replica_count == 1


def test_an_endpoint_with_a_network_serves_one_model(cloud: Google) -> None:
    endpoint = cloud.endpoint(network="projects/1/global/networks/n")
    model = cloud.upload()
    cloud.deploy(endpoint, model)

    with refused("FAILED_PRECONDITION", "Undeploy it first"):
        cloud.begin_deploy(endpoint, model)


def test_a_specific_reservation_is_named(cloud: Google) -> None:
    affinity = {"reservation_affinity_type": "SPECIFIC_RESERVATION"}

    with refused("INVALID_ARGUMENT", "reservation_affinity", "key"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine={"reservation_affinity": affinity})


def test_a_reservation_affinity_has_a_type(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "reservation_affinity_type", "given"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), machine={"reservation_affinity": {"key": "k"}})


def test_a_model_with_any_route_needs_a_dedicated_endpoint(cloud: Google) -> None:
    model = cloud.upload(model_fields={"container_spec": {"image_uri": "image", "invoke_route_prefix": "/*"}})

    with refused("FAILED_PRECONDITION", "dedicated endpoint"):
        cloud.begin_deploy(cloud.endpoint(), model)


@pytest.mark.parametrize(
    ("resources", "word"),
    [
        ({"min_replica_count": 0}, "min_replica_count"),
        ({"min_replica_count": 2, "max_replica_count": 1}, "max_replica_count"),
        ({"required_replica_count": 2}, "required_replica_count"),
        ({"autoscaling_metric_specs": [{"metric_name": "m"}, {"metric_name": "m"}]}, "autoscaling_metric_specs"),
    ],
)
def test_replicas_that_cannot_be_are_refused(cloud: Google, resources: dict[str, Any], word: str) -> None:
    with refused("INVALID_ARGUMENT", word):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), resources=resources)


def test_a_custom_container_needs_dedicated_resources(cloud: Google) -> None:
    deployed_model = {"model": cloud.upload(), "automatic_resources": {"min_replica_count": 1}}

    with refused("INVALID_ARGUMENT", "dedicated_resources"):
        cloud.endpoints.deploy_model(endpoint=cloud.endpoint(), deployed_model=deployed_model)


def test_without_a_split_the_split_stays(cloud: Google) -> None:
    endpoint, first, _ = two(cloud)

    assert cloud.split(endpoint) == {first: 100}


def test_key_0_is_the_model_being_deployed(cloud: Google) -> None:
    endpoint, model, first = cloud.serving()
    second = cloud.deploy(endpoint, model, split={"0": 20, first: 80})

    assert cloud.split(endpoint) == {first: 80, second: 20}


def test_a_split_of_a_deployment_sums_to_100(cloud: Google) -> None:
    with refused("INVALID_ARGUMENT", "sum to 90"):
        cloud.begin_deploy(cloud.endpoint(), cloud.upload(), split={"0": 90})


def test_an_endpoint_with_a_network_takes_no_split(cloud: Google) -> None:
    endpoint = cloud.endpoint(network="projects/1/global/networks/n")

    with refused("INVALID_ARGUMENT", "network"):
        cloud.begin_deploy(endpoint, cloud.upload(), split={"0": 100})


def test_a_deployed_model_appears_when_its_operation_ends(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.control.hold("deploy_model")
    operation = cloud.begin_deploy(endpoint, cloud.upload())
    during = deployed(cloud, endpoint)
    cloud.control.release("deploy_model")
    cloud.done(operation)

    assert (len(during), len(deployed(cloud, endpoint))) == (0, 1)


def test_a_deployed_model_appears_at_once_where_the_switch_says_so(cloud: Google) -> None:
    cloud.control.set("deployed_model_appears_at_once", True)
    cloud.control.hold("deploy_model")
    endpoint = cloud.endpoint()
    cloud.begin_deploy(endpoint, cloud.upload())

    assert [model.status.available_replica_count for model in deployed(cloud, endpoint)] == [0]


def test_a_deployment_passes_its_stages(cloud: Google) -> None:
    operation = cloud.begin_deploy(cloud.endpoint(), cloud.upload())
    cloud.done(operation)

    assert operation.metadata.deployment_stage.name == "SUCCESSFULLY_DEPLOYED"


def test_a_deployment_that_fails_at_a_stage_says_so(cloud: Google) -> None:
    cloud.control.fail_operation("deploy_model", "RESOURCE_EXHAUSTED", "no quota", stage="ADDING_NODES_TO_CLUSTER")
    operation = cloud.wait(cloud.begin_deploy(cloud.endpoint(), cloud.upload()))
    metadata = aiplatform_v1.DeployModelOperationMetadata.deserialize(operation.metadata.value)

    assert (operation.error.message, metadata.deployment_stage.name) == ("no quota", "FAILED_TO_DEPLOY")


def test_a_failed_deployment_leaves_nothing(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.control.fail_operation("deploy_model", "INTERNAL")
    cloud.wait(cloud.begin_deploy(endpoint, cloud.upload(), split={"0": 100}))

    assert (deployed(cloud, endpoint), cloud.split(endpoint)) == ([], {})


def test_a_failed_deployment_may_leave_its_model(cloud: Google) -> None:
    endpoint = cloud.endpoint()
    cloud.control.fail_operation("deploy_model", "INTERNAL", appears=True)
    cloud.wait(cloud.begin_deploy(endpoint, cloud.upload(), id="1", split={"0": 100}))

    assert ([model.id for model in deployed(cloud, endpoint)], cloud.split(endpoint)) == (["1"], {})


def test_replicas_change_in_place(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    cloud.done(mutate(cloud, endpoint, identifier, REPLICAS, min_replica_count=2, max_replica_count=4))
    resources = deployed(cloud, endpoint)[0].dedicated_resources

    assert (resources.min_replica_count, resources.max_replica_count) == (2, 4)


def test_replicas_change_when_the_operation_ends(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    cloud.control.hold("mutate_deployed_model")
    mutate(cloud, endpoint, identifier, REPLICAS, min_replica_count=2, max_replica_count=4)

    assert deployed(cloud, endpoint)[0].dedicated_resources.min_replica_count == 1


def test_a_change_in_place_keeps_what_its_mask_leaves_out(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    paths = {"paths": ["dedicated_resources.max_replica_count"]}
    cloud.done(mutate(cloud, endpoint, identifier, paths, min_replica_count=9, max_replica_count=3))

    assert deployed(cloud, endpoint)[0].dedicated_resources.min_replica_count == 1


def test_autoscaling_changes_in_place(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    paths = {"paths": ["dedicated_resources.autoscaling_metric_specs"]}
    specs = [{"metric_name": "aiplatform.googleapis.com/prediction/online/cpu/utilization", "target": 80}]
    cloud.done(mutate(cloud, endpoint, identifier, paths, autoscaling_metric_specs=specs))

    assert deployed(cloud, endpoint)[0].dedicated_resources.autoscaling_metric_specs[0].target == 80


@pytest.mark.parametrize("path", ["dedicated_resources.machine_spec", "service_account", "display_name", "model"])
def test_a_fixed_field_does_not_change_in_place(cloud: Google, path: str) -> None:
    endpoint, _, identifier = cloud.serving()

    with refused("INVALID_ARGUMENT", path, "min_replica_count"):
        mutate(cloud, endpoint, identifier, {"paths": [path]})


def test_replicas_do_not_change_to_what_cannot_be(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()

    with refused("INVALID_ARGUMENT", "max_replica_count"):
        mutate(cloud, endpoint, identifier, REPLICAS, min_replica_count=3, max_replica_count=2)


def test_what_is_not_deployed_does_not_change(cloud: Google) -> None:
    with refused("NOT_FOUND", "4711"):
        mutate(cloud, cloud.endpoint(), "4711", REPLICAS, min_replica_count=1)


def test_a_model_with_traffic_is_not_undeployed(cloud: Google) -> None:
    endpoint, first, _ = two(cloud)

    with refused("FAILED_PRECONDITION", first, "100 percent"):
        cloud.endpoints.undeploy_model(endpoint=endpoint, deployed_model_id=first)


def test_a_model_is_undeployed_with_a_split_that_takes_its_traffic(cloud: Google) -> None:
    endpoint, first, second = two(cloud)
    cloud.undeploy(endpoint, first, **{second: 100})

    assert ([model.id for model in deployed(cloud, endpoint)], cloud.split(endpoint)) == ([second], {second: 100})


def test_a_split_that_leaves_traffic_does_not_undeploy(cloud: Google) -> None:
    endpoint, first, second = two(cloud)

    with refused("FAILED_PRECONDITION", "50 percent"):
        cloud.endpoints.undeploy_model(
            endpoint=endpoint, deployed_model_id=first, traffic_split={first: 50, second: 50}
        )


def test_a_model_without_traffic_is_undeployed(cloud: Google) -> None:
    endpoint, first, second = two(cloud)
    cloud.undeploy(endpoint, second)

    assert cloud.split(endpoint) == {first: 100}


def test_undeploying_the_last_empties_the_split(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    cloud.undeploy(endpoint, identifier)

    assert (deployed(cloud, endpoint), cloud.split(endpoint)) == ([], {})


def test_what_is_not_deployed_is_not_undeployed(cloud: Google) -> None:
    with refused("NOT_FOUND", "4711"):
        cloud.endpoints.undeploy_model(endpoint=cloud.endpoint(), deployed_model_id="4711")


def test_deployments_run_side_by_side(cloud: Google) -> None:
    endpoint, model = cloud.endpoint(), cloud.upload()
    cloud.control.hold("deploy_model")
    operations = [cloud.begin_deploy(endpoint, model) for _ in range(2)]
    cloud.control.release("deploy_model")

    assert len({cloud.done(operation).deployed_model.id for operation in operations}) == 2


@pytest.mark.parametrize("kind", ["deploy", "undeploy", "mutate"])
def test_deployments_run_one_after_the_other_where_the_switch_says_so(cloud: Google, kind: str) -> None:
    endpoint, model, identifier = cloud.serving()
    cloud.control.set("concurrent_deploys", False)
    cloud.control.hold("deploy_model")
    cloud.begin_deploy(endpoint, model)
    attempts = {
        "deploy": lambda: cloud.begin_deploy(endpoint, model),
        "undeploy": lambda: cloud.endpoints.undeploy_model(endpoint=endpoint, deployed_model_id=identifier),
        "mutate": lambda: mutate(cloud, endpoint, identifier, REPLICAS, min_replica_count=1, max_replica_count=1),
    }

    with refused("FAILED_PRECONDITION", "operation is running"):
        attempts[kind]()


def test_one_deployed_model_has_one_operation_at_a_time(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    cloud.control.hold("mutate_deployed_model")
    mutate(cloud, endpoint, identifier, REPLICAS, min_replica_count=1, max_replica_count=1)

    with refused("FAILED_PRECONDITION", "operation is running"):
        cloud.endpoints.undeploy_model(endpoint=endpoint, deployed_model_id=identifier)


def test_an_undeployment_fails_when_traffic_came_back(cloud: Google) -> None:
    endpoint, first, second = two(cloud)
    cloud.control.hold("undeploy_model")
    operation = cloud.endpoints.undeploy_model(endpoint=endpoint, deployed_model_id=first, traffic_split={second: 100})
    cloud.update_split(endpoint, {first: 100})
    cloud.control.release("undeploy_model")

    assert "traffic again" in cloud.wait(operation).error.message
