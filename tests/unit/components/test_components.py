"""Components in a program whose engine is mocked: children, names, parents, outputs."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks
from tpuserve.components import (  # pyright: ignore[reportMissingImports]
    ServingEndpoint,
    ServingModel,
    TpuCollection,
)

NODES = [{"name": "n/digits-0", "state": "READY", "networkEndpoints": [{"ipAddress": "127.0.0.1", "port": 8001}]}]
OUTPUTS: dict[str, dict[str, Any]] = {
    "tpuserve:tpu:QueuedResource": {"name": "qr", "state": {"state": "ACTIVE"}, "nodes": NODES},
    "tpuserve:vertex:Model": {"name": "m", "versionId": "3", "versionName": "m@3"},
    "tpuserve:vertex:Endpoint": {"name": "projects/1/locations/us-east5/endpoints/e"},
    "tpuserve:vertex:Deployment": {"deployedModelStatus": {"stable": {"id": "7", "modelVersionId": "3"}}},
}
COLLECTION = {"slices": 3, "accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"}
VARIANT = {"model": "m@3", "machine_type": "ct6e-standard-1t"}


class Recorder(mocks.Mocks):
    """Answers each registration with the outputs above, and remembers it."""

    def __init__(self) -> None:
        self.registered: dict[str, mocks.MockResourceArgs] = {}

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        self.registered[args.name] = args
        return f"{args.name}-id", {**args.inputs, **OUTPUTS.get(args.typ, {})}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, Any], None]:
        raise AssertionError(f"no function is called, {args.token} was")


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def output_of(mocked: Recorder, build: Callable[[], pulumi.Output[Any]]) -> Any:
    """What an output of a component turns out to be, once everything that was registered has been answered."""
    values: list[Any] = []

    def program() -> None:
        with asyncio.Runner() as spare, asyncio.Runner() as runner:
            loop = runner.get_loop()
            asyncio.set_event_loop(loop)
            # The mocks make a loop in each thread that has none, and never close it.
            aside = ThreadPoolExecutor(1, initializer=asyncio.set_event_loop, initargs=(spare.get_loop(),))
            loop.set_default_executor(aside)
            mocks.set_mocks(mocked, preview=False)
            pulumi.runtime.test(lambda: build().apply(values.append))()

    # Pulumi keeps its settings in the context and takes the thread's event loop: both are new in a thread.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(program).result()
    return values[0]


def test_a_collection_has_one_child(recorder: Recorder) -> None:
    output_of(recorder, lambda: TpuCollection("digits", COLLECTION).name)

    assert [args.typ for args in recorder.registered.values()] == [
        "tpuserve:components:TpuCollection",
        "tpuserve:tpu:QueuedResource",
    ]


def test_the_collections_child_is_named_after_it(recorder: Recorder) -> None:
    output_of(recorder, lambda: TpuCollection("digits", COLLECTION).name)

    assert "digits-queued-resource" in recorder.registered


def test_the_collections_child_is_below_it(recorder: Recorder) -> None:
    urn = output_of(recorder, lambda: TpuCollection("digits", COLLECTION).queued_resource.urn)

    assert "tpuserve:components:TpuCollection$tpuserve:tpu:QueuedResource" in urn


def test_the_collections_arguments_reach_the_wire(recorder: Recorder) -> None:
    output_of(
        recorder, lambda: TpuCollection("digits", {**COLLECTION, "node_prefix": pulumi.Output.from_input("d")}).name
    )

    spec = recorder.registered["digits-queued-resource"].inputs["tpu"]["nodeSpec"][0]
    assert spec["multiNodeParams"] == {"nodeCount": 3, "nodeIdPrefix": "d", "workloadType": "AVAILABILITY_OPTIMIZED"}


def test_metadata_that_is_an_output_is_merged(recorder: Recorder) -> None:
    def build() -> pulumi.Output[str]:
        metadata = pulumi.Output.from_input({"serving-image": "i"})
        return TpuCollection("digits", {**COLLECTION, "metadata": metadata, "startup_script": "true"}).name

    output_of(recorder, build)

    node = recorder.registered["digits-queued-resource"].inputs["tpu"]["nodeSpec"][0]["node"]
    assert node["metadata"] == {"serving-image": "i", "startup-script": "true"}


@pytest.mark.parametrize(
    ("output", "value"),
    [("name", "qr"), ("state", "ACTIVE"), ("addresses", {"digits-0": ["127.0.0.1:8001"]}), ("chips", 24)],
)
def test_outputs_of_a_collection(recorder: Recorder, output: str, value: Any) -> None:
    assert output_of(recorder, lambda: getattr(TpuCollection("digits", COLLECTION), output)) == value


def test_a_model_has_one_child(recorder: Recorder) -> None:
    output_of(recorder, lambda: ServingModel("digits", {"display_name": "digits", "image_uri": "i"}).name)

    assert recorder.registered["digits-model"].inputs == {"displayName": "digits", "containerSpec": {"imageUri": "i"}}


def test_the_version_of_a_model_is_an_output(recorder: Recorder) -> None:
    assert output_of(recorder, lambda: ServingModel("d", {"display_name": "d", "image_uri": "i"}).version_name) == "m@3"


def test_a_preset_reaches_the_wire(recorder: Recorder) -> None:
    args: Any = {"display_name": "d", "preset": "tensorflow_manual", "artifact_uri": pulumi.Output.from_input("gs://b")}

    output_of(recorder, lambda: ServingModel("digits", args).name)

    assert recorder.registered["digits-model"].inputs["containerSpec"] == {
        "imageUri": "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest",
        "args": ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"],
    }


def test_every_fault_of_a_model_is_told_at_once(recorder: Recorder) -> None:
    wrong: Any = {"preset": "tensorflow_partitioned", "port": 8080, "rout": "/x"}

    with pytest.raises(pulumi.RunError) as error:
        output_of(recorder, lambda: ServingModel("digits", wrong).name)

    assert [line.split(":")[0].strip() for line in str(error.value).split("\n")[1:]] == [
        "rout",
        "display_name",
        "artifact_uri",
        "port",
        "tpu_functions",
    ]


def test_an_endpoint_has_two_children(recorder: Recorder) -> None:
    output_of(recorder, lambda: serving().deployed_model_status)

    assert [name for name in recorder.registered if name != "digits"] == ["digits-endpoint", "digits-deployment"]


def test_the_deployment_is_on_the_endpoint(recorder: Recorder) -> None:
    output_of(recorder, lambda: serving().deployed_model_status)

    assert recorder.registered["digits-deployment"].inputs["endpoint"] == "projects/1/locations/us-east5/endpoints/e"


def test_the_status_of_variants_is_an_output(recorder: Recorder) -> None:
    status = output_of(recorder, lambda: serving().deployed_model_status)

    assert status["stable"]["model_version_id"] == "3"


def test_the_split_is_an_output(recorder: Recorder) -> None:
    assert output_of(recorder, lambda: serving().traffic_split) == {"stable": 100}


def test_a_mistyped_argument_is_refused_and_so_is_a_missing_one(recorder: Recorder) -> None:
    wrong = {"slice": 3, "accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"}

    with pytest.raises(pulumi.RunError) as error:
        output_of(recorder, lambda: TpuCollection("digits", wrong).name)

    assert str(error.value).split("\n")[1:] == [
        "  slice: unknown argument; did you mean slices?",
        "  slices: missing",
    ]


def test_a_mistyped_argument_of_a_variant_names_the_variant(recorder: Recorder) -> None:
    wrong = {"display_name": "d", "variants": {"stable": {**VARIANT, "machine": "x"}}}

    with pytest.raises(pulumi.RunError, match="variant stable"):
        output_of(recorder, lambda: ServingEndpoint("digits", wrong).endpoint_name)


def serving() -> ServingEndpoint:
    return ServingEndpoint("digits", {"display_name": "digits", "variants": {"stable": VARIANT}})
