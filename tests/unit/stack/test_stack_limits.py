"""The stack's chips against the limits of a policy configuration."""
# ruff: noqa: E501 - whole messages

import json
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.unit.stack.stack import NAMESPACE, config
from tpuserve.stack.config import StackConfigError, read_stack

V6E, VERTEX = "TPUV6EPerProjectPerZoneForTPUAPI", "CustomModelServingV6ETPUPerProjectPerRegion"
SPOT = "CustomModelServingPreemptibleV6ETPUPerProjectPerRegion"
ENOUGH = {V6E: {"*": 999}, VERTEX: {"*": 999}}
FILE = "policy-config.json"
PROJECT = {"tpuserve:project": "acme-prod"}


class Stack:
    """A project with a policy configuration."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, content: Any) -> None:
        (self.root / FILE).write_text(content if isinstance(content, str) else json.dumps(content))

    def faults(self, limits: Any, changes: Any = None, **provider: str) -> list[str]:
        """Of the stack, with these limits by project."""
        self.write({"quotas": {"limits": limits}})
        return self.read(config(changes or {}, **provider))

    def read(self, given: dict[str, str]) -> list[str]:
        try:
            read_stack(given | {f"{NAMESPACE}:limits": FILE}, NAMESPACE, self.root)
        except StackConfigError as error:
            return [str(fault) for fault in error.faults]
        return []


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(tmp_path)


def test_more_chips_than_the_limit(stack: Stack) -> None:
    assert stack.faults({"acme-prod": {**ENOUGH, V6E: {"us-east5-b": 16}}}, project="acme-prod") == snapshot(
        [
            "tpu-inference:limits: quotas.limits.acme-prod.TPUV6EPerProjectPerZoneForTPUAPI.us-east5-b: 24 chips asked for (collection: 3 slices of v6e-8 = 24 chips), the limit of quota 'TPU v6e cores per project per zone' (TPUV6EPerProjectPerZoneForTPUAPI) in us-east5-b of project acme-prod is 16; declare 8 chips fewer, or ask Google for 24 in the console (IAM & Admin > Quotas & System Limits, filter: tpu.googleapis.com/tpu-v6e)"
        ]
    )


def test_a_limit_that_is_just_met_passes(stack: Stack) -> None:
    assert stack.faults({"*": {V6E: {"us-east5-b": 24}, VERTEX: {"us-east5": 1}}}) == []


def test_a_limit_that_is_missing_is_0(stack: Stack) -> None:
    (fault,) = stack.faults({"*": {V6E: {"us-east5-b": 24}}})

    assert f"{VERTEX}.us-east5: 1 chip asked for" in fault
    assert "of the project is 0" in fault


def test_all_hosts_of_a_topology_count(stack: Stack) -> None:
    machine = {"machineType": "ct6e-standard-4t", "tpuTopology": "4x4"}
    (fault,) = stack.faults({"*": {**ENOUGH, VERTEX: {"us-east5": 15}}}, {"endpoint.variants": {"stable": machine}})

    assert "16 chips asked for (variant stable: 1 replica on ct6e-standard-4t as 4x4 = 16 chips)" in fault


def test_replicas_count_at_their_most_and_spot_apart(stack: Stack) -> None:
    machine = {"machineType": "ct6e-standard-1t", "maxReplicaCount": 3}
    variants = {"stable": machine, "cheap": {**machine, "spot": True}}
    changes = {"endpoint.variants": variants, "endpoint.trafficSplit": {"stable": 50, "cheap": 50}}
    spot, stable = sorted(stack.faults({"*": {**ENOUGH, VERTEX: {}}}, changes))

    assert f"{SPOT}.us-east5: 3 chips asked for (variant cheap: at most 3 replicas on ct6e-standard-1t" in spot
    assert f"{VERTEX}.us-east5: 3 chips asked for (variant stable: " in stable


def test_limits_of_the_stack_s_own_project_count(stack: Stack) -> None:
    assert stack.faults({"other-prod": {}, "acme-prod": ENOUGH}, project="acme-prod") == []


def test_of_several_projects_the_stack_names_its_own(stack: Stack) -> None:
    assert stack.faults({"other-prod": {}, "acme-prod": ENOUGH}) == snapshot(
        ["tpuserve:project: missing; the limits are of several projects"]
    )


def test_limits_need_places(stack: Stack) -> None:
    stack.write({"quotas": {"limits": {"*": ENOUGH}}})
    own = {key: value for key, value in config({}).items() if key.startswith(NAMESPACE)}

    assert stack.read(own) == snapshot(
        [
            "tpu-inference:collection.zone: missing; limits are by place, so they cannot be checked without it",
            "tpu-inference:endpoint.location: missing; limits are by place, so they cannot be checked without it",
        ]
    )


def test_a_section_with_a_fault_of_its_own_has_no_totals(stack: Stack) -> None:
    own = stack.faults({"*": {VERTEX: {"*": 1}}}, {"collection.zone": "us-west4-a"})
    shared = stack.faults({"*": {VERTEX: {"*": 1}}}, zone="us-west4-a")

    assert [fault.partition(" has")[0] for fault in own + shared] == [
        "tpu-inference:collection.zone: 'us-west4-a'",
        "tpuserve:zone: 'us-west4-a'",
    ]


def test_a_fault_elsewhere_hides_no_total(stack: Stack) -> None:
    assert len(stack.faults({"*": {VERTEX: {"*": 1}}}, {"model.port": 0})) == 2


def test_a_file_that_is_not_there(stack: Stack) -> None:
    (stack.root / "policy-config.jso").write_text("{}")

    assert stack.read(config({})) == snapshot(
        ["tpu-inference:limits: 'policy-config.json' is not a file of the project; did you mean policy-config.jso?"]
    )


@pytest.mark.parametrize("content", [{}, {"quotas": "mandatory"}, [], {"quotas": {"limits": {}}}])
def test_a_file_without_limits_says_how_to_get_them(stack: Stack, content: Any) -> None:
    stack.write(content)

    assert stack.read(config({})) == [
        "tpu-inference:limits: has no `quotas.limits`; `tpuserve quotas fetch --output` puts them there"
    ]


def test_every_fault_of_the_limits_is_told(stack: Stack) -> None:
    text, unknown, negative = stack.faults({"p": {"TPUV6E": {}, V6E: {"us-east5-b": -2, "us-east5-a": "4"}}})
    path = "tpu-inference:limits: quotas.limits.p"

    assert text == f"{path}.{V6E}.us-east5-a: '4' is a string; give a whole number, without quotes"
    assert unknown.startswith(f"{path}: 'TPUV6E' is no quota of TPU chips; use {V6E}, ")
    assert negative == f"{path}.{V6E}.us-east5-b: -2 is no limit; give 0 or more, -1 for none"


def test_a_file_that_is_no_json(stack: Stack) -> None:
    stack.write("{")
    (fault,) = stack.read(config({}))

    assert fault.startswith("tpu-inference:limits: is not JSON: ")
