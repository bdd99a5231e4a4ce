"""The children's arguments as plain data: no Pulumi runs here."""

from typing import Any

import pulumi
import pytest
from tpuserve.components.inputs import given, merged  # pyright: ignore[reportMissingImports]
from tpuserve.components.serving_endpoint import (  # pyright: ignore[reportMissingImports]
    deployed_model_args,
    deployment_args,
    endpoint_args,
)
from tpuserve.components.serving_model import (  # pyright: ignore[reportMissingImports]
    ServingModelArgs,
    container_faults,
    model_args,
)
from tpuserve.components.tpu_collection import (  # pyright: ignore[reportMissingImports]
    addresses_of,
    chips_of,
    queued_resource_args,
)

from tpuserve.resources import ContainerSpecArgs, EndpointArgs, ModelArgs

COLLECTION = {"slices": 3, "accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"}
VARIANT = {"model": "projects/p/locations/l/models/m@1", "machine_type": "ct6e-standard-1t"}


def test_a_collection_asks_for_availability() -> None:
    assert queued_resource_args(COLLECTION) == {
        "tpu": {
            "node_spec": [
                {
                    "multi_node_params": {"node_count": 3, "workload_type": "AVAILABILITY_OPTIMIZED"},
                    "node": {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"},
                }
            ]
        }
    }


def test_a_workload_type_given_is_kept() -> None:
    spec = queued_resource_args({**COLLECTION, "workload_type": "THROUGHPUT-OPTIMIZED"})["tpu"]["node_spec"][0]

    assert spec["multi_node_params"]["workload_type"] == "THROUGHPUT-OPTIMIZED"


def test_a_startup_script_joins_the_metadata() -> None:
    args = {**COLLECTION, "metadata": {"serving-image": "i"}, "startup_script": "true"}

    node = queued_resource_args(args)["tpu"]["node_spec"][0]["node"]

    assert node["metadata"] == {"serving-image": "i", "startup-script": "true"}


def test_place_and_labels_reach_the_request() -> None:
    wanted = queued_resource_args({**COLLECTION, "zone": "us-east5-b", "labels": {"team": "vision"}})

    assert (wanted["zone"], wanted["tpu"]["node_spec"][0]["node"]["labels"]) == ("us-east5-b", {"team": "vision"})


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("spot", {}),
        ("guaranteed", {"reserved": True}),
        ("best_effort", {}),
        ("provisioning_model", "FLEX_START"),
        ("run_duration", {"max_run_duration": "3600s"}),
        ("queueing_policy", {"valid_until_duration": "3600s"}),
        ("reservation_name", "projects/p/locations/us-east5-b/reservations/r"),
    ],
)
def test_how_capacity_is_asked_for_reaches_the_request(argument: str, value: Any) -> None:
    assert queued_resource_args({**COLLECTION, argument: value})[argument] == value


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("accelerator_config", {"type": "V6E", "topology": "2x4"}),
        ("description", "digits"),
        ("data_disks", [{"source_disk": "d", "mode": "READ_ONLY"}]),
        ("boot_disk_config", {"enable_confidential_compute": True}),
        ("shielded_instance_config", {"enable_secure_boot": True}),
        ("scheduling_config", {"spot": True}),
    ],
)
def test_what_a_slice_is_made_of_reaches_each_slice(argument: str, value: Any) -> None:
    node = queued_resource_args({**COLLECTION, argument: value})["tpu"]["node_spec"][0]["node"]

    assert node[argument] == value


def test_addresses_by_slice() -> None:
    hosts = [{"ip_address": "10.0.0.2", "port": 8470.0}, {"ip_address": "10.0.0.3"}]

    found = addresses_of([{"name": "projects/1/locations/z/nodes/digits-0", "network_endpoints": hosts}])

    assert found == {"digits-0": ["10.0.0.2:8470", "10.0.0.3"]}


def test_a_slice_that_is_not_up_has_no_address() -> None:
    assert addresses_of([{"name": "projects/1/locations/z/nodes/digits-0"}]) == {"digits-0": []}


def test_chips_of_slices() -> None:
    assert chips_of(3, "v6e-8") == 24


def test_chips_of_slices_by_topology() -> None:
    assert chips_of(3, None, {"type": "V6E", "topology": "2x4"}) == 24


def test_chips_of_an_accelerator_that_the_catalog_does_not_know() -> None:
    assert chips_of(3, "v9-8") is None


def test_a_model_with_a_port_and_an_environment() -> None:
    args = {"display_name": "digits", "image_uri": "i", "port": 8080, "env": {"A": "1"}, "artifact_uri": "gs://b"}

    assert model_args(args) == {
        "display_name": "digits",
        "artifact_uri": "gs://b",
        "container_spec": {
            "image_uri": "i",
            "ports": [{"container_port": 8080}],
            "env": [{"name": "A", "value": "1"}],
        },
    }


def test_a_model_without_a_port_says_none() -> None:
    assert model_args({"display_name": "digits", "image_uri": "i"})["container_spec"] == {"image_uri": "i"}


def test_every_argument_of_a_model_can_be_given() -> None:
    args: dict[str, Any] = dict.fromkeys(ServingModelArgs.__annotations__, "x") | {
        "preset": "custom",
        "env": {"A": "1"},
    }

    found = model_args(args)

    assert set(found) == set(ModelArgs.__annotations__)
    assert set(found["container_spec"]) == set(ContainerSpecArgs.__annotations__)


def test_a_preset_becomes_a_container() -> None:
    args = {"display_name": "m", "preset": "pytorch", "artifact_uri": "gs://b/m"}

    assert model_args(args) == {
        "display_name": "m",
        "artifact_uri": "gs://b/m",
        "container_spec": {
            "image_uri": "us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest",
            "predict_route": "/predictions/model",
            "health_route": "/ping",
            "ports": [{"container_port": 8080}],
        },
    }


def test_an_image_given_beside_a_preset_wins() -> None:
    image = "europe-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-17:latest"

    spec = model_args({"display_name": "m", "preset": "tensorflow_manual", "image_uri": image})["container_spec"]

    assert spec == {"image_uri": image, "args": ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"]}


def test_an_empty_list_beside_a_preset_changes_nothing() -> None:
    args = {"display_name": "m", "preset": "tensorflow_manual"}

    assert model_args({**args, "args": []}) == model_args(args)


def test_an_environment_goes_with_a_preset() -> None:
    args = {"display_name": "m", "preset": "tensorflow_partitioned", "tpu_functions": ["f"], "env": {"A": "1"}}

    assert model_args(args)["container_spec"]["env"] == [{"name": "A", "value": "1"}]


def test_arguments_that_are_not_known_yet_are_no_fault() -> None:
    later = pulumi.Output.from_input("gs://b/m")

    assert list(container_faults({"preset": "pytorch", "artifact_uri": later, "image_uri": later})) == []


def test_functions_have_to_be_plain() -> None:
    args = {"preset": "tensorflow_partitioned", "artifact_uri": "gs://b", "tpu_functions": pulumi.Output.from_input([])}

    assert [fault.path for fault in container_faults(args)] == ["tpu_functions"]


def test_a_variant() -> None:
    assert deployed_model_args({**VARIANT, "max_replica_count": 2}) == {
        "model": VARIANT["model"],
        "dedicated_resources": {
            "machine_spec": {"machine_type": "ct6e-standard-1t"},
            "min_replica_count": 1,
            "max_replica_count": 2,
        },
    }


def test_the_only_variant_gets_every_request() -> None:
    assert deployment_args({"variants": {"stable": VARIANT}})["traffic_split"] == {"stable": 100}


def test_a_split_of_several_variants_is_left_to_check() -> None:
    assert deployment_args({"variants": {"stable": VARIANT, "canary": VARIANT}})["traffic_split"] is None


def test_a_split_given_is_kept() -> None:
    split = {"stable": 90, "canary": 10}

    assert deployment_args({"variants": {"stable": VARIANT}, "traffic_split": split})["traffic_split"] == split


def test_labels_reach_the_endpoint() -> None:
    assert endpoint_args({"display_name": "digits", "labels": {"a": "b"}})["labels"] == {"a": "b"}


def test_a_value_that_is_false_is_given() -> None:
    assert given({"spot": False, "strategy": None}) == {"spot": False}


def test_nothing_merged_is_nothing() -> None:
    assert merged(None, None) is None


def test_every_argument_that_an_endpoint_has_too_reaches_it() -> None:
    """All but `recreate`, which is a variant's here."""
    args: dict[str, Any] = {name: name for name in EndpointArgs.__annotations__ if name != "recreate"}

    assert endpoint_args({**args, "variants": {}, "traffic_split": {}}) == args


def test_variant_in_a_pool_has_no_machines_of_its_own() -> None:
    found = deployed_model_args({"model": "m", "shared_resources": "pool", "strategy": "UNDEPLOY_FIRST"})

    assert found == {"model": "m", "shared_resources": "pool", "strategy": "UNDEPLOY_FIRST"}


def test_topology_and_reservation_are_the_machines() -> None:
    affinity = {"reservation_affinity_type": "NO_RESERVATION"}
    variant = {
        "model": "m",
        "machine_type": "ct6e-standard-4t",
        "tpu_topology": "4x4",
        "reservation_affinity": affinity,
    }

    machine = {"machine_type": "ct6e-standard-4t", "tpu_topology": "4x4", "reservation_affinity": affinity}
    assert deployed_model_args(variant)["dedicated_resources"] == {"machine_spec": machine, "min_replica_count": 1}
