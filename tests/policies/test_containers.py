"""The families on containers: Google's own, one's own, and what their names say of versions."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from inline_snapshot import snapshot
from pulumi_policy.policy import _NotApplicableError
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies import containers, containers_memlock, containers_versions  # pyright: ignore[reportMissingImports]
from tpuserve.policies.container import SUBJECTS  # pyright: ignore[reportMissingImports]

from tests.gcp import known
from tests.policies.packs import violations
from tpuserve import catalog

MODEL, GARDEN = SUBJECTS
FAMILIES = (containers.FAMILY, containers.ROUTES, containers_versions.FAMILY, containers_memlock.FAMILY)
START, ROUTES, VERSIONS, MEMLOCK = ([*each.policies()] for each in FAMILIES)
TENSORFLOW = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest"
OWN = "us-docker.pkg.dev/acme/serving/digits@sha256:" + "0" * 64
ONE_FLAG = {"imageUri": TENSORFLOW, "args": ["--disable_optimizer=true"]}
ROUTED = {"imageUri": OWN, "predictRoute": "/predict", "healthRoute": "/health"}


def model(spec: Any, artifact: Any = "gs://acme/digits/v3", **more: Any) -> dict[str, Any]:
    artifacts = {} if artifact is None else {"artifactUri": artifact}
    return {"displayName": "digits", "containerSpec": spec, **artifacts, **more}


def garden(spec: Any, machine: Any = "ct6e-standard-1t") -> dict[str, Any]:
    deploy = {"dedicatedResources": {"minReplicaCount": 1, "machineSpec": {"machineType": machine}}}
    return {"location": "us-east5", "modelConfig": {"containerSpec": spec}, "deployConfig": deploy}


def test_a_container_that_is_started_as_the_page_says_passes() -> None:
    spec = {"imageUri": TENSORFLOW, "args": catalog.preset_arguments("tensorflow_manual")["args"]}

    assert violations(START[0], MODEL, model(spec)) == []


def test_one_flag_of_two() -> None:
    assert violations(START[0], MODEL, model(ONE_FLAG)) == snapshot(
        [
            "containerSpec.args: --saved_model_tags=serve,tpu is missing beside --disable_optimizer=true: a model that was optimized by hand is served with --saved_model_tags=serve,tpu and --disable_optimizer=true, any other with neither"
        ]
    )


def test_a_container_of_googles_with_nothing_to_serve() -> None:
    assert violations(START[0], MODEL, model({"imageUri": TENSORFLOW}, None)) == snapshot(
        [
            "artifactUri: missing; give the gs:// folder that the container serves: a SavedModel that the inference converter has optimized for TPU, a SavedModel or a SavedModel that has function aliases"
        ]
    )


def test_a_raw_deployment_is_checked_too() -> None:
    assert [each.split(":")[0] for each in violations(START[0], GARDEN, garden(ONE_FLAG))] == [
        "modelConfig.containerSpec.args"
    ]


def test_a_raw_deployment_has_no_folder_of_weights() -> None:
    assert violations(START[0], GARDEN, garden({"imageUri": TENSORFLOW})) == []


def test_the_word_for_command_is_the_bridged_providers() -> None:
    spec = {"imageUri": TENSORFLOW, "commands": ["/serve"]}

    assert violations(START[1], GARDEN, garden(spec)) == snapshot(
        [
            "modelConfig.containerSpec.commands replaces the entry point of Google's image: what the rest means is not known, so containers could not be checked here"
        ]
    )


@pytest.mark.parametrize("machine", ["g2-standard-4", None])
@pytest.mark.parametrize("policy", [START[0], ROUTES[0], VERSIONS[0], MEMLOCK[0]])
def test_containers_on_other_machines_are_none_of_its_business(policy: Any, machine: Any) -> None:
    assert violations(policy, GARDEN, garden({"imageUri": "docker.io/vllm", "predictRoute": "x"}, machine)) == []


def test_a_tpu_container_is_its_business_on_any_machine() -> None:
    assert len(violations(START[0], GARDEN, garden(ONE_FLAG, "g2-standard-4"))) == 1


def test_a_raw_deployment_without_a_container_passes() -> None:
    assert violations(START[0], GARDEN, {"location": "us-east5", "huggingFaceModelId": "google/gemma"}) == []


@pytest.mark.parametrize(
    ("token", "properties", "message"),
    [
        (MODEL, model(UNKNOWN_OBJECT_VALUE), "containerSpec is not known yet"),
        (MODEL, model({"imageUri": UNKNOWN_STRING_VALUE}), "containerSpec.imageUri is not known yet"),
        (
            MODEL,
            model({"imageUri": TENSORFLOW, "args": [UNKNOWN_STRING_VALUE]}),
            "containerSpec.args[0] is not known yet",
        ),
        (
            GARDEN,
            garden({"imageUri": OWN}, UNKNOWN_STRING_VALUE),
            "deployConfig.dedicatedResources.machineSpec.machineType is not known yet",
        ),
        (GARDEN, {"location": "a", "modelConfig": UNKNOWN_OBJECT_VALUE}, "modelConfig is not known yet"),
    ],
)
def test_what_is_not_known_is_named_by_the_twin(token: str, properties: dict[str, Any], message: str) -> None:
    assert violations(START[0], token, properties) == []
    assert violations(START[1], token, properties) == [f"{message}, so containers could not be checked here"]


def test_an_unknown_folder_is_a_folder() -> None:
    assert violations(START[0], MODEL, model({"imageUri": TENSORFLOW}, UNKNOWN_STRING_VALUE)) == []


def test_what_the_page_does_not_show_is_said_by_the_twin() -> None:
    spec = {"imageUri": TENSORFLOW, "args": ["--converter_options_string=@options.txt"]}

    assert violations(START[0], MODEL, model(spec)) == []
    assert violations(START[1], MODEL, model(spec)) == snapshot(
        [
            'containerSpec.args[0] is not written as Google\'s page does it: tpu_functions { function_alias: "f" }, so containers could not be checked here'
        ]
    )


def test_routes_are_advice() -> None:
    assert [each.split(":")[0] for each in violations(ROUTES[0], MODEL, model({"imageUri": OWN}))] == [
        "containerSpec.predictRoute",
        "containerSpec.healthRoute",
    ]


def test_routes_that_are_given_pass() -> None:
    assert violations(ROUTES[0], MODEL, model(ROUTED)) == []


def test_versions_that_are_named_pass() -> None:
    assert violations(VERSIONS[0], MODEL, model(ROUTED)) == []


def test_a_tag_and_a_folder_without_a_version() -> None:
    found = violations(VERSIONS[0], MODEL, model({"imageUri": TENSORFLOW}, "gs://acme/digits"))

    assert [each.split(":")[0] for each in found] == ["containerSpec.imageUri", "artifactUri"]


def test_contents_whose_version_the_program_gives_need_none_in_the_folder() -> None:
    assert violations(VERSIONS[0], MODEL, model(ROUTED, "gs://acme/digits", contentVersion="2")) == []


def test_names_that_are_not_known_are_named_by_the_twin() -> None:
    properties = model({"imageUri": UNKNOWN_STRING_VALUE}, UNKNOWN_STRING_VALUE)

    assert violations(VERSIONS[0], MODEL, properties) == []
    assert [each.split()[0] for each in violations(VERSIONS[1], MODEL, properties)] == [
        "containerSpec.imageUri",
        "artifactUri",
    ]


def test_locked_memory_is_a_reminder() -> None:
    assert len(violations(MEMLOCK[0], MODEL, model(ROUTED))) == 1


def test_an_image_on_the_stacks_list_is_not_reminded_of() -> None:
    assert violations(MEMLOCK[0], MODEL, model(ROUTED), {"raisedBy": ["us-docker.pkg.dev/acme/"]}) == []


def test_an_entry_point_that_is_not_known_is_named_by_the_twin() -> None:
    properties = garden({"imageUri": OWN, "commands": [UNKNOWN_STRING_VALUE]})

    assert violations(MEMLOCK[0], GARDEN, properties) == []
    assert [each.split()[0] for each in violations(MEMLOCK[1], GARDEN, properties)] == [
        "modelConfig.containerSpec.commands[0]"
    ]


def test_only_how_a_container_is_started_blocks() -> None:
    levels = {policy.name: policy.enforcement_level.value for family in FAMILIES for policy in family.policies()}

    assert [name for name, level in levels.items() if level == "mandatory"] == ["containers"]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_other_resources_are_not_applicable(family: Any) -> None:
    with pytest.raises(_NotApplicableError):
        violations(family.policies()[0], "gcp:storage/bucket:Bucket", {})


def test_the_bridged_provider_has_what_the_rules_read() -> None:
    read = {"imageUri", "args", "commands", "predictRoute", "healthRoute", "ports.containerPort"}
    paths = {path for path, _ in known.leaves(GARDEN)}

    assert {f"modelConfig.containerSpec.{key}" for key in read} | {SUBJECTS[GARDEN].machine} <= paths
