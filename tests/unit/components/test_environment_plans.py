"""What is around stacks, as plain data: no Pulumi runs here."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pulumi
import pytest
from tpuserve.components.encryption_key import key_args, key_faults, ring_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.gcp import gcp  # pyright: ignore[reportMissingImports]
from tpuserve.components.host_network import network_args, network_faults, subnetwork_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.image_repository import repository_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.model_bucket import bucket_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.pipeline_account import pipeline_faults, role_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.request_log import dataset_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.serving_account import account_args, logs_args  # pyright: ignore[reportMissingImports]
from tpuserve.components.serving_environment import (  # pyright: ignore[reportMissingImports]
    ServingEnvironmentArgs,
    api_args,
    environment_faults,
    environment_plan,
    repository_url,
)
from tpuserve.components.state_store import keys_args  # pyright: ignore[reportMissingImports]

PERMISSIONS = (Path(__file__).parents[3] / "docs" / "permissions.md").read_text(encoding="utf-8")
PLACE = {"project": "acme-serving", "location": "us-east5"}
KEY = "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k"
ENVIRONMENT = {**PLACE, "environment": "prod", "project_number": "123456789012"}
PEOPLE = {"ci": "serviceAccount:ci@acme.iam.gserviceaccount.com"}


def told(faults: Any) -> dict[str, str]:
    return {fault.path: fault.message for fault in faults}


def test_a_key_rotates_every_quarter() -> None:
    assert key_args({**PLACE, "labels": {"team": "vision"}}) == {
        "rotation_period": "7776000s",
        "labels": {"team": "vision"},
    }


def test_a_ring_is_where_the_key_is() -> None:
    assert ring_args({**PLACE, "services": []}) == PLACE


def test_a_mistyped_service_is_named() -> None:
    found = told(key_faults({**PLACE, "services": ["storage", "bigqery"]}))

    assert found["services[1]"].startswith("'bigqery' is no service; did you mean bigquery?")


def test_the_agent_for_boot_disks_needs_the_project_s_number() -> None:
    assert list(told(key_faults({**PLACE, "services": ["compute"]}))) == ["project_number"]


def test_a_place_that_cannot_be_is_refused() -> None:
    assert list(told(key_faults({"project": "X", "location": "us", "services": []}))) == ["project", "location"]


def test_a_place_that_is_not_known_yet_is_no_fault() -> None:
    later = pulumi.Output.from_input("acme-serving")

    assert list(key_faults({"project": later, "location": later, "services": []})) == []


def test_a_label_that_cannot_be_is_refused() -> None:
    assert list(told(key_faults({**PLACE, "services": [], "labels": {"Team": "vision"}}))) == ["labels.Team"]


def test_a_bucket_is_private_and_keeps_what_is_replaced() -> None:
    assert bucket_args(PLACE) == {
        **PLACE,
        "uniform_bucket_level_access": True,
        "public_access_prevention": "enforced",
        "versioning": {"enabled": True},
    }


def test_a_bucket_with_a_name_key_and_labels() -> None:
    found = bucket_args({**PLACE, "bucket_name": "acme-models", "kms_key_name": KEY, "labels": {"a": "b"}})

    assert (found["name"], found["encryption"], found["labels"]) == (
        "acme-models",
        {"default_kms_key_name": KEY},
        {"a": "b"},
    )


def test_a_request_log_with_a_key_that_keeps_thirty_days() -> None:
    assert dataset_args({**PLACE, "dataset_id": "log", "kms_key_name": KEY, "keep_days": 30}) == {
        **PLACE,
        "dataset_id": "log",
        "default_encryption_configuration": {"kms_key_name": KEY},
        "default_partition_expiration_ms": 2_592_000_000,
    }


def test_a_request_log_keeps_everything_where_nothing_is_said() -> None:
    assert "default_partition_expiration_ms" not in dataset_args({**PLACE, "dataset_id": "log"})


@pytest.mark.parametrize(("mutable", "config"), [(None, {"immutable_tags": True}), (False, {"immutable_tags": True})])
def test_tags_of_images_do_not_move(mutable: bool | None, config: dict[str, bool]) -> None:
    args = {**PLACE, "repository_id": "serving", "mutable_tags": mutable}

    assert repository_args(args) == {**PLACE, "repository_id": "serving", "format": "DOCKER", "docker_config": config}


def test_tags_move_where_that_is_asked_for() -> None:
    assert "docker_config" not in repository_args({**PLACE, "repository_id": "serving", "mutable_tags": True})


def test_a_serving_account_writes_logs_and_nothing_else() -> None:
    args = {"project": "acme-serving", "account_id": "serving", "users": PEOPLE}

    assert account_args(args) == {"project": "acme-serving", "account_id": "serving"}
    assert logs_args(args) == {"project": "acme-serving", "role": "roles/logging.logWriter"}


def test_a_network_has_no_subnetworks_that_google_makes() -> None:
    assert network_args({"project": "acme-host"}) == {"project": "acme-host", "auto_create_subnetworks": False}


def test_slices_reach_google_without_external_addresses() -> None:
    args = {"project": "acme-host", "region": "us-east5", "ip_cidr_range": "10.0.0.0/20"}

    assert subnetwork_args(args) == args | {"private_ip_google_access": True}


def test_who_previews_only_decrypts() -> None:
    prod = {"writers": PEOPLE, "readers": {"pr": "group:x"}}

    assert keys_args({**PLACE, "bucket_name": "b", "environments": {"prod": prod}}) == {
        "": {**PLACE, "services": ["storage"]},
        "prod": {**PLACE, "services": [], "users": PEOPLE, "readers": {"pr": "group:x"}},
    }


@pytest.mark.parametrize("does", ["preview", "deploy"])
def test_a_pipeline_has_the_permissions_of_the_page(does: str) -> None:
    found = role_args({"project": "acme-serving", "does": does})

    assert "\n".join(["```text", *found["permissions"], "```"]) in PERMISSIONS


def test_roles_of_pipelines_have_ids_of_their_own() -> None:
    ids = [role_args({"project": "p", "does": does})["role_id"] for does in ("preview", "deploy")]

    assert ids == ["tpuservePreview", "tpuserveDeploy"]


def test_what_previews_changes_nothing() -> None:
    verbs = {each.rpartition(".")[2] for each in role_args({"project": "p", "does": "preview"})["permissions"]}

    assert verbs == {"get", "list"}


def test_a_mistyped_kind_of_pipeline_is_named() -> None:
    args = {"project": "acme-serving", "account_id": "tpu-preview", "does": "previw"}

    assert told(pipeline_faults(args)) == {
        "does": "'previw' is nothing that it does; did you mean preview?; use preview or deploy"
    }


def test_everything_of_an_environment_has_its_label() -> None:
    plan = environment_plan({**ENVIRONMENT, "labels": {"team": "vision"}})

    labels = [plan[part]["labels"] for part in ("encryption", "models", "log")]
    assert labels == [{"team": "vision", "environment": "prod"}] * 3


def test_names_of_an_environment_are_made_of_its_own() -> None:
    plan = environment_plan({**ENVIRONMENT, "environment": "prod-eu"})

    assert (plan["account"]["account_id"], plan["log"]["dataset_id"]) == ("tpu-serving-prod-eu", "request_log_prod_eu")


def test_names_of_an_environment_that_are_given_are_kept() -> None:
    plan = environment_plan({**ENVIRONMENT, "account_id": "a", "dataset_id": "d", "bucket_name": "b", "keep_days": 7})

    assert (plan["account"]["account_id"], plan["log"]["dataset_id"], plan["models"]["bucket_name"]) == ("a", "d", "b")
    assert plan["log"]["keep_days"] == 7


def test_people_of_an_environment_are_let_in_where_they_work() -> None:
    people = {"deployers": {"d": "x"}, "trainers": {"t": "x"}, "analysts": {"a": "x"}}
    plan = environment_plan({**ENVIRONMENT, **people})

    assert (plan["account"]["users"], plan["models"]["writers"], plan["log"]["readers"]) == tuple(people.values())


def test_an_environment_s_key_is_for_all_that_serving_stores() -> None:
    assert set(environment_plan(ENVIRONMENT)["encryption"]["services"]) == {
        "aiplatform",
        "bigquery",
        "compute",
        "storage",
    }


def test_an_environment_whose_name_is_no_label_is_refused() -> None:
    assert list(told(environment_faults({**ENVIRONMENT, "environment": "Prod!"}))) == ["environment"]


def test_an_id_made_of_a_long_name_is_refused_before_google_does() -> None:
    found = told(environment_faults({**ENVIRONMENT, "environment": "production-europe-west4"}))

    assert list(found) == ["account_id"]
    assert "'tpu-serving-production-europe-west4' is not a valid service account id" in found["account_id"]


def test_a_long_name_with_an_id_of_its_own_is_taken() -> None:
    args = {**ENVIRONMENT, "environment": "production-europe-west4", "account_id": "tpu-serving-eu"}

    assert told(environment_faults(args)) == {}


def test_a_project_s_id_is_no_number() -> None:
    assert list(told(environment_faults({**ENVIRONMENT, "project_number": "acme-serving"}))) == ["project_number"]


@pytest.mark.parametrize("addresses", ["10.0.0.0", "10.0.0.1/20", "10.0.0.0/33", "fd00::/64", "x"])
def test_addresses_that_cannot_be_are_refused(addresses: str) -> None:
    args = {"project": "acme-host", "region": "us-east5", "ip_cidr_range": addresses}

    assert list(told(network_faults(args))) == ["ip_cidr_range"]


def test_projects_that_join_are_named_by_id_and_number() -> None:
    joined = {"acme-serving": "123456789012", "123": "acme", "X": pulumi.Output.from_input("1")}
    args = {"project": "acme-host", "region": "us-east5", "ip_cidr_range": "10.0.0.0/20", "service_projects": joined}

    assert list(told(network_faults(args))) == ["service_projects.123", "service_projects.X"]


def test_apis_stay_enabled() -> None:
    assert api_args("tpu") == {"service": "tpu.googleapis.com", "disable_on_destroy": False}


def test_the_url_of_a_repository() -> None:
    assert repository_url({**PLACE, "repository": "serving"}) == "us-east5-docker.pkg.dev/acme-serving/serving"


def test_every_argument_of_an_environment_has_words() -> None:
    from tpuserve.resources.fields import docs_of

    assert set(docs_of(ServingEnvironmentArgs)) == set(ServingEnvironmentArgs.__annotations__)


def test_without_pulumi_gcp_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pulumi_gcp", None)
    monkeypatch.delitem(sys.modules, "pulumi_gcp.kms", raising=False)

    with pytest.raises(pulumi.RunError, match="pip install pulumi-gcp"):
        gcp("kms")


def test_a_module_of_pulumi_gcp_is_loaded_without_its_own_warnings() -> None:
    """In a process of its own, where none is loaded yet and a warning is an error: this one warns at import."""
    code = "from tpuserve.components.gcp import gcp; gcp('storage')"

    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
