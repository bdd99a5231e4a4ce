"""The pack as the engine starts it: a process that prints its port, asked over gRPC."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2, struct_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT, deployment

POLICIES = Path(__file__).parents[2] / "policies"
STARTS = {
    "executable": [str(POLICIES / "analyzer"), "127.0.0.1:1"],
    # As an official CLI starts the folder: with the environment's Python.
    "folder": [sys.executable, "-u", str(POLICIES), "127.0.0.1:1"],
}
MANDATORY, ADVISORY = analyzer_pb2.MANDATORY, analyzer_pb2.ADVISORY


@pytest.fixture(scope="module", params=STARTS)
def pack(request: pytest.FixtureRequest) -> Iterator[Any]:
    with subprocess.Popen(STARTS[request.param], stdout=subprocess.PIPE, text=True, cwd="/") as process:
        assert process.stdout
        with grpc.insecure_channel(f"127.0.0.1:{int(process.stdout.readline())}") as channel:
            yield analyzer_pb2_grpc.AnalyzerStub(channel)
        process.terminate()


@pytest.fixture
def only_1t(pack: Any) -> Iterator[Any]:
    """The pack, told by the stack's policy configuration that only ct6e-standard-1t is allowed."""
    properties = struct_pb2.Struct()
    properties.update({"allowed": ["ct6e-standard-1t"]})
    own = analyzer_pb2.PolicyConfig(enforcementLevel=MANDATORY, properties=properties)
    with configured(pack, "machine-types", own):
        yield pack


@contextmanager
def configured(pack: Any, policy: str, own: analyzer_pb2.PolicyConfig) -> Iterator[None]:
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig={policy: own}))
    yield
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest())


def analyze(pack: Any, properties: dict[str, Any], token: str = DEPLOYMENT) -> Any:
    struct = struct_pb2.Struct()
    struct.update(properties)
    return pack.Analyze(analyzer_pb2.AnalyzeRequest(type=token, urn="urn:x", name="digits", properties=struct))


def test_the_pack_says_its_name_and_policies(pack: Any) -> None:
    info = pack.GetAnalyzerInfo(empty_pb2.Empty())

    levels = {policy.name: policy.enforcementLevel for policy in info.policies}
    assert (info.name, levels["machine-types"], levels["machine-types-unchecked"]) == ("tpuserve", MANDATORY, ADVISORY)


def test_it_offers_every_family_and_its_twin(pack: Any) -> None:
    names = [policy.name for policy in pack.GetAnalyzerInfo(empty_pb2.Empty()).policies]

    of_families = [policy.name for family in FAMILIES for policy in family.policies()]
    assert names == [*of_families, "exemptions", "strict"]


def test_the_stacks_list_blocks_what_check_allows(only_1t: Any) -> None:
    found = analyze(only_1t, deployment("ct6e-standard-4t")).diagnostics

    assert [(each.policyName, each.enforcementLevel) for each in found] == [("machine-types", MANDATORY)]


def test_the_message_says_value_and_path(only_1t: Any) -> None:
    message = analyze(only_1t, deployment("ct6e-standard-4t")).diagnostics[0].message

    path = "deployedModels.stable.dedicatedResources.machineSpec.machineType"
    assert f"{path}: 'ct6e-standard-4t' is not a machine type that this stack may use; use ct6e-standard-1t" in message


def test_without_a_list_it_passes(pack: Any) -> None:
    assert not analyze(pack, deployment("ct6e-standard-4t")).diagnostics


def test_an_unknown_value_is_advice_and_no_block(only_1t: Any) -> None:
    found = analyze(only_1t, deployment(UNKNOWN_STRING_VALUE)).diagnostics

    assert [(each.policyName, each.enforcementLevel) for each in found] == [("machine-types-unchecked", ADVISORY)]


def test_other_resources_are_not_applicable(pack: Any) -> None:
    found = analyze(pack, {}, "gcp:storage/bucket:Bucket")

    assert {"machine-types", "machine-types-unchecked"} <= {each.policy_name for each in found.not_applicable}


def test_strict_mode_makes_the_advice_a_block(pack: Any) -> None:
    with configured(pack, "machine-types-unchecked", analyzer_pb2.PolicyConfig(enforcementLevel=MANDATORY)):
        found = analyze(pack, deployment(UNKNOWN_STRING_VALUE)).diagnostics

    assert [(each.policyName, each.enforcementLevel) for each in found] == [("machine-types-unchecked", MANDATORY)]
