"""What others have made is deployed as gladly as what the stack made: functions, and `.get()` on each class."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi

import tpuserve
import tpuserve.resources as r
from tests.emulator.google import HERE, LOCATION, ZONE, Google
from tests.engine.harness.cloud import Cloud
from tests.engine.harness.predictor import Predictor
from tests.engine.harness.programs import variant
from tests.engine.harness.stack import Stack
from tests.engine.program_cli import ProgramCli
from tools.engine import Engine


def serving_prod() -> None:
    """A Deployment of whatever version of a model of others is `prod`; with the plain form and the output form."""
    version = tpuserve.get_model_version(model=f"{LOCATION}/models/digits", alias="prod")
    endpoint = r.Endpoint("e", {"display_name": "e"})
    found = tpuserve.get_endpoint_output(endpoint=endpoint.name)
    r.Deployment("d", {"endpoint": found.name, "deployed_models": {"stable": variant(version.version_name)}})
    pulumi.export("version", version.version_id)


def test_moved_alias_is_a_change_in_preview(
    stack: Stack, cloud: Cloud, hand: Google, predicting: Callable[..., Predictor]
) -> None:
    hand.upload(model_fields={"version_aliases": ["prod"]})
    hand.upload(parent_model=f"{LOCATION}/models/digits")
    stack.up(serving_prod)
    assert cloud.traffic() == {"1": 100}
    client = predicting("1")

    hand.models.merge_version_aliases(name=f"{LOCATION}/models/digits@2", version_aliases=["prod"])
    with cloud.recorded() as calls:
        run = stack.preview(serving_prod, "--diff")
    assert "models/digits@1" in run.output
    assert "models/digits@2" in run.output
    assert calls.changing == []

    with client.expecting("1", then="2"):
        stack.up(serving_prod)
    assert cloud.traffic() == {"2": 100}


def test_faults_of_arguments_are_told_without_a_traceback(tmp_path: Path, engine: Engine, cloud: Cloud) -> None:
    """As the language host runs a program, which shows a traceback for all but Pulumi's own RunError."""
    program = ProgramCli(engine, tmp_path, cloud.address)
    program.create()

    done = program.preview_of('import tpuserve\ntpuserve.get_model_version(model="digits", alias="P", version="x")\n')

    assert done.returncode != 0
    assert "alias: 'P' is not a valid version alias" in done.stdout
    assert "version: 'x' is not a valid version number" in done.stdout
    assert "Traceback" not in done.stdout


def everything_of_others() -> None:
    """Each class, got by name; arguments and outputs exported."""
    pool = r.QueuedResource.get("q", f"{ZONE}/queuedResources/pool")
    model = r.Model.get("m", f"{LOCATION}/models/digits")
    endpoint = r.Endpoint.get("e", f"{LOCATION}/endpoints/serving")
    deployment = r.Deployment.get("d", f"{LOCATION}/endpoints/serving")
    told: dict[str, pulumi.Output[Any]] = {
        "runtime": pool.tpu.apply(lambda tpu: tpu["node_spec"][0]["node"]["runtime_version"]),
        "state": pool.state.apply(lambda state: state.get("state")),
        "display_name": model.display_name,
        "version_name": model.version_name,
        "endpoint": endpoint.name,
        "location": endpoint.location,
        "variants": deployment.deployed_models.apply(list),
    }
    for name, value in told.items():
        pulumi.export(name, value)


def test_get_reads_arguments_and_outputs_of_each_class(stack: Stack, cloud: Cloud, hand: Google) -> None:
    hand.active("pool")
    endpoint, model, deployed = hand.serving()

    with cloud.recorded() as calls:
        stack.up(everything_of_others)
        outputs = stack.outputs()
        stack.destroy()

    assert outputs == {
        "runtime": "v2-alpha-tpuv6e",
        "state": "ACTIVE",
        "display_name": "digits",
        "version_name": f"{HERE}/models/digits@1",
        "endpoint": endpoint,
        "location": "us-east5",
        "variants": [f"d{deployed}"],
    }
    assert (model, calls.changing) == (f"{HERE}/models/digits@1", []), "what was only read is never deleted"


def test_get_of_what_does_not_exist(stack: Stack) -> None:
    run = stack.fails("preview", lambda: pulumi.export("n", r.Model.get("m", f"{LOCATION}/models/none").name))

    assert f"'{LOCATION}/models/none' does not exist" in run.output


def test_get_of_an_id_of_another_kind(stack: Stack) -> None:
    run = stack.fails("preview", lambda: pulumi.export("n", r.Model.get("m", "digits").name))

    assert "projects/PROJECT/locations/LOCATION/models/ID" in run.output
