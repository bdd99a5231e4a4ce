"""The surroundings of stacks on the stand-in for the bridged provider, which proves types and order, nothing else; and
what a stack of another project reads of them."""

import os
from collections.abc import Iterator
from typing import Any

import pulumi
import pytest
from tpuserve.components import (  # pyright: ignore[reportMissingImports]
    EncryptionKey,
    HostNetwork,
    ImageRepository,
    ServingEnvironment,
    StateStore,
)
from tpuserve.components.serving_environment import APIS  # pyright: ignore[reportMissingImports]

from tests.engine.harness import cloud as clouds
from tests.engine.harness.run import Run
from tests.engine.harness.stack import Stack
from tests.gcp.installed import install
from tools.engine import Engine
from tpuserve.stack.contracts import EnvironmentContract, RegistryContract
from tpuserve.stack.references import read_contract

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("environments")]
PLACE = {"project": "acme-serving", "location": "us-east5"}
CI = {"ci": "serviceAccount:ci@acme.iam.gserviceaccount.com"}
LABELS = {"team": "vision"}
OTHER = "organization/p/t"


def surroundings() -> None:
    """Everything that a platform team has, once."""
    state: Any = {**PLACE, "bucket_name": "acme-states", "writers": CI, "readers": CI, "labels": LABELS}
    StateStore("state", state)
    key: Any = {**PLACE, "services": ["artifactregistry"], "labels": LABELS}
    images = EncryptionKey("images", key)
    registry: Any = {**PLACE, "repository_id": "serving", "kms_key_name": images.key_name, "writers": CI}
    ImageRepository("registry", registry)
    network: Any = {"project": "acme-host", "region": "us-east5", "ip_cidr_range": "10.0.0.0/20", "users": CI}
    host = HostNetwork("host", {**network, "service_projects": {"acme-serving": "123456789012"}})
    repository = {**PLACE, "repository": "serving"}
    people = {"deployers": CI, "trainers": CI, "analysts": CI, "repository": repository, "keep_days": 30}
    place: Any = {**PLACE, "project_number": "123456789012", "environment": "prod"}
    made = ServingEnvironment("prod", {**place, **people, "labels": LABELS})
    for name, value in {**made.outputs, "network": host.network_name, "subnetwork": host.subnetwork_name}.items():
        pulumi.export(name, value)
    pulumi.export("project", ["acme"])
    pulumi.export("requestLogPercent", 25)
    pulumi.export("locations", "us-east5")


def reader() -> None:
    """A stack that finds the environment, and no registry, in another stack; here both are one."""
    found = read_contract(EnvironmentContract, OTHER)
    pulumi.log.info(f"read {found.model_bucket} {found.request_log_percent} {found.labels}")
    read_contract(RegistryContract, OTHER)


def stranger() -> None:
    read_contract(EnvironmentContract, "organization/p/nowhere")


@pytest.fixture(scope="module")
def stack(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with clouds.running() as cloud:
        made = Stack(tmp_path_factory.mktemp("environments") / "stack", engine, cloud)
        install(made.folder / "gcp")
        yield made
        made.stop()


@pytest.fixture(scope="module")
def up(stack: Stack) -> Run:
    path = os.pathsep.join([str(stack.folder / "gcp"), stack.environ["PATH"]])
    found = stack.begin("up", surroundings, PATH=path).wait()
    assert found.code == 0, found.output
    return found


@pytest.fixture(scope="module")
def made(up: Run, stack: Stack) -> dict[str, dict[str, Any]]:
    """What the state has, by name."""
    return {each["urn"].rpartition("::")[2]: each for each in stack.export()["deployment"]["resources"]}


@pytest.fixture(scope="module")
def read(up: Run, stack: Stack) -> Run:
    """A preview of a stack that reads what the other one gives."""
    return stack.fails("preview", reader)


def moment(up: Run, kind: str, name: str) -> int:
    """When the engine began with a resource, or was done with it: a place among its events."""
    metas = [event.get(kind, {}).get("metadata", {}) for event in up.events]
    return [meta.get("urn", "").rpartition("::")[2] for meta in metas].index(name)


@pytest.mark.parametrize(
    ("encrypted", "grant"),
    [
        ("state-bucket", "state-key-storage-grant"),
        ("registry-repository", "images-artifactregistry-grant"),
        ("prod-models-bucket", "prod-encryption-storage-grant"),
        ("prod-log-dataset", "prod-encryption-bigquery-grant"),
    ],
)
def test_a_key_s_grants_are_there_before_it_is_used(up: Run, encrypted: str, grant: str) -> None:
    assert moment(up, "resOutputsEvent", grant) < moment(up, "resourcePreEvent", encrypted)


def test_what_is_encrypted_depends_on_the_grants(made: dict[str, dict[str, Any]]) -> None:
    depends = {urn.rpartition("::")[2] for urn in made["prod-models-bucket"]["dependencies"]}

    assert depends >= {f"prod-encryption-{service}-grant" for service in ("aiplatform", "bigquery", "compute")}


@pytest.mark.parametrize("api", APIS)
def test_an_api_is_enabled_before_anything_is_made(up: Run, api: str) -> None:
    enabled = moment(up, "resOutputsEvent", f"prod-{api}-api")

    assert enabled < min(
        moment(up, "resourcePreEvent", f"prod-{each}") for each in ("encryption-ring", "account-account")
    )


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("prod-encryption-compute-grant", "serviceAccount:service-123456789012@compute-system.iam.gserviceaccount.com"),
        ("host-acme-serving-agent", "serviceAccount:service-123456789012@gcp-sa-tpu.iam.gserviceaccount.com"),
        ("prod-encryption-storage-grant", "getProjectServiceAccount@stand-in"),
        ("prod-encryption-aiplatform-grant", "ServiceIdentity/prod-encryption-aiplatform-agent"),
        ("prod-models-serving-reader", "Account/prod-account-account"),
    ],
)
def test_who_is_granted(made: dict[str, dict[str, Any]], name: str, member: str) -> None:
    assert made[name]["inputs"]["member"] == member


def test_labels_reach_everything_that_has_any(made: dict[str, dict[str, Any]]) -> None:
    labelled = ("prod-encryption-key", "prod-models-bucket", "prod-log-dataset")

    assert [made[name]["inputs"]["labels"] for name in labelled] == [{"environment": "prod", "team": "vision"}] * 3


def test_rings_and_keys_are_retained(made: dict[str, dict[str, Any]]) -> None:
    kept = {each["type"] for each in made.values() if each.get("retainOnDelete")}

    assert kept == {"gcp:kms/keyRing:KeyRing", "gcp:kms/cryptoKey:CryptoKey"}


def test_the_bucket_of_the_states_is_protected(made: dict[str, dict[str, Any]]) -> None:
    assert [name for name, each in made.items() if each.get("protect")] == ["state-bucket"]


def test_another_stack_reads_the_environment(read: Run) -> None:
    assert "read gs://prod-models-bucket 25 {'environment': 'prod', 'team': 'vision'}" in read.output


def test_what_is_missing_or_of_a_wrong_type_is_told_before_anything_is_asked_for(read: Run) -> None:
    assert read.errors[0].splitlines() == [
        "stack organization/p/t does not give what this stack needs, 3 faults; nothing was asked for:",
        "  project: ['acme'] is a list; give a string",
        "  location: missing; give the region of the repository; did you mean locations?",
        "  repository: missing; give the id of the repository; did you mean repositoryUrl?",
    ]


def test_a_stack_that_is_not_there_is_told(up: Run, stack: Stack) -> None:
    assert "stack organization/p/nowhere cannot be read" in stack.fails("preview", stranger).output
