"""A configuration as arguments of the components."""

from tests.unit.stack.stack import read
from tpuserve.stack.arguments import collection_arguments, endpoint_arguments, model_arguments
from tpuserve.stack.contracts import EnvironmentContract

AROUND = EnvironmentContract(
    service_account="serving@acme.iam.gserviceaccount.com",
    model_bucket="gs://acme-models",
    kms_key_name="projects/p/locations/us-east5/keyRings/r/cryptoKeys/k",
    request_log="bq://acme.log",
    network="projects/h/global/networks/n",
    subnetwork="projects/h/regions/us-east5/subnetworks/s",
    labels={"environment": "prod", "team": "platform"},
)
LEAST = EnvironmentContract(service_account="serving@acme.iam.gserviceaccount.com", model_bucket="gs://acme-models")


def test_collection() -> None:
    stack = read({"labels": {"team": "vision"}, "collection.labels": {"tier": "hot"}})

    assert stack.settings.collection
    assert collection_arguments(stack, stack.settings.collection) == {
        "slices": 3,
        "accelerator_type": "v6e-8",
        "runtime_version": "v2-alpha-tpuv6e",
        "workload_type": "AVAILABILITY_OPTIMIZED",
        "node_prefix": "digits",
        "labels": {"team": "vision", "tier": "hot"},
    }


def test_labels_of_a_section_win() -> None:
    stack = read({"labels": {"tier": "cold"}, "collection.labels": {"tier": "hot"}})

    assert stack.settings.collection
    assert collection_arguments(stack, stack.settings.collection)["labels"] == {"tier": "hot"}


def test_model() -> None:
    stack = read({})

    assert stack.settings.model
    assert model_arguments(stack, stack.settings.model, str) == {
        "display_name": "digits",
        "preset": "custom",
        "image_uri": "us-east5-docker.pkg.dev/p/serving/digits:1",
        "port": 8080,
        "location": "us-east5",
    }


def test_model_with_a_preset() -> None:
    section = {"displayName": "m", "preset": "tensorflow_partitioned", "tpuFunctions": ["f"], "artifactUri": "gs://b/m"}
    stack = read({"model": section})

    assert stack.settings.model
    assert model_arguments(stack, stack.settings.model, str) == {
        "display_name": "m",
        "preset": "tensorflow_partitioned",
        "tpu_functions": ["f"],
        "artifact_uri": "gs://b/m",
        "location": "us-east5",
    }


def test_environment_of_a_section_with_a_secret_is_concealed() -> None:
    stack = read({"model.env": {"TOKEN": "hunter2"}}, secrets=("model",))

    assert stack.settings.model
    assert model_arguments(stack, stack.settings.model, lambda value: f"<{value}>")["env"] == {"TOKEN": "<hunter2>"}


def test_endpoint_takes_the_stacks_own_model() -> None:
    stack = read({})

    assert stack.settings.endpoint
    assert endpoint_arguments(stack, stack.settings.endpoint, "models/M@1") == {
        "display_name": "digits",
        "variants": {"stable": {"model": "models/M@1", "machine_type": "ct6e-standard-1t", "min_replica_count": 1}},
        "traffic_split": {"stable": 100},
        "location": "us-east5",
    }


def test_a_variants_own_model_wins() -> None:
    stack = read({"endpoint.variants.stable.model": "projects/p/locations/us-east5/models/N@2"})

    assert stack.settings.endpoint
    variants = endpoint_arguments(stack, stack.settings.endpoint, "models/M@1")["variants"]
    assert variants["stable"]["model"] == "projects/p/locations/us-east5/models/N@2"


def test_slices_run_in_their_environment() -> None:
    stack = read({"labels": {"team": "vision"}})

    assert stack.settings.collection
    found = collection_arguments(stack, stack.settings.collection, AROUND)
    assert {key: found[key] for key in ("service_account", "network_config", "boot_disk_config", "labels")} == {
        "service_account": {"email": AROUND.service_account},
        "network_config": {"network": AROUND.network, "subnetwork": AROUND.subnetwork, "enable_external_ips": False},
        "boot_disk_config": {"customer_encryption_key": {"kms_key_name": AROUND.kms_key_name}},
        "labels": {"environment": "prod", "team": "vision"},
    }


def test_a_model_is_encrypted_in_its_environment() -> None:
    stack = read({})

    assert stack.settings.model
    found = model_arguments(stack, stack.settings.model, str, AROUND)
    assert (found["encryption_spec"], found["labels"]) == ({"kms_key_name": AROUND.kms_key_name}, AROUND.labels)


def test_an_endpoint_is_encrypted_and_logged_in_its_environment() -> None:
    stack = read({})

    assert stack.settings.endpoint
    found = endpoint_arguments(stack, stack.settings.endpoint, "m@1", AROUND)
    assert found["encryption_spec"] == {"kms_key_name": AROUND.kms_key_name}
    assert found["predict_request_response_logging_config"] == {
        "enabled": True,
        "sampling_rate": 0.1,
        "bigquery_destination": {"output_uri": "bq://acme.log"},
    }


def test_a_variant_runs_as_the_account_of_its_environment_or_as_its_own() -> None:
    other = {"machineType": "ct6e-standard-1t", "serviceAccount": "own@acme.iam.gserviceaccount.com"}
    stack = read({"endpoint.variants.canary": other, "endpoint.trafficSplit": {"stable": 90, "canary": 10}})

    assert stack.settings.endpoint
    variants = endpoint_arguments(stack, stack.settings.endpoint, "m@1", AROUND)["variants"]
    assert (variants["stable"]["service_account"], variants["canary"]["service_account"]) == (
        AROUND.service_account,
        other["serviceAccount"],
    )


def test_what_an_environment_does_not_give_is_left_to_google() -> None:
    stack = read({})

    assert stack.settings.collection
    assert stack.settings.endpoint
    slices = collection_arguments(stack, stack.settings.collection, LEAST)
    endpoint = endpoint_arguments(stack, stack.settings.endpoint, "m@1", LEAST)
    assert {"network_config", "boot_disk_config"} & set(slices) == set()
    assert {"encryption_spec", "predict_request_response_logging_config"} & set(endpoint) == set()
