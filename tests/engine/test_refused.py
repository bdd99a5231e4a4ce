"""What is refused before anything is asked of Google: whole messages, as the engine shows them."""
# ruff: noqa: E501 - whole messages

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from inline_snapshot import snapshot

import tpuserve.resources as r
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.stack import Stack
from tests.engine.program_cli import ProgramCli
from tools.engine import Engine

Preview = Callable[..., Any]
OF_THE_SDK = ("Resource monitor has terminated, shutting down", "\n    error: an unhandled error occurred")
"""What Pulumi adds to every failure."""


def machine(**spec: Any) -> dict[str, Any]:
    return {"machine_spec": {"machine_type": "ct6e-standard-1t", **spec}, "min_replica_count": 1}


def deployment(resources: dict[str, Any], split: dict[str, int] | None = None) -> Callable[[], None]:
    """A Deployment on an endpoint that somebody else made."""
    place = "projects/tpuserve-local/locations/us-east5"
    args: Any = {
        "endpoint": f"{place}/endpoints/e",
        "deployed_models": {"stable": {"model": f"{place}/models/m@1", "dedicated_resources": resources}},
        "traffic_split": split or {"stable": 100},
    }
    return lambda: (r.Deployment("d", args), None)[1]


def slices(node: dict[str, Any] | None = None, params: dict[str, Any] | None = None, **args: Any) -> Callable[[], None]:
    """A queued resource."""
    spec = {
        "node": {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e", **(node or {})},
        "multi_node_params": {"node_count": 3, "workload_type": "AVAILABILITY_OPTIMIZED", **(params or {})},
    }
    given: Any = {"tpu": {"node_spec": [spec]}, **args}
    return lambda: (r.QueuedResource("c", given), None)[1]


@pytest.fixture
def refused(stack: Stack, cloud: Cloud) -> Preview:
    """Previews a program of raw resources and returns the engine's errors, the cloud having heard nothing."""

    def preview(program: Callable[[], None]) -> list[str]:
        run = stack.fails("preview", program)
        assert cloud.control.calls() == []
        return [message for message in run.errors if message != OF_THE_SDK[0]]

    return preview


@pytest.fixture
def stack_file_refused(tmp_path: Path, engine: Engine, cloud: Cloud) -> Preview:
    """Previews the real program with values of its stack file changed, and returns the first error."""

    def preview(changes: dict[str, Any]) -> str:
        program = ProgramCli(engine, tmp_path, cloud.address)
        program.create()
        shown = program.preview({f"tpu-inference:{path}": value for path, value in changes.items()}).stdout
        assert cloud.control.calls() == []
        return dedent(shown[shown.index("    error: ") :].partition(OF_THE_SDK[1])[0])

    return preview


def test_machine_type_without_tpu(refused: Preview) -> None:
    assert refused(deployment(machine(machine_type="n1-standard-4"))) == snapshot(
        [
            "tpuserve:vertex:Deployment resource 'd' has a problem: deployedModels.stable.dedicatedResources.machineSpec.machineType: 'n1-standard-4' is not a TPU machine type of Vertex AI; use ct6e-standard-1t (1 chip), ct6e-standard-4t (4 chips), ct6e-standard-8t (8 chips), ct5lp-hightpu-1t (1 chip), ct5lp-hightpu-4t (4 chips) or ct5lp-hightpu-8t (8 chips)"
        ]
    )


def test_accelerator_type_beside_a_tpu_machine_type(refused: Preview) -> None:
    assert refused(deployment(machine(accelerator_type="TPU_V5_LITEPOD"))) == snapshot(
        [
            "tpuserve:vertex:Deployment resource 'd' has a problem: deployedModels.stable.dedicatedResources.machineSpec.acceleratorType: acceleratorType cannot be given beside 'ct6e-standard-1t': its 1 chip is part of the machine type; remove acceleratorType"
        ]
    )


def test_traffic_that_sums_to_90(refused: Preview) -> None:
    assert refused(deployment(machine(), {"stable": 90})) == snapshot(
        [
            "tpuserve:vertex:Deployment resource 'd' has a problem: trafficSplit: stable 90 sums to 90; shares must sum to 100"
        ]
    )


def test_max_below_min_replicas(refused: Preview) -> None:
    assert refused(deployment({**machine(), "min_replica_count": 3, "max_replica_count": 2})) == snapshot(
        [
            "tpuserve:vertex:Deployment resource 'd' has a problem: deployedModels.stable.dedicatedResources.maxReplicaCount: 2 is below the minimum of 3; give at least 3, or lower the minimum"
        ]
    )


def test_two_faults_at_once(refused: Preview) -> None:
    assert refused(deployment(machine(machine_type="n1-standard-4"), {"stable": 90})) == snapshot(
        [
            "tpuserve:vertex:Deployment resource 'd' has a problem: deployedModels.stable.dedicatedResources.machineSpec.machineType: 'n1-standard-4' is not a TPU machine type of Vertex AI; use ct6e-standard-1t (1 chip), ct6e-standard-4t (4 chips), ct6e-standard-8t (8 chips), ct5lp-hightpu-1t (1 chip), ct5lp-hightpu-4t (4 chips) or ct5lp-hightpu-8t (8 chips)",
            "tpuserve:vertex:Deployment resource 'd' has a problem: trafficSplit: stable 90 sums to 90; shares must sum to 100",
        ]
    )


def test_one_slice(refused: Preview) -> None:
    assert refused(slices(params={"node_count": 1})) == snapshot(
        [
            "tpuserve:tpu:QueuedResource resource 'c' has a problem: tpu.nodeSpec[0].multiNodeParams.nodeCount: 1 is too few: several slices in one request are at least 2; give 2 or more (a single slice is a QueuedResource with a nodeId)"
        ]
    )


def test_size_that_does_not_exist(refused: Preview) -> None:
    assert refused(slices({"accelerator_type": "v6e-5"})) == snapshot(
        [
            "tpuserve:tpu:QueuedResource resource 'c' has a problem: tpu.nodeSpec[0].node.acceleratorType: 'v6e-5' is not an accelerator type; nearest: v6e-4 or v6e-8; allowed: v6e-1, v6e-4, v6e-8, v6e-16, v6e-32, v6e-64, v6e-128 and v6e-256"
        ]
    )


def test_v5e_in_a_collection(refused: Preview) -> None:
    assert refused(slices({"accelerator_type": "v5litepod-8", "runtime_version": "v2-alpha-tpuv5-lite"})) == snapshot(
        [
            "tpuserve:tpu:QueuedResource resource 'c' has a problem: tpu.nodeSpec[0].node.acceleratorType: 'v5litepod-8' is v5e, and collections (workload type AVAILABILITY_OPTIMIZED) exist for Trillium (v6e) only; use a v6e type, or leave the workload type out"
        ]
    )


def test_zone_without_v6e(refused: Preview) -> None:
    assert refused(slices(zone="us-west4-a")) == snapshot(
        [
            "tpuserve:tpu:QueuedResource resource 'c': property zone value {us-west4-a} has a problem: 'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a"
        ]
    )


def test_bad_node_prefix(refused: Preview) -> None:
    assert refused(slices(params={"node_id_prefix": "digits tpu"})) == snapshot(
        [
            "tpuserve:tpu:QueuedResource resource 'c' has a problem: tpu.nodeSpec[0].multiNodeParams.nodeIdPrefix: 'digits tpu' is not a valid node prefix; allowed: letters, digits and _ . ~ + % -"
        ]
    )


def test_every_fault_of_a_stack_file_at_once(stack_file_refused: Preview) -> None:
    changes = {
        "collection.slices": 1,
        "collection.acceleratorType": "v6e-5",
        "collection.nodePrefix": "digits tpu",
        "collection.zone": "us-west4-a",
        "endpoint.variants.stable.machineType": "n1-standard-4",
        "endpoint.variants.stable.minReplicaCount": 3,
        "endpoint.variants.stable.maxReplicaCount": 2,
        "endpoint.trafficSplit.stable": 90,
    }

    assert stack_file_refused(changes) == snapshot("""\
error: 6 faults in the stack's configuration; nothing was asked for:
  tpu-inference:collection.acceleratorType: 'v6e-5' is not an accelerator type; nearest: v6e-4 or v6e-8; allowed: v6e-1, v6e-4, v6e-8, v6e-16, v6e-32, v6e-64, v6e-128 and v6e-256
  tpu-inference:collection.slices: 1 is too few: several slices in one request are at least 2; give 2 or more (a single slice is a QueuedResource with a nodeId)
  tpu-inference:collection.nodePrefix: 'digits tpu' is not a valid node prefix; allowed: letters, digits and _ . ~ + % -
  tpu-inference:endpoint.variants.stable.machineType: 'n1-standard-4' is not a TPU machine type of Vertex AI; use ct6e-standard-1t (1 chip), ct6e-standard-4t (4 chips), ct6e-standard-8t (8 chips), ct5lp-hightpu-1t (1 chip), ct5lp-hightpu-4t (4 chips) or ct5lp-hightpu-8t (8 chips)
  tpu-inference:endpoint.variants.stable.maxReplicaCount: 2 is below the minimum of 3; give at least 3, or lower the minimum
  tpu-inference:endpoint.trafficSplit: stable 90 sums to 90; shares must sum to 100\
""")


def test_stack_file_with_v5e_and_an_accelerator_type(stack_file_refused: Preview) -> None:
    changes = {
        "collection.acceleratorType": "v5litepod-8",
        "endpoint.variants.stable.acceleratorType": "TPU_V5_LITEPOD",
    }

    assert stack_file_refused(changes) == snapshot("""\
error: 3 faults in the stack's configuration; nothing was asked for:
  tpu-inference:collection.acceleratorType: 'v5litepod-8' is v5e, and collections (workload type AVAILABILITY_OPTIMIZED) exist for Trillium (v6e) only; use a v6e type, or leave the workload type out
  tpu-inference:collection.runtimeVersion: 'v2-alpha-tpuv6e' is a runtime version for v6e, and v5litepod-8 is v5e; use v2-alpha-tpuv5-lite
  tpu-inference:endpoint.variants.stable.acceleratorType: acceleratorType cannot be given beside 'ct6e-standard-1t': its 1 chip is part of the machine type; remove acceleratorType\
""")


def test_stack_file_with_a_zone_without_v6e(stack_file_refused: Preview) -> None:
    assert stack_file_refused({"collection.zone": "us-west4-a"}) == snapshot("""\
error: 1 fault in the stack's configuration; nothing was asked for:
  tpu-inference:collection.zone: 'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a\
""")
