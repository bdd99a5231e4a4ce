"""What stacks give to one another: every output that is not as the contract says, at once."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tpuserve.stack.contracts import (
    ContractError,
    EnvironmentContract,
    NetworkContract,
    RegistryContract,
    fulfilled,
    outputs_of,
)
from tpuserve.stack.decoding import camel

PAGE = (Path(__file__).parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")
ENVIRONMENT = {"serviceAccount": "serving@acme.iam.gserviceaccount.com", "modelBucket": "gs://acme-models"}
NETWORK = {"network": "projects/h/global/networks/n", "subnetwork": "projects/h/regions/us-east5/subnetworks/s"}


def faults(contract: type, outputs: dict[str, Any]) -> list[str]:
    with pytest.raises(ContractError) as error:
        fulfilled(contract, "organization/p/s", outputs)
    return [str(fault) for fault in error.value.faults]


def test_outputs_as_they_should_be() -> None:
    assert fulfilled(NetworkContract, "s", NETWORK) == NetworkContract(**NETWORK)


def test_what_may_be_left_out_has_a_default() -> None:
    found = fulfilled(EnvironmentContract, "s", ENVIRONMENT)

    assert (found.kms_key_name, found.request_log_percent, found.labels) == (None, 10, {})


def test_outputs_beyond_the_contract_are_the_other_stack_s_own() -> None:
    assert fulfilled(NetworkContract, "s", {**NETWORK, "addresses": [1]}) == NetworkContract(**NETWORK)


def test_every_fault_is_told_at_once() -> None:
    assert faults(RegistryContract, {"project": 3, "location": ["us-east5"]}) == [
        "project: 3 is a number; give a string",
        "location: ['us-east5'] is a list; give a string",
        "repository: missing; give the id of the repository; it gives nothing else",
    ]


def test_an_output_under_a_similar_name_is_proposed() -> None:
    [fault] = faults(NetworkContract, {"network": "n", "subnetworks": "s"})

    assert fault.endswith("did you mean subnetworks?")


def test_other_outputs_are_named_where_none_is_similar() -> None:
    [fault] = faults(NetworkContract, {"network": "n", "addresses": [], "hosts": []})

    assert fault.endswith("it gives addresses and hosts")


def test_a_label_that_is_no_text_is_named() -> None:
    assert faults(EnvironmentContract, {**ENVIRONMENT, "labels": {"team": 3}}) == [
        "labels.team: 3 is a number; give a string"
    ]


def test_a_secret_is_refused_and_not_shown() -> None:
    with pytest.raises(ContractError) as error:
        fulfilled(NetworkContract, "s", {**NETWORK, "network": "hush"}, ["network", "token"])

    assert [str(fault) for fault in error.value.faults] == [
        "network: is a secret, and no contract has any; let that stack export it as it is"
    ]


def test_the_message_names_the_stack() -> None:
    with pytest.raises(ContractError, match=r"^stack organization/p/s does not give what this stack needs, 2 faults"):
        fulfilled(NetworkContract, "organization/p/s", {})


@pytest.mark.parametrize("contract", [NetworkContract(**NETWORK), fulfilled(EnvironmentContract, "s", ENVIRONMENT)])
def test_what_is_exported_is_read_back(contract: Any) -> None:
    assert fulfilled(type(contract), "s", outputs_of(contract)) == contract


@pytest.mark.parametrize("output", dataclasses.fields(EnvironmentContract), ids=lambda each: each.name)
def test_every_output_has_its_row(output: dataclasses.Field[Any]) -> None:
    required = "required" if output.default is output.default_factory is dataclasses.MISSING else ""

    assert f"| `{camel(output.name)}` | {output.metadata['doc']} | {required}".rstrip() in PAGE


def test_the_message_of_the_page_is_the_code_s() -> None:
    given = {"serviceAccounts": "a", "modelBucket": "gs://b", "labels": {"team": 3}}

    with pytest.raises(ContractError) as error:
        fulfilled(EnvironmentContract, "organization/tpu-serving/prod", given)

    assert f"```\n{error.value}\n```" in PAGE
