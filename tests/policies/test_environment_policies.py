"""What `tpuserve stack new` writes for an environment, and the program of this repository in its surroundings."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pulumi
import pytest
from tpuserve.components import (  # pyright: ignore[reportMissingImports]
    ServingEndpoint,
    ServingModel,
    TpuCollection,
)
from tpuserve.policies.in_process import configure, findings, resource  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import Pack  # pyright: ignore[reportMissingImports]

from tests.unit.components.test_components import Recorder, output_of
from tests.unit.stack.stack import read
from tpuserve.provider.checking import Autonaming, Checker
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.server import LIFECYCLES
from tpuserve.provider.values import decode, encode
from tpuserve.stack.arguments import collection_arguments, endpoint_arguments, model_arguments
from tpuserve.stack.contracts import EnvironmentContract
from tpuserve.stack.environments import ENVIRONMENTS, policies_of

IMAGE = "us-east5-docker.pkg.dev/acme-images/serving/ranker@sha256:" + "0" * 64
STACK = {
    "model.imageUri": IMAGE,
    "model.predictRoute": "/predict",
    "model.healthRoute": "/health",
    "endpoint.variants.stable.minReplicaCount": 2,
}
AROUND = EnvironmentContract(
    service_account="serving@acme-prod.iam.gserviceaccount.com",
    model_bucket="gs://acme-prod-models",
    kms_key_name="projects/acme-prod/locations/us-east5/keyRings/r/cryptoKeys/k",
    request_log="bq://acme-prod.request_log_prod",
    network="projects/acme-network/global/networks/n",
    subnetwork="projects/acme-network/regions/us-east5/subnetworks/s",
    labels={"environment": "prod"},
)

AROUND_OF = {name: replace(AROUND, labels={"environment": name}) for name in ENVIRONMENTS}


def declared(around: EnvironmentContract | None, **changes: Any) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Type and inputs of each resource of the program, by name."""
    stack, recorder = read(STACK | changes), Recorder()
    settings = stack.settings

    def build() -> pulumi.Output[Any]:
        assert settings.collection
        assert settings.model
        assert settings.endpoint
        slices = TpuCollection("t", collection_arguments(stack, settings.collection, around))
        model = ServingModel("t", model_arguments(stack, settings.model, str, around))
        wanted = endpoint_arguments(stack, settings.endpoint, model.version_name, around)
        return pulumi.Output.all(slices.name, ServingEndpoint("t", wanted).deployed_model_status)

    output_of(recorder, build)
    custom = {name: each for name, each in recorder.registered.items() if "components" not in each.typ}
    return {name: (each.typ, json.loads(json.dumps(each.inputs))) for name, each in custom.items()}


def blocked(environment: str, around: EnvironmentContract | None, protect: bool) -> list[str]:
    """The rules that block the program under an environment's policies."""
    pack = Pack(lambda: date(2026, 12, 1))
    configure(pack, policies_of(environment, "us-east5"), False)
    given = [
        resource(token, f"urn:pulumi:s::p::{token}::{name}", {**inputs, "zone": "us-east5-b"}, "", protect)
        for name, (token, inputs) in declared(around).items()
    ]
    found = [each for each in findings(pack, given) if each.level == "mandatory"]
    return [f"{each.policy}: {each.message.splitlines()[-1]}" for each in found]


@pytest.mark.parametrize(("environment", "protect"), [("dev", False), ("staging", False), ("prod", True)])
def test_the_program_passes_in_the_surroundings_of_an_environment(environment: str, protect: bool) -> None:
    assert blocked(environment, AROUND_OF[environment], protect) == []


def test_without_surroundings_production_blocks_it() -> None:
    told = "\n".join(blocked("prod", None, True))

    assert all(word in told for word in ("serviceAccount", "kmsKeyName", "labels.environment", "LoggingConfig"))


def test_production_blocks_what_is_not_protected() -> None:
    assert {each.split(": ")[1] for each in blocked("prod", AROUND, False)} == {"protect"}


def test_in_development_nothing_blocks_it() -> None:
    assert blocked("dev", None, False) == []


def test_what_surroundings_give_is_what_check_takes() -> None:
    """Beside the model's name, which the mocked engine makes up."""
    config, refused = ProviderConfig("acme-prod", "us-east5", "us-east5-b", "a" * 20), {}
    for name, (token, inputs) in declared(AROUND).items():
        urn, definition = f"urn:pulumi:s::p::{token}::{name}", LIFECYCLES[token].definition
        _, faults = Checker(config).check(definition, urn, {}, decode(encode(inputs)).values, Autonaming())
        refused |= {f"{name}.{fault.path}": fault.message for fault in faults}

    assert list(refused) == ["t-deployment.deployedModels.stable.model"]
