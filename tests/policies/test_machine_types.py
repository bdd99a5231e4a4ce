"""Family machine-types: which machine types a stack may use."""
# ruff: noqa: E501 - whole messages

import re
from typing import Any

import pytest
from inline_snapshot import snapshot
from pulumi_policy import EnforcementLevel
from pulumi_policy.policy import _NotApplicableError
from pulumi_policy.proxy import UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.family import Family, PolicyError  # pyright: ignore[reportMissingImports]
from tpuserve.policies.machine_types import FAMILY, SUBJECTS  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT, deployment, violations
from tpuserve import catalog

RULE, TWIN = FAMILY.policies()
ONLY_1T = {"allowed": ["ct6e-standard-1t"]}
POOL = "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool"


def pool(machine_type: str) -> dict[str, Any]:
    return {"dedicatedResources": {"machineSpec": {"machineType": machine_type}}}


def test_a_machine_type_that_check_allows_and_the_stack_does_not() -> None:
    assert violations(RULE, DEPLOYMENT, deployment("ct6e-standard-4t"), ONLY_1T) == snapshot(
        [
            "deployedModels.stable.dedicatedResources.machineSpec.machineType: 'ct6e-standard-4t' is not a machine type that this stack may use; use ct6e-standard-1t, or widen `machine-types.allowed` in the stack's policy configuration"
        ]
    )


def test_that_machine_type_is_valid_for_check() -> None:
    assert catalog.check_machine_type("ct6e-standard-4t") is None


def test_a_machine_type_of_the_stacks_list_passes() -> None:
    assert violations(RULE, DEPLOYMENT, deployment("ct6e-standard-1t"), ONLY_1T) == []


@pytest.mark.parametrize("machine_type", catalog.machine_types())
def test_without_a_list_every_tpu_machine_type_passes(machine_type: str) -> None:
    assert violations(RULE, DEPLOYMENT, deployment(machine_type)) == []


def test_without_a_list_other_machine_types_are_denied() -> None:
    assert len(violations(RULE, DEPLOYMENT, deployment("n1-standard-4"))) == 1


def test_every_variant_is_checked() -> None:
    two = deployment("ct6e-standard-8t")["deployedModels"] | deployment("n1-standard-4", "canary")["deployedModels"]

    reported = violations(RULE, DEPLOYMENT, {"deployedModels": two}, ONLY_1T)

    assert [message.split(".")[1] for message in reported] == ["stable", "canary"]


def test_raw_resources_are_checked_too() -> None:
    assert len(violations(RULE, POOL, pool("ct6e-standard-8t"), ONLY_1T)) == 1


def test_other_machines_of_raw_resources_are_none_of_its_business() -> None:
    assert violations(RULE, POOL, pool("g2-standard-4"), ONLY_1T) == []


def test_other_resources_are_not_applicable() -> None:
    with pytest.raises(_NotApplicableError):
        violations(RULE, "gcp:storage/bucket:Bucket", {})


def test_an_unknown_machine_type_is_no_violation() -> None:
    assert violations(RULE, DEPLOYMENT, deployment(UNKNOWN_STRING_VALUE), ONLY_1T) == []


def test_an_unknown_machine_type_is_named_by_the_twin() -> None:
    assert violations(TWIN, DEPLOYMENT, deployment(UNKNOWN_STRING_VALUE)) == snapshot(
        [
            "deployedModels.stable.dedicatedResources.machineSpec.machineType is not known yet, so machine-types could not be checked here"
        ]
    )


def test_a_wholly_unknown_map_is_named_by_the_twin() -> None:
    assert violations(TWIN, DEPLOYMENT, {"deployedModels": UNKNOWN_OBJECT_VALUE}) == snapshot(
        ["deployedModels is not known yet, so machine-types could not be checked here"]
    )


def test_the_twin_says_nothing_of_what_is_known() -> None:
    assert violations(TWIN, DEPLOYMENT, deployment("n1-standard-4"), ONLY_1T) == []


def test_an_unknown_variant_hides_no_violation_in_another() -> None:
    mixed = {"deployedModels": {"new": UNKNOWN_OBJECT_VALUE, **deployment("ct6e-standard-4t")["deployedModels"]}}

    assert len(violations(RULE, DEPLOYMENT, mixed, ONLY_1T)) == 1


def test_the_rule_blocks_and_the_twin_advises() -> None:
    levels = {policy.name: policy.enforcement_level for policy in FAMILY.policies()}

    assert levels == {
        "machine-types": EnforcementLevel.MANDATORY,
        "machine-types-unchecked": EnforcementLevel.ADVISORY,
    }


@pytest.mark.parametrize(("name", "fits"), [("tpu7x-standard-4t", True), ("ct6e-standard-1t", True), ("n1", False)])
def test_the_configured_list_may_name_tpu_machine_types_only(name: str, fits: bool) -> None:
    assert RULE.config_schema
    assert bool(re.match(RULE.config_schema.properties["allowed"]["items"]["pattern"], name)) is fits


def test_a_newer_machine_type_passes_where_the_stack_names_it() -> None:
    assert violations(RULE, POOL, pool("tpu7x-standard-4t"), {"allowed": ["tpu7x-standard-4t"]}) == []


@pytest.mark.parametrize("name", ["tpu7x-standard-4t", "ct5p-hightpu-4t", "ct4p-hightpu-4t"])
def test_other_generations_are_named_as_not_served(name: str) -> None:
    [message] = violations(RULE, POOL, pool(name))

    assert "on which this project does not serve" in message


@pytest.mark.parametrize("field", ["acceleratorType", "acceleratorCount"])
def test_accelerator_fields_beside_a_tpu_machine_type(field: str) -> None:
    given = pool("ct6e-standard-1t")
    given["dedicatedResources"]["machineSpec"][field] = 1

    [message] = violations(RULE, POOL, given)

    assert message.startswith(f"dedicatedResources.machineSpec.{field}: {field} cannot be given beside")


def test_a_topology_for_a_single_host_is_left_out() -> None:
    given = deployment("ct6e-standard-1t")
    given["deployedModels"]["stable"]["dedicatedResources"]["machineSpec"]["tpuTopology"] = "1x1"

    [message] = violations(RULE, DEPLOYMENT, given)

    assert message.startswith("deployedModels.stable.dedicatedResources.machineSpec.tpuTopology: '1x1' is the shape of")


def test_an_unknown_topology_is_named_by_the_twin() -> None:
    given = deployment("ct6e-standard-4t")
    given["deployedModels"]["stable"]["dedicatedResources"]["machineSpec"]["tpuTopology"] = UNKNOWN_STRING_VALUE

    [message] = violations(TWIN, DEPLOYMENT, given)

    assert message.startswith("deployedModels.stable.dedicatedResources.machineSpec.tpuTopology is not known yet")


def test_a_bug_in_a_rule_names_rule_and_resource() -> None:
    def broken(resource: Any, config: Any) -> None:
        raise ValueError("boom")

    family = Family(name="broken", description="Breaks.", rule=broken, remediation="None.")

    with pytest.raises(PolicyError, match=r"policy broken failed on urn:pulumi:s::p::.*::digits.*boom"):
        violations(family.policies()[0], DEPLOYMENT, {})


@pytest.mark.parametrize("token", [token for token in SUBJECTS if token.startswith("gcp:")])
def test_raw_tokens_are_those_of_the_bridged_provider(token: str) -> None:
    from importlib.metadata import files

    module, noun = token.split(":")[1].split("/", maxsplit=1)[0], token.rsplit(":", 1)[1]
    listed = files("pulumi-gcp") or []
    sources = [file for file in listed if file.parts[:2] == ("pulumi_gcp", module)]

    assert any(f'"{token}"' in file.read_text() or f"'{token}'" in file.read_text() for file in sources), noun
