"""The objects of examples/gitops/operator, by names and types that the operator's CRD of v2.9.0 gives its fields."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.gitops.conftest import ROOT

FOLDER = ROOT / "examples" / "gitops" / "operator"
SOURCE = "pulumi/pulumi-kubernetes-operator v2.9.0, deploy/crds/pulumi.com_stacks.yaml, version v1"
FIELDS: dict[str, Any] = {
    "spec.stack": str,
    "spec.preview": bool,
    "spec.projectRepo": str,
    "spec.branch": str,
    "spec.backend": str,
    "spec.useLocalStackOnly": bool,
    "spec.refresh": bool,
    "spec.continueResyncOnCommitMatch": bool,
    "spec.resyncFrequencySeconds": int,
    "spec.retryMaxBackoffDurationSeconds": int,
    "spec.destroyOnFinalize": bool,
    "spec.serviceAccountName": str,
    "spec.workspaceTemplate.spec.image": str,
    "spec.workspaceTemplate.spec.securityProfile": str,
    "spec.workspaceTemplate.spec.podTemplate.spec.terminationGracePeriodSeconds": int,
    "spec.workspaceTemplate.spec.podTemplate.spec.containers": list,
}
STACKS = ("preview.yaml", "apply.yaml")


def objects(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8")))


def leaves(given: Any, path: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(given, dict):
        yield path, given
        return
    for key, value in given.items():
        yield from leaves(value, f"{path}.{key}")


def spec(name: str) -> dict[str, Any]:
    [found] = objects(name)
    return found["spec"]


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_has_fields_that_the_operator_knows(name: str) -> None:
    assert {(path, type(value)) for path, value in leaves(spec(name), "spec")} <= set(FIELDS.items()), SOURCE


@pytest.mark.parametrize("name", STACKS)
def test_a_stack_is_of_the_version_that_is_stored(name: str) -> None:
    [found] = objects(name)

    assert (found["apiVersion"], found["kind"]) == ("pulumi.com/v1", "Stack")


def test_who_previews_never_updates_and_has_the_account_that_reads() -> None:
    assert (spec("preview.yaml")["preview"], spec("preview.yaml")["serviceAccountName"]) == (True, "tpu-preview")
    assert ("preview" in spec("apply.yaml"), spec("apply.yaml")["serviceAccountName"]) == (False, "tpu-deploy")


def test_both_are_of_one_stack_and_what_is_approved_is_another_branch() -> None:
    before, after = spec("preview.yaml"), spec("apply.yaml")

    assert [before[key] == after[key] for key in ("stack", "backend", "projectRepo", "branch")] == [True] * 3 + [False]


@pytest.mark.parametrize("name", STACKS)
def test_drift_is_looked_for_without_a_commit(name: str) -> None:
    assert spec(name)["refresh"]
    assert spec(name)["continueResyncOnCommitMatch"]


@pytest.mark.parametrize("name", STACKS)
def test_to_delete_the_object_deletes_nothing(name: str) -> None:
    assert spec(name)["destroyOnFinalize"] is False


@pytest.mark.parametrize("name", STACKS)
def test_its_account_is_one_of_those_that_are_made(name: str) -> None:
    made = {each["metadata"]["name"] for each in objects("accounts.yaml") if each["kind"] == "ServiceAccount"}

    assert spec(name)["serviceAccountName"] in made


@pytest.mark.parametrize("name", STACKS)
def test_it_is_in_the_namespace_of_the_accounts(name: str) -> None:
    [namespace] = [each["metadata"]["name"] for each in objects("accounts.yaml") if each["kind"] == "Namespace"]

    assert objects(name)[0]["metadata"]["namespace"] == namespace


def test_no_object_holds_a_secret() -> None:
    kinds = {each["kind"] for file in Path(FOLDER).glob("*.yaml") for each in objects(file.name)}

    assert "Secret" not in kinds
