"""Settings: from Vertex AI's variables or arguments, all faults at once."""

from __future__ import annotations

import pytest

from examples.digits import held_out
from examples.digits.settings import SettingsError, read

OWN = held_out.FOLDER / "weights.npz"


@pytest.fixture
def bucket(tmp_path):
    """A mount with weights of a bucket's folder in it."""
    folder = tmp_path / "bucket" / "models" / "3"
    folder.mkdir(parents=True)
    (folder / "weights.npz").write_bytes(OWN.read_bytes())
    return tmp_path


def faults(arguments: list[str], environment: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(SettingsError) as refusal:
        read(arguments, environment or {})
    return refusal.value.faults


def test_without_any_setting_the_images_weights_are_served_on_the_loopback():
    assert read([], {}) == ("127.0.0.1", 8080, "/health", "/predict", OWN, "")


def test_vertex_ais_variables_are_read(bucket):
    environment = {
        "AIP_HTTP_PORT": "9000",
        "AIP_HEALTH_ROUTE": "/v1/endpoints/1/deployedModels/2",
        "AIP_PREDICT_ROUTE": "/v1/endpoints/1/deployedModels/2:predict",
        "AIP_STORAGE_URI": (bucket / "bucket/models/3").as_uri(),
    }

    chosen = read([], environment)

    assert chosen.port == 9000
    assert chosen.health_route == "/v1/endpoints/1/deployedModels/2"
    assert chosen.predict_route == "/v1/endpoints/1/deployedModels/2:predict"
    assert chosen.weights == bucket / "bucket/models/3/weights.npz"


def test_an_argument_takes_the_place_of_its_variable():
    assert read(["--port", "1"], {"AIP_HTTP_PORT": "2"}).port == 1


def test_an_empty_variable_counts_as_not_given():
    assert read([], {"AIP_STORAGE_URI": "", "AIP_HTTP_PORT": ""}).weights == OWN


def test_the_models_version_comes_from_the_image():
    assert read([], {"DIGITS_MODEL_VERSION": "7"}).model_version == "7"


@pytest.mark.parametrize("tail", ["", "/"])
def test_a_bucket_is_read_where_it_is_mounted(bucket, tail):
    chosen = read(["--artifact-mount", str(bucket)], {"AIP_STORAGE_URI": f"gs://bucket/models/3{tail}"})

    assert chosen.weights == bucket / "bucket/models/3/weights.npz"


def test_a_bucket_that_is_not_mounted_is_refused_with_what_to_do(tmp_path):
    (fault,) = faults(["--artifact-mount", str(tmp_path)], {"AIP_STORAGE_URI": "gs://bucket/models/3"})

    folder = f"{tmp_path}/bucket/models/3"
    assert fault == (
        f"--weights (AIP_STORAGE_URI): no weights.npz in {folder}, where gs://bucket/models/3 is looked for: this"
        " server reads files only. Mount the bucket there (Cloud Storage FUSE), or copy it (gcloud storage cp"
        f" --recursive gs://bucket/models/3/* {folder}/), or leave the artifact URI out: the image has weights of"
        " its own"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--port", "http"], "--port (AIP_HTTP_PORT): 'http', a port from 0 to 65535 is needed"),
        (["--port", "65536"], "--port (AIP_HTTP_PORT): '65536', a port from 0 to 65535 is needed"),
        (["--port=-1"], "--port (AIP_HTTP_PORT): '-1', a port from 0 to 65535 is needed"),
        (["--health-route", "ping"], "--health-route (AIP_HEALTH_ROUTE): 'ping' does not begin with /"),
        (["--predict-route", "/health"], "--health-route, --predict-route: both are '/health', two paths are needed"),
        (["--weights", "/nowhere"], "--weights (AIP_STORAGE_URI): no weights.npz in /nowhere"),
        (["--weights", "s3://a/b"], "--weights (AIP_STORAGE_URI): 's3://a/b' is no path, file:// or gs:// location"),
        (
            ["--weights", "file://models/3"],
            "--weights (AIP_STORAGE_URI): 'file://models/3' is on host 'models', file:///absolute/path is needed",
        ),
    ],
)
def test_a_wrong_setting_is_refused_with_its_name_and_what_is_allowed(arguments, expected):
    assert faults(arguments) == [expected]


def test_all_wrong_settings_are_found_at_once():
    assert len(faults(["--port", "x", "--predict-route", "p", "--weights", "/nowhere"])) == 3
