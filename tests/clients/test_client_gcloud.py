"""gcloud, where it is installed: the commands that the pages show, one after the other; one fact a test."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tpuserve.emulator import Emulator

GCLOUD = shutil.which("gcloud")
pytestmark = [
    pytest.mark.skipif(GCLOUD is None, reason="gcloud is not installed"),
    pytest.mark.xdist_group("clients_gcloud"),
]
QUEUED = ("alpha", "compute", "tpus", "queued-resources")
ZONE, REGION = "--zone=us-east5-b", "--region=us-east5"
SLICES = ("--accelerator-type=v6e-8", "--runtime-version=v2-alpha-tpuv6e", "--node-count=3", "--node-prefix=slice")
DEPLOY = ("--model=digits", "--display-name=d", "--machine-type=ct6e-standard-1t", "--traffic-split=0=100")
COMMANDS: dict[str, tuple[str, ...]] = {
    # as the page about collections writes it, and as gcloud understands it
    "create": (*QUEUED, "create", "pool", ZONE, *SLICES, "--workload-type=AVAILABILITY-OPTIMIZED", "--async"),
    "create collection": (
        *QUEUED, "create", "kept", ZONE, *SLICES[:3], "--workload-type=AVAILABILITY_OPTIMIZED", "--async",
    ),
    "list": (*QUEUED, "list", ZONE),
    "describe": (*QUEUED, "describe", "pool", ZONE),
    "describe collection": (*QUEUED, "describe", "kept", ZONE),
    "delete": (*QUEUED, "delete", "pool", ZONE, "--async"),
    "delete --force": (*QUEUED, "delete", "pool", ZONE, "--force", "--async"),
    "accelerator types": ("compute", "tpus", "tpu-vm", "accelerator-types", "list", ZONE),
    "upload": ("ai", "models", "upload", REGION, "--display-name=d", "--container-image-uri=i", "--model-id=digits"),
    "create endpoint": ("ai", "endpoints", "create", REGION, "--display-name=serving", "--endpoint-id=serving"),
    "deploy": ("ai", "endpoints", "deploy-model", "serving", REGION, *DEPLOY, "--deployed-model-id=7"),
    "predict": ("ai", "endpoints", "predict", "serving", REGION, "--json-request=instances.json"),
    "describe endpoint": ("ai", "endpoints", "describe", "serving", REGION),
    "undeploy": ("ai", "endpoints", "undeploy-model", "serving", REGION, "--deployed-model-id=7"),
    "delete endpoint": ("ai", "endpoints", "delete", "serving", REGION),
    "delete model": ("ai", "models", "delete", "digits", REGION),
}  # fmt: skip
Done = Mapping[str, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def done(emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Every command with what it said, in a folder and a configuration of its own."""
    folder = tmp_path_factory.mktemp("gcloud")
    (folder / "instances.json").write_text('{"instances": [1]}')
    environ = os.environ | _settings(folder, f"http://{emulator.addresses.rest}/")
    return {name: _run(command, folder, environ) for name, command in COMMANDS.items()}


def _settings(folder: Path, url: str) -> dict[str, str]:
    return {
        "CLOUDSDK_CONFIG": str(folder / "configuration"),
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
        "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
        "CLOUDSDK_CORE_PROJECT": "tpuserve-local",
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU": url,
        "CLOUDSDK_API_ENDPOINT_OVERRIDES_AIPLATFORM": url,
    }


def _run(command: tuple[str, ...], folder: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    words = [str(GCLOUD), *command, "--format=json"]
    return subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False)


def said(done: Done, name: str) -> Any:
    assert done[name].returncode == 0, done[name].stderr
    return json.loads(done[name].stdout)


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"delete"}))
def test_a_command_ends_well(done: Done, name: str) -> None:
    assert done[name].returncode == 0, done[name].stderr


def test_the_spelling_of_the_page_never_reaches_the_wire(done: Done) -> None:
    (spec,) = said(done, "describe")["tpu"]["nodeSpec"]

    assert spec["multiNodeParams"] == {"nodeCount": 3, "nodeIdPrefix": "slice"}


def test_the_spelling_of_the_enum_does(done: Done) -> None:
    (spec,) = said(done, "describe collection")["tpu"]["nodeSpec"]

    assert spec["multiNodeParams"]["workloadType"] == "AVAILABILITY_OPTIMIZED"


def test_the_provisioning_model_it_sends_is_kept(done: Done) -> None:
    assert said(done, "describe")["provisioningModel"] == "STANDARD"


def test_requests_are_listed(done: Done) -> None:
    assert [found["name"].rpartition("/")[2] for found in said(done, "list")] == ["pool", "kept"]


def test_an_active_request_is_not_deleted_without_force(done: Done) -> None:
    assert (done["delete"].returncode, "FAILED_PRECONDITION" in done["delete"].stderr) == (1, True)


def test_accelerator_types_are_listed_through_the_older_api(done: Done) -> None:
    assert "v6e-8" in {found["type"] for found in said(done, "accelerator types")}


def test_the_deployed_model_has_the_id_that_was_asked_for(done: Done) -> None:
    assert [found["id"] for found in said(done, "describe endpoint")["deployedModels"]] == ["7"]


def test_a_prediction_is_printed(done: Done) -> None:
    assert said(done, "predict")["predictions"][0]["instance"] == 1
