"""Containers as they reach Google: the three ways to start Google's TensorFlow container, its PyTorch container, and one's own."""
# ruff: noqa: E501 - whole messages

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault, Unclear
from tpuserve.catalog.converter import check_converter_options

TENSORFLOW = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest"
PYTORCH = "europe-docker.pkg.dev/acme/mirror/pytorch-tpu.2-1@sha256:" + "0" * 64
OWN = "us-docker.pkg.dev/acme/serving/digits:1"
TAGS, OFF, OPTIONS = "--saved_model_tags=serve,tpu", "--disable_optimizer=true", "--converter_options_string"
ONE = 'tpu_functions { function_alias: "f" }'
OTHER = 'tpu_functions { function_alias: "g" }'
TORCH = {"imageUri": PYTORCH, "predictRoute": "/predictions/model", "healthRoute": "/ping"}
ROUTED = {"imageUri": OWN, "predictRoute": "/p", "healthRoute": "/h"}
ALIASES = st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True)


def tensorflow(*args: Any) -> list[str]:
    return told({"imageUri": TENSORFLOW, "args": list(args)})


def told(spec: dict[str, Any]) -> list[str]:
    return [
        str(each) if isinstance(each, Fault) else f"{each.path} {each.reason}"
        for each in catalog.check_container_spec(spec)
    ]


def spec_of(preset: str, *functions: str) -> dict[str, Any]:
    decided = catalog.preset_arguments(preset, functions)
    names = {"image_uri": "imageUri", "predict_route": "predictRoute", "health_route": "healthRoute", "args": "args"}
    ports = [{"containerPort": decided["port"]}] if "port" in decided else []
    return {names[key]: value for key, value in decided.items() if key in names} | {"ports": ports}


@pytest.mark.parametrize("preset", ["tensorflow_manual", "tensorflow_automatic", "pytorch"])
def test_what_a_preset_decides_passes(preset: str) -> None:
    assert told(spec_of(preset)) == []


@given(ALIASES)
def test_the_options_of_any_functions_pass(aliases: list[str]) -> None:
    assert told(spec_of("tensorflow_partitioned", *aliases)) == []


@pytest.mark.parametrize(
    "args",
    [
        [TAGS, OFF],
        [OFF, TAGS],
        ["--saved_model_tags='serve,tpu'", OFF],
        [TAGS, OFF, "--port=1"],
        ["--saved_model_tags=tpu,serve", OFF],
    ],
)
def test_both_flags_of_a_model_optimized_by_hand_pass(args: list[str]) -> None:
    assert tensorflow(*args) == []


@pytest.mark.parametrize("value", [f"'{ONE}'", ONE, f"'{ONE}\n  {OTHER}'", "'tpu_functions{function_alias:\"f\"}'"])
def test_functions_in_the_pages_grammar_pass(value: str) -> None:
    assert tensorflow(f"{OPTIONS}={value}") == []


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            [TAGS],
            "args: --disable_optimizer=true is missing beside --saved_model_tags=serve,tpu: a model that was optimized by hand is served with --saved_model_tags=serve,tpu and --disable_optimizer=true, any other with neither",
        ),
        (
            [OFF],
            "args: --saved_model_tags=serve,tpu is missing beside --disable_optimizer=true: a model that was optimized by hand is served with --saved_model_tags=serve,tpu and --disable_optimizer=true, any other with neither",
        ),
        (
            ["--saved_model_tags=serve", OFF],
            "args[0]: '--saved_model_tags=serve' is not --saved_model_tags=serve,tpu: a model that was optimized by hand is served with --saved_model_tags=serve,tpu and --disable_optimizer=true, any other with neither",
        ),
        (
            [f"{OPTIONS}='{ONE}'", TAGS, OFF],
            "args[0]: --converter_options_string cannot be given beside --saved_model_tags and --disable_optimizer: a model is optimized by hand or partitioned by its functions, not both; remove one or the other",
        ),
        ([f"{OPTIONS}="], "args[0]: missing; give the alias of each function that runs on the TPU, at least one"),
        ([f"{OPTIONS}='{ONE} {ONE}'"], "args[0]: 'f' is given twice; remove one"),
        (
            [f"{OPTIONS}='{ONE} batch_options: {{ a: 1 }}'"],
            "args[0]: batch_options among the converter options is not supported: only tpu_functions is",
        ),
        (
            [f"{OPTIONS}=disable_default_optimizations: true"],
            "args[0]: disable_default_optimizations among the converter options is not supported: only tpu_functions is",
        ),
    ],
)
def test_modes_that_contradict_the_page(args: list[str], message: str) -> None:
    assert tensorflow(*args) == [message]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([TAGS, UNKNOWN], "args[1] is not known yet"),
        (
            ["--disable_optimizer", TAGS],
            "args[0] gives --disable_optimizer without `=`, which Google's page does not show",
        ),
        ([TAGS, OFF, OFF], "args[2] gives --disable_optimizer a second time"),
        (
            [f"{OPTIONS}='tpu_functions {{ function_alias: \"f\" a: 1 }}'"],
            'args[0] is not written as Google\'s page does it: tpu_functions { function_alias: "f" }',
        ),
        (
            [f"{OPTIONS}='tpu_functions {{'"],
            'args[0] is not written as Google\'s page does it: tpu_functions { function_alias: "f" }',
        ),
        (
            [f'{OPTIONS}=tpu_functions < function_alias: "f" >'],
            'args[0] is not written as Google\'s page does it: tpu_functions { function_alias: "f" }',
        ),
    ],
)
def test_what_the_page_does_not_show_cannot_be_told(args: list[Any], message: str) -> None:
    assert tensorflow(*args) == [message]


def test_an_unknown_argument_hides_no_contradiction() -> None:
    assert len([each for each in tensorflow(UNKNOWN, OFF, f"{OPTIONS}='{ONE}'") if "beside" in each]) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"command": ["/serve"], "args": [OFF]},
            "command replaces the entry point of Google's image: what the rest means is not known",
        ),
        ({"command": UNKNOWN}, "command is not known yet"),
        ({"args": UNKNOWN}, "args is not known yet"),
    ],
)
def test_how_it_is_started_may_be_out_of_sight(more: dict[str, Any], said: str) -> None:
    assert told({"imageUri": TENSORFLOW, **more}) == [said]


def test_an_unknown_image_cannot_be_told() -> None:
    assert told({"imageUri": UNKNOWN, "args": [OFF]}) == ["imageUri is not known yet"]


def test_pytorch_without_a_port_has_the_default_one() -> None:
    assert told(TORCH) == []


def test_pytorch_passes_any_path_on_where_it_is_asked_so() -> None:
    spec = {key: value for key, value in TORCH.items() if key != "predictRoute"}

    assert told({**spec, "invokeRoutePrefix": "/*"}) == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"predictRoute": "/predict"},
            "predictRoute: '/predict' is not where it answers; Google's pytorch container (pytorch-tpu) answers at /predictions/model: give that",
        ),
        (
            {"healthRoute": None},
            "healthRoute: missing; Google's pytorch container (pytorch-tpu) answers at /ping: give that",
        ),
        (
            {"ports": [{"containerPort": 7080}]},
            "ports[0].containerPort: 7080 is not where it answers; Google's pytorch container (pytorch-tpu) answers at 8080: give that",
        ),
        ({"ports": [{"containerPort": UNKNOWN}]}, "ports is not known yet"),
        ({"predictRoute": UNKNOWN}, "predictRoute is not known yet"),
    ],
)
def test_pytorch_has_its_own_routes_and_port(more: dict[str, Any], message: str) -> None:
    assert told({**TORCH, **more}) == [message]


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"predictRoute": "predict"}, "predictRoute"),
        ({"healthRoute": "health"}, "healthRoute"),
        ({"ports": [{"containerPort": 70000}]}, "ports[0].containerPort"),
        ({"invokeRoutePrefix": "/*"}, "invokeRoutePrefix"),
    ],
)
def test_routes_and_ports_of_ones_own_are_checked(more: dict[str, Any], path: str) -> None:
    assert [each.path for each in catalog.check_container_spec({**ROUTED, **more})] == [path]


def test_ones_own_container_takes_any_argument() -> None:
    assert told({**ROUTED, "args": [TAGS, UNKNOWN], "command": ["/x"]}) == []


@pytest.mark.parametrize(("image", "faulty"), [(TENSORFLOW, True), (PYTORCH, True), (OWN, False), (UNKNOWN, False)])
def test_googles_containers_need_something_to_serve(image: Any, faulty: bool) -> None:
    assert bool(catalog.check_prebuilt_artifact(image, None)) is faulty
    assert catalog.check_prebuilt_artifact(image, "gs://b/m") is None
    assert catalog.check_prebuilt_artifact(image, UNKNOWN) is None


def test_routes_left_out_are_advised() -> None:
    assert [str(each) for each in catalog.advise_routes({"imageUri": OWN})] == snapshot(
        [
            "predictRoute: left out: Google then uses a long path of its own, which names endpoint and deployed model and is in AIP_PREDICT_ROUTE; give the path at which the server answers, unless it reads AIP_PREDICT_ROUTE",
            "healthRoute: left out: Google then uses a long path of its own, which names endpoint and deployed model and is in AIP_HEALTH_ROUTE; give the path at which the server answers, unless it reads AIP_HEALTH_ROUTE",
        ]
    )


@pytest.mark.parametrize(
    "spec",
    [
        ROUTED,
        {"imageUri": OWN, "healthRoute": "/h", "invokeRoutePrefix": "/*"},
        {"imageUri": PYTORCH},
        {**ROUTED, "predictRoute": UNKNOWN},
    ],
)
def test_routes_that_need_no_advice(spec: dict[str, Any]) -> None:
    assert catalog.advise_routes(spec) == []


def test_a_second_port_is_in_vain() -> None:
    assert [
        str(each) for each in catalog.advise_routes({**ROUTED, "ports": [{"containerPort": 1}, {"containerPort": 2}]})
    ] == snapshot(["ports: 2 ports are given, and Vertex AI uses the first alone; leave one"])


def test_locked_memory_is_a_reminder() -> None:
    assert [str(each) for each in catalog.advise_memlock({"imageUri": OWN})] == snapshot(
        [
            "imageUri: 'us-docker.pkg.dev/acme/serving/digits:1' drives TPU chips by direct memory access, which needs a higher limit of locked memory than a container has: let its entry point raise it (`ulimit -l 68719476736`, or resource.setrlimit of RLIMIT_MEMLOCK to 68_719_476_736_000)"
        ]
    )


@pytest.mark.parametrize(
    "spec",
    [
        {"imageUri": TENSORFLOW},
        {"imageUri": PYTORCH},
        {"imageUri": OWN, "command": ["sh", "-c"], "args": ["ulimit -l 68719476736; exec /serve"]},
        {"imageUri": OWN, "command": [UNKNOWN, "ulimit -l unlimited; /serve"]},
    ],
)
def test_containers_that_raise_the_limit(spec: dict[str, Any]) -> None:
    assert catalog.advise_memlock(spec) == []


def test_an_image_that_is_known_to_raise_the_limit() -> None:
    assert catalog.advise_memlock({"imageUri": OWN}, ["us-docker.pkg.dev/acme/"]) == []


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"imageUri": UNKNOWN}, "imageUri"),
        ({"imageUri": OWN, "args": ["a", UNKNOWN]}, "args[1]"),
        ({"imageUri": OWN, "command": UNKNOWN}, "command"),
    ],
)
def test_whether_the_limit_is_raised_may_be_unknown(spec: dict[str, Any], path: str) -> None:
    assert catalog.advise_memlock(spec) == [Unclear(path)]


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.integers(),
        st.text(),
        st.just(UNKNOWN),
        st.sampled_from([TENSORFLOW, PYTORCH, TAGS, OFF, f"{OPTIONS}={ONE}"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.just("containerPort"), inner, max_size=1)),
)
KEYS = st.sampled_from(["imageUri", "command", "args", "ports", "predictRoute", "healthRoute", "invokeRoutePrefix"])


@given(st.dictionaries(KEYS, VALUES))
def test_no_container_makes_a_rule_raise(spec: dict[str, Any]) -> None:
    found = [*catalog.check_container_spec(spec), *catalog.advise_routes(spec), *catalog.advise_memlock(spec)]

    assert all(isinstance(each, Fault | Unclear) for each in found)


@given(st.text(alphabet='tpu_functions{}:" \n\\fa;<>'))
def test_any_text_is_options_faulty_or_out_of_sight(text: str) -> None:
    found = check_converter_options(text)

    assert all(isinstance(each, Fault | Unclear) for each in found)
