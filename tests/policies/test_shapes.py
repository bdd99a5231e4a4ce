"""Family shapes: accelerator type, topology, hosts, runtime version and placement agree."""

from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.shapes import FAMILY, SUBJECTS  # pyright: ignore[reportMissingImports]

from tests.policies.packs import violations

RULE, TWIN = FAMILY.policies()
QUEUED, RAW_QUEUED, VM, POOL, CLUSTER = SUBJECTS
NODE = {"acceleratorType": "v6e-8", "runtimeVersion": "v2-alpha-tpuv6e"}


def slices(token: str, node: Any) -> dict[str, Any]:
    """Inputs of a resource of that type with one node."""
    if token == VM:
        return node
    return {"tpu": {"nodeSpec" if token == QUEUED else "nodeSpecs": [{"node": node}]}}


def by_config(kind: str, topology: str) -> dict[str, Any]:
    """What changes a node to one that is named by generation and topology."""
    return {"acceleratorType": None, "acceleratorConfig": {"type": kind, "topology": topology}}


def pool(machine: Any = "ct6e-standard-4t", topology: Any = "4x4", **more: Any) -> dict[str, Any]:
    """Inputs of a node pool of several hosts."""
    placement = {"type": "COMPACT", "tpuTopology": topology}
    return {"nodeConfig": {"machineType": machine}, "placementPolicy": placement, "nodeCount": 4} | more


def start(token: str, report: list[str]) -> list[str]:
    """The paths of what was reported, from the node on."""
    prefix = "" if token == VM else ("tpu.nodeSpec[0].node." if token == QUEUED else "tpu.nodeSpecs[0].node.")
    return [message.partition(": ")[0].partition(" is not known")[0].removeprefix(prefix) for message in report]


@pytest.mark.parametrize("token", [QUEUED, RAW_QUEUED, VM])
@pytest.mark.parametrize("node", [NODE, {"acceleratorConfig": {"type": "V6E", "topology": "2x4"}}, {}])
def test_a_slice_that_exists_passes(token: str, node: dict[str, Any]) -> None:
    assert violations(RULE, token, slices(token, node)) + violations(TWIN, token, slices(token, node)) == []


@pytest.mark.parametrize("token", [QUEUED, RAW_QUEUED, VM])
@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"acceleratorType": "v6e-7"}, "acceleratorType"),
        ({"acceleratorType": "v5p-8"}, "acceleratorType"),
        ({"runtimeVersion": "v2-alpha-tpuv5-lite"}, "runtimeVersion"),
        (
            {"acceleratorType": None, "acceleratorConfig": {"type": "V6E", "topology": "4x2"}},
            "acceleratorConfig.topology",
        ),
        (by_config("V4", "2x2x1"), "acceleratorConfig.type"),
    ],
)
def test_a_slice_that_does_not_exist_is_refused(token: str, change: dict[str, Any], path: str) -> None:
    assert start(token, violations(RULE, token, slices(token, NODE | change))) == [path]


def test_two_spellings_of_the_accelerator_are_refused() -> None:
    [message] = violations(RULE, VM, NODE | {"acceleratorConfig": {"type": "V6E", "topology": "2x4"}})

    assert "exactly one of acceleratorType" in message


@pytest.mark.parametrize("token", [QUEUED, RAW_QUEUED, VM])
@pytest.mark.parametrize("key", ["acceleratorType", "acceleratorConfig", "runtimeVersion"])
def test_an_unknown_of_a_slice_is_named_by_the_twin_alone(token: str, key: str) -> None:
    unknown = UNKNOWN_OBJECT_VALUE if key == "acceleratorConfig" else UNKNOWN_STRING_VALUE
    node = {name: value for name, value in NODE.items() if not key.startswith("accelerator") or name[:3] != "acc"}
    given = slices(token, node | {key: unknown})

    assert (violations(RULE, token, given), start(token, violations(TWIN, token, given))) == ([], [key])


def test_an_unknown_node_is_named_by_the_twin() -> None:
    [message] = violations(TWIN, QUEUED, slices(QUEUED, UNKNOWN_OBJECT_VALUE))

    assert message.startswith("tpu.nodeSpec[0].node is not known yet")


@pytest.mark.parametrize(
    "given",
    [
        pool(),
        pool(topology="2x4", nodeCount=2),
        pool("ct5lp-hightpu-4t"),
        pool(nodeCount=None, initialNodeCount=4),
        pool(nodeCount=None, autoscaling={"maxNodeCount": 4}),
        {"nodeConfig": {"machineType": "ct6e-standard-8t"}, "nodeCount": 3},
        {"nodeConfig": {"machineType": "tpu7x-standard-4t"}, "placementPolicy": {"policyName": "workload"}},
        {"nodeConfig": {"machineType": "n2-standard-4"}, "placementPolicy": {"type": "COMPACT"}},
        {"nodeCount": 1},
    ],
)
def test_a_node_pool_that_exists_passes(given: dict[str, Any]) -> None:
    assert violations(RULE, POOL, given) + violations(TWIN, POOL, given) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (pool(nodeCount=3), "nodeCount"),
        (pool(nodeCount=None), "nodeCount"),
        (pool(nodeCount=None, initialNodeCount=2), "initialNodeCount"),
        (pool(nodeCount=None, autoscaling={"maxNodeCount": 8}), "autoscaling.maxNodeCount"),
        (pool(nodeCount=None, autoscaling={"totalMaxNodeCount": 4}), "autoscaling.totalMaxNodeCount"),
        (pool(topology="3x3"), "placementPolicy.tpuTopology"),
        (pool("ct6e-standard-8t"), "placementPolicy.tpuTopology"),
        (pool("tpu7x-standard-4t"), "placementPolicy.type"),
    ],
)
def test_a_node_pool_that_does_not_fit_is_refused(given: dict[str, Any], path: str) -> None:
    found = [message.partition(": ")[0] for message in violations(RULE, POOL, given)]

    assert set(found) == {path}


def test_a_node_pool_inside_a_cluster_is_looked_at_too() -> None:
    (message,) = violations(RULE, CLUSTER, {"nodePools": [pool(), pool(nodeCount=3)]})

    assert message.startswith("nodePools[1].nodeCount: 3 does not fit")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (pool(UNKNOWN_STRING_VALUE), "nodeConfig.machineType"),
        (pool(topology=UNKNOWN_STRING_VALUE), "placementPolicy.tpuTopology"),
        (pool(nodeCount=UNKNOWN_NUMBER_VALUE), "nodeCount"),
    ],
)
def test_an_unknown_of_a_node_pool_is_named_by_the_twin_alone(given: dict[str, Any], path: str) -> None:
    [message] = violations(TWIN, POOL, given)

    assert (violations(RULE, POOL, given), message.partition(" ")[0]) == ([], path)


PLACE = ("placementPolicy", "tpuTopology", "policyName")
COUNTS = ("nodeCount", "initialNodeCount", "maxNodeCount", "totalMaxNodeCount")
NAMES = {
    "tpu": ("nodeSpecs", "acceleratorType", "acceleratorConfig", "runtimeVersion"),
    "container": ("machineType", "nodeConfig", *PLACE, *COUNTS),
}


def sources(module: str) -> str:
    """The sources of a module of the bridged provider."""
    folder = Path(str(distribution("pulumi-gcp").locate_file(f"pulumi_gcp/{module}")))
    files = {"tpu": ("v2_vm.py", "v2_queued_resource.py"), "container": ("node_pool.py",)}[module]
    return "".join((folder / name).read_text() for name in ("_inputs.py", *files))


@pytest.mark.parametrize(("module", "names"), NAMES.items())
def test_names_are_those_of_the_bridged_provider(module: str, names: tuple[str, ...]) -> None:
    text = sources(module)

    assert [name for name in names if f'name="{name}"' not in text] == []


@pytest.mark.parametrize(("module", "token"), [("tpu", RAW_QUEUED), ("tpu", VM), ("container", POOL)])
def test_raw_tokens_are_in_the_bridged_provider(module: str, token: str) -> None:
    assert f"'{token}'" in sources(module)
