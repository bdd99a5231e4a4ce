"""Remedies at level `remediate`, asked as the engine asks: with its marks of secrets and unknowns."""

from datetime import date
from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import Pack  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT

SIGNATURE, SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
"""How Pulumi's wire marks a value as a secret."""
POOL = "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool"
GARDEN = "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment"
QUEUED, MODEL = "tpuserve:tpu:QueuedResource", "tpuserve:vertex:Model"
ACCELERATOR = {"acceleratorType": "TPU_V5_LITEPOD", "acceleratorCount": 1}
LABELS = {"enforced": True, "labels": {"env": "prod"}}
EXEMPTION = {"policy": "machine-types", "resource": "digits", "owner": "ml", "reason": "a trial"}


def secret(value: Any) -> dict[str, Any]:
    return {SIGNATURE: SECRET, "value": value}


def pool(machine: Any = "ct6e-standard-1t", spec: Any = None, **more: Any) -> dict[str, Any]:
    spec = {"machineType": machine} | (ACCELERATOR if spec is None else spec)
    return {"dedicatedResources": {"machineSpec": spec, "minReplicaCount": 2}, **more}


def struct(given: dict[str, Any]) -> struct_pb2.Struct:
    made = struct_pb2.Struct()
    made.update(given)
    return made


def remedied(token: str, given: dict[str, Any], **policies: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """What each remedy that the configuration switches on makes of a resource, in the order in which they are run."""
    pack, level = Pack(lambda: date(2026, 12, 1)), analyzer_pb2.REMEDIATE
    config = {
        name.replace("_", "-"): analyzer_pb2.PolicyConfig(enforcementLevel=level, properties=struct(properties))
        for name, properties in policies.items()
    }
    if "exemptions" in config:
        config["exemptions"].enforcementLevel = analyzer_pb2.ADVISORY
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config), None)
    request = analyzer_pb2.AnalyzeRequest(type=token, urn=f"urn:x::{token}::digits", name="d", properties=struct(given))
    found = pack.Remediate(request, None).remediations
    return [(each.policyName, json_format.MessageToDict(each.properties)) for each in found]


def deployment(**spec: Any) -> dict[str, Any]:
    machine = {"machineType": "ct6e-standard-1t", **spec}
    return {"deployedModels": {"a.b": {"dedicatedResources": {"machineSpec": machine}}}}


@pytest.mark.parametrize(
    ("token", "given", "mended"),
    [
        (POOL, pool(), pool(spec={})),
        (GARDEN, {"deployConfig": pool()}, {"deployConfig": pool(spec={})}),
        (DEPLOYMENT, deployment(**ACCELERATOR), deployment()),
        (POOL, pool(spec={"acceleratorType": UNKNOWN_STRING_VALUE}), pool(spec={})),
    ],
)
def test_accelerator_fields_beside_a_tpu_machine_type_are_taken_out(token: str, given: Any, mended: Any) -> None:
    assert remedied(token, given, machine_types={}) == [("machine-types", mended)]


@pytest.mark.parametrize(
    "given",
    [
        pool(spec={}),
        pool("a2-highgpu-1g", {"acceleratorType": "NVIDIA_TESLA_A100", "acceleratorCount": 1}),
        pool(UNKNOWN_STRING_VALUE),
        {"dedicatedResources": UNKNOWN_OBJECT_VALUE},
    ],
)
def test_what_is_right_or_not_known_yet_is_left_alone(given: dict[str, Any]) -> None:
    assert remedied(POOL, given, machine_types={}) == []


def test_other_resources_are_left_alone() -> None:
    assert remedied("gcp:storage/bucket:Bucket", pool(), machine_types={}, collections={}, production=LABELS) == []


def slices(workload_type: Any) -> dict[str, Any]:
    spec = {"multiNodeParams": {"nodeCount": 2, "workloadType": workload_type}, "node": {"acceleratorType": "v6e-8"}}
    return {"tpu": {"nodeSpec": [spec]}}


def test_the_workload_type_of_googles_page_is_spelled_as_its_api_takes_it() -> None:
    found = remedied(QUEUED, slices("AVAILABILITY-OPTIMIZED"), collections={})

    assert found == [("collections", slices("AVAILABILITY_OPTIMIZED"))]


@pytest.mark.parametrize("value", ["AVAILABILITY_OPTIMIZED", "FAST", UNKNOWN_STRING_VALUE])
def test_another_workload_type_is_left_alone(value: str) -> None:
    assert remedied(QUEUED, slices(value), collections={}) == []


def test_a_secret_elsewhere_in_the_resource_stays_one() -> None:
    given = {"displayName": "m", "containerSpec": {"env": [{"name": "TOKEN", "value": secret("hush")}]}}

    assert remedied(MODEL, given, production=LABELS) == [("production", given | {"labels": {"env": "prod"}})]


def test_a_secret_that_is_mended_stays_one() -> None:
    found = remedied(QUEUED, slices(secret("AVAILABILITY-OPTIMIZED")), collections={})

    assert found == [("collections", slices(secret("AVAILABILITY_OPTIMIZED")))]


def test_what_is_within_a_secret_is_mended_within_it() -> None:
    [(_, mended)] = remedied(POOL, {"dedicatedResources": secret(pool()["dedicatedResources"])}, machine_types={})

    assert mended == {"dedicatedResources": secret(pool(spec={})["dedicatedResources"])}


def test_what_is_not_known_yet_stays_so() -> None:
    given = {"displayName": UNKNOWN_STRING_VALUE, "labels": {"team": UNKNOWN_STRING_VALUE}}

    [(_, mended)] = remedied(MODEL, given, production=LABELS)

    assert mended == given | {"labels": {"team": UNKNOWN_STRING_VALUE, "env": "prod"}}


def test_a_second_remedy_keeps_what_the_first_one_did_and_every_secret() -> None:
    spec = {**slices("AVAILABILITY-OPTIMIZED")["tpu"]["nodeSpec"][0]}
    spec["node"] = {"metadata": secret({"startup-script": UNKNOWN_STRING_VALUE})}

    *_, (_, mended) = remedied(QUEUED, {"tpu": {"nodeSpec": [spec]}}, collections={}, production=LABELS)

    [last] = mended["tpu"]["nodeSpec"]
    assert (last["multiNodeParams"]["workloadType"], last["node"]) == (
        "AVAILABILITY_OPTIMIZED",
        spec["node"] | {"labels": {"env": "prod"}},
    )


@pytest.mark.parametrize(("expires", "count"), [("2026-12-31", 0), ("2026-11-30", 1)])
def test_what_is_exempted_is_not_mended_until_that_ends(expires: str, count: int) -> None:
    exemptions = {"list": [EXEMPTION | {"expires": expires}]}

    assert len(remedied(POOL, pool(), machine_types={}, exemptions=exemptions)) == count


def test_these_rules_have_a_remedy() -> None:
    assert [each.name for each in FAMILIES if getattr(each, "remedy", None)] == [
        "machine-types",
        "collections",
        "production",
    ]
