"""Each refusal of a stack file, as the user sees it."""
# ruff: noqa: E501 - whole messages

import json
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.unit.stack.stack import NAMESPACE, config, faults
from tpuserve.stack.config import StackConfigError, read_stack


def test_machine_type_without_tpu_chips() -> None:
    assert faults({"endpoint.variants.stable.machineType": "n1-standard-4"}) == snapshot(
        [
            "tpu-inference:endpoint.variants.stable.machineType: 'n1-standard-4' is not a TPU machine type of Vertex AI; use ct6e-standard-1t (1 chip), ct6e-standard-4t (4 chips), ct6e-standard-8t (8 chips), ct5lp-hightpu-1t (1 chip), ct5lp-hightpu-4t (4 chips) or ct5lp-hightpu-8t (8 chips)"
        ]
    )


def test_accelerator_type_beside_a_tpu_machine_type() -> None:
    assert faults({"endpoint.variants.stable.acceleratorType": "TPU_V5_LITEPOD"}) == snapshot(
        [
            "tpu-inference:endpoint.variants.stable.acceleratorType: acceleratorType cannot be given beside 'ct6e-standard-1t': its 1 chip is part of the machine type; remove acceleratorType"
        ]
    )


def test_one_slice() -> None:
    assert faults({"collection.slices": 1}) == snapshot(
        [
            "tpu-inference:collection.slices: 1 is too few: several slices in one request are at least 2; give 2 or more (a single slice is a QueuedResource with a nodeId)"
        ]
    )


def test_accelerator_type_that_does_not_exist() -> None:
    assert faults({"collection.acceleratorType": "v6e-5"}) == snapshot(
        [
            "tpu-inference:collection.acceleratorType: 'v6e-5' is not an accelerator type; nearest: v6e-4 or v6e-8; allowed: v6e-1, v6e-4, v6e-8, v6e-16, v6e-32, v6e-64, v6e-128 and v6e-256"
        ]
    )


def test_v5e_in_a_collection() -> None:
    changes = {"collection.acceleratorType": "v5litepod-8", "collection.runtimeVersion": "v2-alpha-tpuv5-lite"}

    assert faults({**changes, "collection.zone": "us-west4-a"}) == snapshot(
        [
            "tpu-inference:collection.acceleratorType: 'v5litepod-8' is v5e, and collections (workload type AVAILABILITY_OPTIMIZED) exist for Trillium (v6e) only; use a v6e type, or leave the workload type out"
        ]
    )


def test_zone_without_v6e() -> None:
    assert faults({"collection.zone": "us-west4-a"}) == snapshot(
        [
            "tpu-inference:collection.zone: 'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a"
        ]
    )


def test_zone_of_the_provider_without_v6e() -> None:
    with pytest.raises(StackConfigError) as error:
        read_stack(config({}, zone="us-west4-a"), NAMESPACE, Path())

    assert str(error.value) == snapshot("""\
1 fault in the stack's configuration; nothing was asked for:
  tpuserve:zone: 'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a\
""")


def test_traffic_that_sums_to_90() -> None:
    assert faults({"endpoint.trafficSplit.stable": 90}) == snapshot(
        ["tpu-inference:endpoint.trafficSplit: stable 90 sums to 90; shares must sum to 100"]
    )


def test_max_below_min_replicas() -> None:
    changes = {"endpoint.variants.stable.minReplicaCount": 2, "endpoint.variants.stable.maxReplicaCount": 1}

    assert faults(changes) == snapshot(
        [
            "tpu-inference:endpoint.variants.stable.maxReplicaCount: 1 is below the minimum of 2; give at least 2, or lower the minimum"
        ]
    )


def test_bad_node_prefix() -> None:
    assert faults({"collection.nodePrefix": "my digits"}) == snapshot(
        [
            "tpu-inference:collection.nodePrefix: 'my digits' is not a valid node prefix; allowed: letters, digits and _ . ~ + % -"
        ]
    )


def test_unknown_key() -> None:
    assert faults({"collection.slicez": 3}) == snapshot(
        [
            "tpu-inference:collection.slicez: unknown key; did you mean slices?; allowed: slices, acceleratorType, runtimeVersion, zone, workloadType, nodePrefix, startupScript, metadata and labels"
        ]
    )


def test_unknown_section() -> None:
    assert faults({"colection": {}}) == snapshot(
        [
            "tpu-inference:colection: unknown key; did you mean collection?; allowed: collection, model, endpoint, surroundings, protect, limits and labels"
        ]
    )


def test_number_as_a_string() -> None:
    assert faults({"collection.slices": "3"}) == snapshot(
        ["tpu-inference:collection.slices: '3' is a string; give a whole number, without quotes"]
    )


def test_text_as_a_number() -> None:
    assert faults({"model.displayName": 7}) == snapshot(
        ["tpu-inference:model.displayName: 7 is a number; give a string"]
    )


def test_truth_value_as_a_number() -> None:
    assert faults({"model.port": True}) == snapshot(
        ["tpu-inference:model.port: true is a truth value; give a whole number, without quotes"]
    )


def test_section_that_is_no_object() -> None:
    assert faults({"collection": "v6e-8"}) == snapshot(
        ["tpu-inference:collection: 'v6e-8' is a string; give an object (key: value)"]
    )


def test_list_that_is_none() -> None:
    assert faults({"model.args": "--verbose"}) == snapshot(
        ["tpu-inference:model.args: '--verbose' is a string; give a list"]
    )


def test_choice_that_does_not_exist() -> None:
    assert faults({"endpoint.onFailure": "RETRY"}) == snapshot(
        ["tpu-inference:endpoint.onFailure: 'RETRY' is not allowed; use KEEP or UNDEPLOY"]
    )


def test_missing_key() -> None:
    assert faults({"collection.runtimeVersion": None}) == snapshot(
        [
            "tpu-inference:collection.runtimeVersion: missing; give the runtime version of the TPU VMs, such as v2-alpha-tpuv6e"
        ]
    )


def test_two_faults_at_once() -> None:
    with pytest.raises(StackConfigError) as error:
        read_stack(config({"collection.slices": 1, "endpoint.trafficSplit.stable": 90}), NAMESPACE, Path())

    assert str(error.value) == snapshot("""\
2 faults in the stack's configuration; nothing was asked for:
  tpu-inference:collection.slices: 1 is too few: several slices in one request are at least 2; give 2 or more (a single slice is a QueuedResource with a nodeId)
  tpu-inference:endpoint.trafficSplit: stable 90 sums to 90; shares must sum to 100\
""")


def test_unknown_key_and_number_as_a_string_at_once() -> None:
    assert faults({"collection.slices": "3", "collection.slicez": 3}) == snapshot(
        [
            "tpu-inference:collection.slicez: unknown key; did you mean slices?; allowed: slices, acceleratorType, runtimeVersion, zone, workloadType, nodePrefix, startupScript, metadata and labels",
            "tpu-inference:collection.slices: '3' is a string; give a whole number, without quotes",
        ]
    )


def test_model_that_is_nowhere() -> None:
    assert faults({"model": None}) == snapshot(
        ["tpu-inference:endpoint.variants.stable.model: missing; give a model version, or the section model"]
    )


def test_route_without_a_slash() -> None:
    assert faults({"model.predictRoute": "predict"}) == snapshot(
        ["tpu-inference:model.predictRoute: 'predict' is not an HTTP path; begin it with /"]
    )


def test_numbers_and_a_prefix_of_a_container_that_do_not_fit() -> None:
    changes = {"model.grpcPort": 0, "model.retainVersions": -1, "model.invokeRoutePrefix": "/v1"}
    changes |= {"endpoint.dedicatedEndpointEnabled": True}

    assert faults(changes) == snapshot(
        [
            "tpu-inference:model.invokeRoutePrefix: '/v1' is not a valid prefix of invoke routes; allowed: /* and nothing else",
            "tpu-inference:model.grpcPort: 0 is not a port; give 1 to 65535",
            "tpu-inference:model.retainVersions: -1 is too small; allowed: 0 or more",
        ]
    )


def test_any_route_beside_a_predict_route_and_an_endpoint_that_is_not_dedicated() -> None:
    changes = {"model.invokeRoutePrefix": "/*", "model.predictRoute": "/predict"}

    assert faults(changes) == snapshot(
        [
            "tpu-inference:model.invokeRoutePrefix: cannot be given beside predictRoute; remove one of the two",
            "tpu-inference:model.invokeRoutePrefix: needs a dedicated endpoint; set endpoint.dedicatedEndpointEnabled to true, or remove it",
        ]
    )


def test_model_without_an_image() -> None:
    assert faults({"model.imageUri": None}) == snapshot(
        [
            "tpu-inference:model.imageUri: missing; give your container image, or use preset tensorflow_manual, tensorflow_automatic, tensorflow_partitioned or pytorch"
        ]
    )


def test_preset_that_does_not_exist() -> None:
    assert faults({"model.preset": "tensorflow"}) == snapshot(
        [
            "tpu-inference:model.preset: 'tensorflow' is not allowed; use custom, tensorflow_manual, tensorflow_automatic, tensorflow_partitioned or pytorch"
        ]
    )


def test_every_fault_of_a_preset_at_once() -> None:
    changes = {"model.preset": "tensorflow_partitioned", "model.tpuFunctions": ["f", 3], "model.args": ["-v"]}

    assert faults(changes) == snapshot(
        [
            "tpu-inference:model.tpuFunctions[1]: 3 is a number; give a string",
            "tpu-inference:model.imageUri: 'us-east5-docker.pkg.dev/p/serving/digits:1' is not an image of preset tensorflow_partitioned; give one in Artifact Registry whose name begins with tf_opt-tpu., such as us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest, or use preset custom",
            "tpu-inference:model.artifactUri: missing; give the gs:// folder that preset tensorflow_partitioned serves: a SavedModel that has function aliases",
            "tpu-inference:model.args: cannot be given with preset tensorflow_partitioned, which decides it; remove it, or use preset custom",
            "tpu-inference:model.port: cannot be given with preset tensorflow_partitioned, which decides it; remove it, or use preset custom",
        ]
    )


def test_functions_that_no_preset_takes() -> None:
    assert faults({"model.tpuFunctions": ["f"]}) == snapshot(
        [
            "tpu-inference:model.tpuFunctions: cannot be given with preset custom, which takes no functions; remove it, or use preset tensorflow_partitioned"
        ]
    )


def test_weights_outside_cloud_storage() -> None:
    assert faults({"model.artifactUri": "/weights"}) == snapshot(
        ["tpu-inference:model.artifactUri: '/weights' is not in Cloud Storage; give a gs:// folder"]
    )


def test_label_with_capitals() -> None:
    assert faults({"labels": {"Team": "vision"}}) == snapshot(
        [
            "tpu-inference:labels.Team: 'Team' is not a valid label key; allowed: 1 to 63 lowercase letters, digits, _ or -, a letter first"
        ]
    )


def test_startup_script_that_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "startup.sh").write_text("true\n")

    assert faults({"collection.startupScript": "startup.s"}, root=tmp_path) == snapshot(
        ["tpu-inference:collection.startupScript: 'startup.s' is not a file of the project; did you mean startup.sh?"]
    )


def test_autonaming_without_a_random_part() -> None:
    setting = {"pulumi:autonaming": json.dumps({"mode": "verbatim"})}

    with pytest.raises(StackConfigError) as error:
        read_stack(config({}) | setting, NAMESPACE, Path())

    assert str(error.value) == snapshot("""\
1 fault in the stack's configuration; nothing was asked for:
  pulumi:autonaming: mode 'verbatim' gives names without a random part, so Pulumi deletes before it creates: replacing an endpoint or its deployment would be an outage; add ${hex(8)} to a pattern, or set mode default under providers.tpuserve\
""")


def test_a_setting_of_the_provider_that_does_not_exist_is_told_before_the_provider_is_asked() -> None:
    given = config({}, onwerId="a" * 20)

    with pytest.raises(StackConfigError, match=r"tpuserve:onwerId: .*did you mean ownerId"):
        read_stack(given, NAMESPACE, Path())


def test_settings_of_the_provider_are_checked_as_the_provider_does() -> None:
    given = config({}, endpoints='{"tpu": "http://10.0.0.1"}', refreshBeforeUpdate="maybe")

    with pytest.raises(StackConfigError) as refused:
        read_stack(given, NAMESPACE, Path())

    assert {fault.path for fault in refused.value.faults} == {"tpuserve:endpoints.tpu", "tpuserve:refreshBeforeUpdate"}


def test_a_secret_setting_of_the_provider_is_withheld() -> None:
    with pytest.raises(StackConfigError) as refused:
        read_stack(config({}, zone="us east"), NAMESPACE, Path(), ["tpuserve:zone"])

    assert "us east" not in str(refused.value)
