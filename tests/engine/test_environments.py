"""The projects of examples/environments, with the stack files that they have, on the stand-in for the bridged provider:
it proves types and order, nothing else. And what a stack reads of another one.
"""

import os
import runpy
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from tpuserve.components.serving_environment import APIS  # pyright: ignore[reportMissingImports]

from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.run import Run
from tests.engine.harness.stack import Stack
from tests.gcp.installed import install
from tools.engine import Engine
from tpuserve import catalog
from tpuserve.stack.contracts import EnvironmentContract
from tpuserve.stack.decoding import camel
from tpuserve.stack.references import read_contract

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("environments")]
PROJECTS = Path(__file__).parents[2] / "examples" / "environments"
STACKS = {"bootstrap": "shared", "network": "shared", "registry": "shared", "serving": "prod"}
HERE = "organization/p/t"
"""All of them are one stack in these tests, so each finds the others' outputs among its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherContract:
    """What no stack here gives."""

    labels: str = field(metadata={"doc": "a text"})
    networks: str = field(metadata={"doc": "several networks"})
    token: str = field(metadata={"doc": "a token"})


def run_projects(*names: str) -> None:
    """The programs of these projects, one after the other."""
    for name in names:
        runpy.run_path(str(PROJECTS / name / "__main__.py"))


def shared() -> None:
    run_projects("bootstrap", "network", "registry")


def everything() -> None:
    run_projects(*STACKS)
    pulumi.export("token", pulumi.Output.secret("hush"))


def reader() -> None:
    """A stack that finds the environment in another one, and not what else it needs."""
    found = read_contract(EnvironmentContract, HERE)
    pulumi.log.info(f"read {found.model_bucket} {found.request_log_percent} {found.labels} {found.network}")
    read_contract(OtherContract, HERE)


def stranger() -> None:
    read_contract(EnvironmentContract, "organization/p/nowhere")


class Projects(Stack):
    """A stack with the configuration of all of them."""

    def own_config(self, cloud: Cloud, owner: str) -> dict[str, Any]:
        config = super().own_config(cloud, owner)
        for project, stack in STACKS.items():
            text = (PROJECTS / project / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
            config |= yaml.safe_load(text)["config"]
        return config | {"tpu-serving:network": HERE, "tpu-serving:registry": HERE}


@pytest.fixture(scope="module")
def stack(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with clouds.running() as cloud:
        made = Projects(tmp_path_factory.mktemp("environments") / "stack", engine, cloud)
        install(made.folder / "gcp")
        yield made
        made.stop()


def updated(stack: Stack, program: Any) -> Run:
    path = os.pathsep.join([str(stack.folder / "gcp"), stack.environ["PATH"]])
    found = stack.begin("up", program, PATH=path).wait()
    assert found.code == 0, found.output
    return found


@pytest.fixture(scope="module")
def first(stack: Stack) -> Run:
    """What all environments share is made."""
    return updated(stack, shared)


@pytest.fixture(scope="module")
def second(first: Run, stack: Stack) -> Run:
    """An environment is made, which reads what the first run gave."""
    return updated(stack, everything)


@pytest.fixture(scope="module")
def made(second: Run, stack: Stack) -> dict[str, dict[str, Any]]:
    """What the state has, by name."""
    return {each["urn"].rpartition("::")[2]: each for each in stack.export()["deployment"]["resources"]}


@pytest.fixture(scope="module")
def read(second: Run, stack: Stack) -> Run:
    """A preview of a stack that reads what the other one gives."""
    return stack.fails("preview", reader)


def moment(up: Run, kind: str, name: str) -> int:
    """When the engine began with a resource, or was done with it: a place among its events."""
    metas = [event.get(kind, {}).get("metadata", {}) for event in up.events]
    return [meta.get("urn", "").rpartition("::")[2] for meta in metas].index(name)


@pytest.mark.parametrize(
    ("encrypted", "grant"),
    [("states-bucket", "states-key-storage-grant"), ("images-repository", "images-artifactregistry-grant")],
)
def test_a_shared_key_s_grants_are_there_before_it_is_used(first: Run, encrypted: str, grant: str) -> None:
    assert moment(first, "resOutputsEvent", grant) < moment(first, "resourcePreEvent", encrypted)


@pytest.mark.parametrize("service", ["storage", "bigquery", "compute", "aiplatform"])
@pytest.mark.parametrize("encrypted", ["prod-models-bucket", "prod-log-dataset"])
def test_an_environment_s_grants_are_there_before_its_key_is_used(second: Run, encrypted: str, service: str) -> None:
    granted = moment(second, "resOutputsEvent", f"prod-encryption-{service}-grant")

    assert granted < moment(second, "resourcePreEvent", encrypted)


def test_what_is_encrypted_depends_on_the_grants(made: dict[str, dict[str, Any]]) -> None:
    depends = {urn.rpartition("::")[2] for urn in made["prod-models-bucket"]["dependencies"]}

    assert depends >= {f"prod-encryption-{service}-grant" for service in ("aiplatform", "bigquery", "compute")}


@pytest.mark.parametrize("api", APIS)
def test_an_api_is_enabled_before_anything_is_made(second: Run, api: str) -> None:
    enabled = moment(second, "resOutputsEvent", f"prod-{api}-api")

    begun = [moment(second, "resourcePreEvent", f"prod-{each}") for each in ("encryption-ring", "account-account")]
    assert enabled < min(begun)


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("prod-encryption-compute-grant", "serviceAccount:service-123456789013@compute-system.iam.gserviceaccount.com"),
        ("prod-aiplatform-reader", "serviceAccount:service-123456789013@gcp-sa-aiplatform.iam.gserviceaccount.com"),
        ("shared-acme-prod-agent", "serviceAccount:service-123456789013@gcp-sa-tpu.iam.gserviceaccount.com"),
        ("prod-encryption-storage-grant", "getProjectServiceAccount@stand-in"),
        ("prod-encryption-aiplatform-grant", "ServiceIdentity/prod-encryption-aiplatform-agent"),
        ("prod-models-serving-reader", "Account/prod-account-account"),
        ("states-prod-key-deploy-user", "Account/prod-deploy-account"),
        ("states-prod-key-preview-reader", "Account/prod-preview-account"),
    ],
)
def test_who_is_granted(made: dict[str, dict[str, Any]], name: str, member: str) -> None:
    assert made[name]["inputs"]["member"] == member


def test_every_role_is_one_of_the_page_or_a_custom_one(made: dict[str, dict[str, Any]]) -> None:
    roles = {
        each["inputs"]["role"] for each in made.values() if "IAMMember" in each["type"] or "IamMember" in each["type"]
    }
    known = {grant.role for grant in catalog.grants().values()}

    assert {role for role in roles if not role.startswith("IAMCustomRole/")} <= known


def test_a_preview_s_key_is_its_environment_s_alone(made: dict[str, dict[str, Any]]) -> None:
    grants = [each["inputs"] for each in made.values() if each["type"].endswith("CryptoKeyIAMMember")]

    keys = {grant["cryptoKeyId"] for grant in grants if grant["member"] == "Account/dev-preview-account"}
    assert keys == {"CryptoKey/states-dev-key-key"}


@pytest.mark.parametrize("name", ["prod-encryption-key", "prod-models-bucket", "prod-log-dataset"])
def test_labels_reach_everything_that_has_any(made: dict[str, dict[str, Any]], name: str) -> None:
    assert made[name]["inputs"]["labels"] == {"environment": "prod", "team": "ml-platform"}


def test_rings_and_keys_are_retained(made: dict[str, dict[str, Any]]) -> None:
    kept = {each["type"] for each in made.values() if each.get("retainOnDelete")}

    assert kept == {"gcp:kms/keyRing:KeyRing", "gcp:kms/cryptoKey:CryptoKey"}


def test_the_bucket_of_the_states_is_protected(made: dict[str, dict[str, Any]]) -> None:
    assert [name for name, each in made.items() if each.get("protect")] == ["states-bucket"]


def test_another_stack_reads_the_environment(read: Run) -> None:
    labels = {"environment": "prod", "team": "ml-platform"}

    assert f"read gs://acme-prod-models 1 {labels} Network/shared-network" in read.output


def test_what_is_missing_or_of_a_wrong_type_is_told_before_anything_is_asked_for(read: Run) -> None:
    assert read.errors[0].splitlines() == [
        "stack organization/p/t does not give what this stack needs, 3 faults; nothing was asked for:",
        "  token: is a secret, and no contract has any; let that stack export it as it is",
        "  labels: {'environment': 'prod', 'team': 'ml-platform'} is an object; give a string",
        "  networks: missing; give several networks; did you mean network?",
    ]


def test_a_stack_that_is_not_there_is_told(second: Run, stack: Stack) -> None:
    assert "stack organization/p/nowhere cannot be read" in stack.fails("preview", stranger).output


def test_every_output_of_the_contract_is_given(second: Run, stack: Stack) -> None:
    assert {camel(each.name) for each in fields(EnvironmentContract)} <= set(stack.outputs())
