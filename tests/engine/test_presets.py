"""Container presets on the real engine: what the servers were started with, and that they answer."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tpuserve.components import ServingEndpoint, ServingModel  # pyright: ignore[reportMissingImports]

from tests.emulator.google import Google
from tests.engine.harness import cloud as clouds
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.project import ROOT, ProjectStack
from tests.engine.harness.stack import Stack
from tests.engine.serving_container import CUSTOM, PYTORCH, TENSORFLOW
from tests.least import least
from tools.engine import Engine
from tpuserve.emulator import Settings
from tpuserve.emulator.settings import Launch

pytestmark = pytest.mark.xdist_group("presets")

TENSORFLOW_IMAGE = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest"
PYTORCH_IMAGE = "us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest"
MIRROR = "europe-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-17:latest"
IMAGES = {TENSORFLOW_IMAGE: TENSORFLOW, MIRROR: TENSORFLOW, PYTORCH_IMAGE: PYTORCH, "i:1": CUSTOM}
ALIASES = ["rank", 'it\'s a "function"', "$(HOME)\\n", "naïve"]
ARTIFACT = "gs://bucket/model"
OWN = {
    "image_uri": "i:1",
    "predict_route": "/predict",
    "health_route": "/health",
    "port": 9000,
    "args": ["--folder", "$(AIP_STORAGE_URI)", "$$(AIP_STORAGE_URI)"],
    "env": {"TOKEN": "t"},
}
MODELS: dict[str, dict[str, Any]] = {
    "manual": {"preset": "tensorflow_manual"},
    "automatic": {"preset": "tensorflow_automatic"},
    "partitioned": {"preset": "tensorflow_partitioned", "tpu_functions": ALIASES},
    "mirror": {"preset": "tensorflow_partitioned", "tpu_functions": ["f"], "image_uri": MIRROR},
    "torch": {"preset": "pytorch"},
    "own": {"preset": "custom", **OWN},
}
SPECS: dict[str, dict[str, Any]] = {
    "manual": {"imageUri": TENSORFLOW_IMAGE, "args": ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"]},
    "automatic": {"imageUri": TENSORFLOW_IMAGE},
    "mirror": {
        "imageUri": MIRROR,
        "args": ["--converter_options_string='tpu_functions { function_alias: \"f\" }'"],
    },
    "torch": {
        "imageUri": PYTORCH_IMAGE,
        "predictRoute": "/predictions/model",
        "healthRoute": "/ping",
        "ports": [{"containerPort": 8080}],
    },
}
STARTED: dict[str, dict[str, Any]] = {
    "manual": {"kind": TENSORFLOW, "optimized": "manually"},
    "automatic": {"kind": TENSORFLOW, "optimized": "automatically"},
    "partitioned": {"kind": TENSORFLOW, "optimized": "by functions", "functions": ALIASES},
    "mirror": {"kind": TENSORFLOW, "optimized": "by functions", "functions": ["f"]},
    "torch": {"kind": PYTORCH},
    "own": {"kind": CUSTOM, "arguments": ["--folder", ARTIFACT, "$(AIP_STORAGE_URI)"], "TOKEN": "t"},
}


def serving(models: dict[str, dict[str, Any]]) -> Callable[[], None]:
    """A program with each of the models on an endpoint of its own."""

    def run() -> None:
        for name, args in models.items():
            model = ServingModel(name, {"display_name": name, "artifact_uri": ARTIFACT, **args})
            variant = {"model": model.version_name, "machine_type": "ct5lp-hightpu-1t"}
            ServingEndpoint(name, {"display_name": name, "variants": {"stable": variant}})

    return run


def settings() -> Settings:
    command = [sys.executable, "-m", "tests.engine.serving_container"]
    return least(images={image: Launch(command=[*command, kind], cwd=str(ROOT)) for image, kind in IMAGES.items()})


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    """An emulator in which each image is the container that stands for it."""
    with clouds.running(settings()) as cloud:
        yield cloud


@pytest.fixture(scope="module")
def presets(cloud: Cloud, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack that serves every model."""
    stack = Stack(tmp_path_factory.mktemp("presets"), engine, cloud)
    stack.up(serving(MODELS))
    yield stack
    stack.stop()


def predict(hand: Google, cloud: Cloud, name: str) -> dict[str, Any]:
    """What the only prediction of a request to that endpoint says."""
    endpoint = cloud.endpoint(name)["name"]
    answered = hand.predictions.predict(endpoint=endpoint, instances=[7.0])
    [prediction] = type(answered).to_dict(answered)["predictions"]
    return prediction


@pytest.mark.parametrize("name", SPECS)
def test_google_is_asked_for_the_container_of_the_page(presets: Stack, cloud: Cloud, name: str) -> None:
    calls = [call["request"]["model"] for call in cloud.control.calls() if call["method"] == "UploadModel"]

    assert [model["containerSpec"] for model in calls if model["displayName"] == name] == [SPECS[name]]


@pytest.mark.parametrize("name", MODELS)
def test_a_prediction_is_answered_by_a_server_that_was_started_so(
    presets: Stack, cloud: Cloud, hand: Google, name: str
) -> None:
    answer = predict(hand, cloud, name)

    assert {key: value for key, value in answer.items() if key != "environment"} == {"instance": 7, **STARTED[name]}


@pytest.mark.parametrize("name", MODELS)
def test_the_server_knows_where_its_model_is(presets: Stack, cloud: Cloud, hand: Google, name: str) -> None:
    environment = predict(hand, cloud, name)["environment"]

    assert environment["AIP_STORAGE_URI"] == ARTIFACT


@pytest.mark.parametrize("name", MODELS)
def test_the_server_has_its_routes(presets: Stack, cloud: Cloud, hand: Google, name: str) -> None:
    [deployed] = cloud.endpoint(name)["deployedModels"]
    endpoint = cloud.endpoint(name)["name"].rpartition("/")[2]
    default = f"/v1/endpoints/{endpoint}/deployedModels/{deployed['id']}"
    routes = {"torch": ("/predictions/model", "/ping"), "own": ("/predict", "/health")}

    environment = predict(hand, cloud, name)["environment"]

    found = (environment["AIP_PREDICT_ROUTE"], environment["AIP_HEALTH_ROUTE"])
    assert found == routes.get(name, (f"{default}:predict", default))


def test_a_preview_afterwards_finds_nothing_to_do(presets: Stack, cloud: Cloud) -> None:
    with cloud.recorded() as calls:
        presets.unchanged(serving(MODELS))

    assert calls.changing == []


def test_a_server_that_is_started_otherwise_does_not_come_up(stack: Stack) -> None:
    half = {"image_uri": TENSORFLOW_IMAGE, "args": ["--disable_optimizer=true"]}

    run = stack.fails("up", serving({"half": half}))

    assert "--saved_model_tags=serve,tpu and --disable_optimizer=true belong together" in run.output


def test_the_stack_file_says_a_preset(tmp_path: Path, engine: Engine, cloud: Cloud, hand: Google) -> None:
    own = dict.fromkeys(("imageUri", "predictRoute", "healthRoute", "port"))
    section = {**own, "preset": "tensorflow_partitioned", "tpuFunctions": ["rank"], "artifactUri": ARTIFACT}
    stack = ProjectStack(tmp_path / "p", engine, cloud, {f"model.{key}": value for key, value in section.items()})

    run = stack.begin("up").wait()

    assert run.code == 0, run.output
    assert predict(hand, cloud, "digits")["functions"] == ["rank"]
