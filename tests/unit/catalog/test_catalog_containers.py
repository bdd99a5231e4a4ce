"""The container presets: what each decides, and what may be given beside it."""
# ruff: noqa: E501 - whole messages

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN

TENSORFLOW = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest"
PYTORCH = "us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest"
ARTIFACT = {"artifact_uri": "gs://bucket/model"}
PREBUILT = [name for name in catalog.PRESETS if name != catalog.CUSTOM]


def faults(preset: str, **given: object) -> list[tuple[str, str]]:
    functions = {"tpu_functions": ["f"]} if preset == "tensorflow_partitioned" else {}
    return catalog.check_container(preset, {**ARTIFACT, **functions, **given})


def test_manual_optimization_has_both_flags_and_no_converter_options() -> None:
    assert catalog.preset_arguments("tensorflow_manual") == {
        "image_uri": TENSORFLOW,
        "args": ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"],
    }


def test_automatic_partitioning_has_no_argument() -> None:
    assert catalog.preset_arguments("tensorflow_automatic") == {"image_uri": TENSORFLOW}


def test_manual_partitioning_names_its_functions() -> None:
    assert catalog.preset_arguments("tensorflow_partitioned", ["f"]) == {
        "image_uri": TENSORFLOW,
        "args": ["--converter_options_string='tpu_functions { function_alias: \"f\" }'"],
    }


def test_pytorch_has_routes_and_a_port() -> None:
    assert catalog.preset_arguments("pytorch") == {
        "image_uri": PYTORCH,
        "predict_route": "/predictions/model",
        "health_route": "/ping",
        "port": 8080,
    }


def test_custom_decides_nothing() -> None:
    assert catalog.preset_arguments("custom") == {}


def test_the_presets_are_those_of_the_table() -> None:
    assert list(catalog.container_presets()) == PREBUILT


@pytest.mark.parametrize("preset", PREBUILT)
def test_a_presets_own_image_passes_its_rule(preset: str) -> None:
    assert faults(preset, image_uri=catalog.container_presets()[preset].image_uri) == []


@pytest.mark.parametrize("preset", PREBUILT)
def test_a_preset_needs_no_more_than_its_artifact(preset: str) -> None:
    assert faults(preset) == []


@pytest.mark.parametrize(
    "image",
    [
        "europe-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest",
        "us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-4:20261101",
        f"us-east5-docker.pkg.dev/my-project/mirror/pytorch-tpu.2-1@sha256:{'0' * 64}",
        "gcr.io/my-project/pytorch-tpu.2-1",
    ],
)
def test_a_mirror_or_another_version_of_the_image_passes(image: str) -> None:
    assert faults("pytorch", image_uri=image) == []


@pytest.mark.parametrize(
    "image", [TENSORFLOW, "pytorch-tpu.2-1", "docker.io/pytorch/pytorch-tpu.2-1:latest", f"{PYTORCH}@sha256:0", 7]
)
def test_an_image_of_another_kind_is_refused(image: object) -> None:
    assert [which for which, _ in faults("pytorch", image_uri=image)] == ["image_uri"]


@pytest.mark.parametrize("key", ["command", "args", "predict_route", "health_route", "invoke_route_prefix", "port"])
@pytest.mark.parametrize("value", ["x", UNKNOWN])
def test_what_a_preset_decides_cannot_be_given(key: str, value: object) -> None:
    assert [which for which, _ in faults("tensorflow_manual", **{key: value})] == [key]


@pytest.mark.parametrize("preset", ["custom", "tensorflow_manual", "tensorflow_automatic", "pytorch"])
def test_only_manual_partitioning_takes_functions(preset: str) -> None:
    image = {"image_uri": "i"} if preset == "custom" else {}

    assert [which for which, _ in faults(preset, tpu_functions=["f"], **image)] == ["tpu_functions"]


def test_every_fault_is_told_at_once() -> None:
    given = {"image_uri": PYTORCH, "args": ["--disable_optimizer=true"], "port": 8080, "tpu_functions": ["f", "f"]}

    found = catalog.check_container("tensorflow_partitioned", given)

    assert [f"{which}: {message}" for which, message in found] == snapshot(
        [
            "image_uri: 'us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest' is not an image of preset tensorflow_partitioned; give one in Artifact Registry whose name begins with tf_opt-tpu., such as us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest, or use preset custom",
            "artifact_uri: missing; give the gs:// folder that preset tensorflow_partitioned serves: a SavedModel that has function aliases",
            "args: cannot be given with preset tensorflow_partitioned, which decides it; remove it, or use preset custom",
            "port: cannot be given with preset tensorflow_partitioned, which decides it; remove it, or use preset custom",
            "tpu_functions[1]: 'f' is given twice; remove one",
        ]
    )


def test_a_container_of_ones_own_needs_an_image() -> None:
    assert catalog.check_container(None, {}) == snapshot(
        [
            (
                "image_uri",
                "missing; give your container image, or use preset tensorflow_manual, tensorflow_automatic, tensorflow_partitioned or pytorch",
            )
        ]
    )


def test_a_preset_that_does_not_exist() -> None:
    assert catalog.check_container("tensorflow_manuel", {}) == snapshot(
        [
            (
                "preset",
                "'tensorflow_manuel' is not a container preset; did you mean tensorflow_manual?; use custom, tensorflow_manual, tensorflow_automatic, tensorflow_partitioned or pytorch",
            )
        ]
    )


@given(
    st.one_of(st.sampled_from(catalog.PRESETS), st.none(), st.text(), st.integers()),
    st.dictionaries(
        st.sampled_from(catalog.CONTAINER_ARGUMENTS),
        st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text()), st.just(UNKNOWN)),
    ),
)
def test_no_value_makes_a_rule_fail(preset: object, given: dict[str, object]) -> None:
    known = {"preset", *given, *catalog.CONTAINER_ARGUMENTS}

    found = catalog.check_container(preset, given)  # pyright: ignore[reportArgumentType]

    assert {which.split("[")[0] for which, _ in found} <= known
