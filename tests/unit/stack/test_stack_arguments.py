"""A configuration as arguments of the components."""

from tests.unit.stack.stack import read
from tpuserve.stack.arguments import collection_arguments, endpoint_arguments, model_arguments


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
