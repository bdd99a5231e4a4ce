"""Check over the wire: every fault at once, with its path; ids that are kept; the provider's configuration."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from tests.wire.harness import State, Wire
from tests.wire.programs import (
    DEPLOYMENT,
    ENDPOINT,
    LOCATION,
    MODEL,
    PROJECT,
    QUEUED_RESOURCE,
    changed,
    collection,
    deployment,
    endpoint,
    model,
)
from tests.wire.stack import urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator

PLACE = f"projects/{PROJECT}/locations/{LOCATION}"
SERVED = deployment(f"{PLACE}/endpoints/e", f"{PLACE}/models/m@1")
SPEC = "tpu.nodeSpec.0."
STABLE = "deployedModels.stable."
RESOURCES = f"{STABLE}dedicatedResources."
# token, valid arguments, what is changed in them, path of the fault, words of its reason
FAULTS: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    (DEPLOYMENT, SERVED, {f"{RESOURCES}machineSpec.machineType": "n1-standard-4"},
     "deployedModels.stable.dedicatedResources.machineSpec.machineType", "'n1-standard-4' is not a TPU machine type"),
    (DEPLOYMENT, SERVED, {f"{RESOURCES}machineSpec.acceleratorType": "TPU_V5_LITEPOD"},
     "deployedModels.stable.dedicatedResources.machineSpec.acceleratorType", "remove acceleratorType"),
    (DEPLOYMENT, SERVED, {"trafficSplit": {"stable": 90}}, "trafficSplit", "stable 90 sums to 90"),
    (DEPLOYMENT, SERVED, {"trafficSplit": {"stabel": 100}}, "trafficSplit", "'stabel' is not a variant"),
    (DEPLOYMENT, SERVED, {f"{RESOURCES}minReplicaCount": 3, f"{RESOURCES}maxReplicaCount": 2},
     "deployedModels.stable.dedicatedResources.maxReplicaCount", "2"),
    (DEPLOYMENT, SERVED, {"deployedModels.Stable": SERVED["deployedModels"]["stable"], "trafficSplit": {"stable": 100}},
     "deployedModels.Stable", "'Stable' is not a valid"),
    (DEPLOYMENT, SERVED, {"endpoint": None}, "endpoint", "is required"),
    (DEPLOYMENT, SERVED, {"endpoint": "e"}, "endpoint", "projects/PROJECT/locations/LOCATION/endpoints/ID"),
    (DEPLOYMENT, SERVED, {f"{STABLE}model": "m@1"},
     "deployedModels.stable.model", "projects/PROJECT/locations/LOCATION/models/ID"),
    (DEPLOYMENT, SERVED, {f"{RESOURCES}minReplicas": 1},
     "deployedModels.stable.dedicatedResources.minReplicas", "did you mean minReplicaCount?"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}multiNodeParams.nodeCount": 1},
     "tpu.nodeSpec[0].multiNodeParams.nodeCount", "1 is too few"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}node.acceleratorType": "v6e-5"},
     "tpu.nodeSpec[0].node.acceleratorType", "nearest: v6e-4 or v6e-8"),
    (QUEUED_RESOURCE, collection(zone="us-west4-a"),
     {f"{SPEC}node.acceleratorType": "v5litepod-8", f"{SPEC}node.runtimeVersion": "v2-alpha-tpuv5-lite"},
     "tpu.nodeSpec[0].node.acceleratorType", "Trillium (v6e) only"),
    (QUEUED_RESOURCE, collection(), {"zone": "us-west4-a"}, "zone", "'us-west4-a' has no Trillium (v6e)"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}multiNodeParams.nodeIdPrefix": "my digits"},
     "tpu.nodeSpec[0].multiNodeParams.nodeIdPrefix", "'my digits' is not a valid"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}nodeId": "one"}, "tpu.nodeSpec[0]", "exactly one of nodeId"),
    (QUEUED_RESOURCE, collection(), {"spot": {}, "guaranteed": {}}, "guaranteed", "leave one of the two out"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}multiNodeParams.nodeCount": "3"},
     "tpu.nodeSpec[0].multiNodeParams.nodeCount", "expected a whole number, got '3' (a string)"),
    (QUEUED_RESOURCE, collection(), {f"{SPEC}multiNodeParams.nodeCount": 2.5},
     "tpu.nodeSpec[0].multiNodeParams.nodeCount", "expected a whole number, got 2.5 (a number)"),
    (QUEUED_RESOURCE, collection(), {"tpu": "v6e"}, "tpu", "expected an object, got 'v6e' (a string)"),
    (QUEUED_RESOURCE, collection(), {"waitFor": "READY"}, "waitFor", "use one of WAITING_FOR_RESOURCES"),
    (MODEL, model(), {"containerSpec.ports.0.containerPort": 99999},
     "containerSpec.ports[0].containerPort", "99999 is not a port"),
    (MODEL, model(), {"containerSpec.deploymentTimeout": "7201s"},
     "containerSpec.deploymentTimeout", "at most 7200s"),
    (MODEL, model(), {"versionAliases": ["c-mine"]}, "versionAliases[0]", "begins with c-"),
    (MODEL, model(), {"versionAliases": ["ok", "Golden"]}, "versionAliases[1]", "'Golden' is not a valid"),
    (MODEL, model(), {"versionAliases": ["ok", "ok"]}, "versionAliases[1]", "'ok' is given twice"),
    (MODEL, model(), {"displayName": "d" * 129}, "displayName", "1 to 128 characters"),
    (MODEL, model(), {"artifactUri": "s3://bucket/model"}, "artifactUri", "allowed: gs://BUCKET/FOLDER"),
    (MODEL, model(), {"retainVersions": -1}, "retainVersions", "-1 is too small; allowed: 0 or more"),
    (MODEL, model(), {"retainVersions": 2**31}, "retainVersions", "is too large; allowed: at most 2147483647"),
    (MODEL, model(), {"containerSpec.sharedMemorySizeMb": 10**18},
     "containerSpec.sharedMemorySizeMb", "is too large; allowed: at most 2147483647"),
    (MODEL, model(), {"containerSpec.startupProbe": {"grpc": {"port": 80}, "periodSeconds": 2**31}},
     "containerSpec.startupProbe.periodSeconds", "is too large; allowed: at most 2147483647"),
    (MODEL, model(), {"encryptionSpec": {"kmsKeyName": "k"}}, "encryptionSpec.kmsKeyName", "keyRings/RING/cryptoKeys"),
    (MODEL, model(), {"encryptionSpec": {"kmsKeyName": "projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"}},
     "encryptionSpec.kmsKeyName", "is a key in 'us-east1'; give one in 'us-east5'"),
    (MODEL, model(), {"containerSpec.env": [{"name": "MY-NAME", "value": "v"}]},
     "containerSpec.env[0].name", "a C identifier"),
    (MODEL, model(), {"containerSpec.healthRoute": "health"},
     "containerSpec.healthRoute", "a path that begins with /"),
    (MODEL, model(), {"containerSpec.grpcPorts": [{"containerPort": 0}]},
     "containerSpec.grpcPorts[0].containerPort", "0 is not a port"),
    (MODEL, model(), {"containerSpec.sharedMemorySizeMb": -1}, "containerSpec.sharedMemorySizeMb", "0 or more"),
    (MODEL, model(**{"containerSpec.predictRoute": None}), {"containerSpec.invokeRoutePrefix": "/v1/*"},
     "containerSpec.invokeRoutePrefix", "allowed: /* and nothing else"),
    (MODEL, model(), {"containerSpec.invokeRoutePrefix": "/*"},
     "containerSpec.invokeRoutePrefix", "cannot be given beside predictRoute"),
    (MODEL, model(), {"containerSpec.startupProbe": {}},
     "containerSpec.startupProbe", "none is given; a probe has exactly one of exec, httpGet, tcpSocket or grpc"),
    (MODEL, model(), {"containerSpec.healthProbe": {"exec": {"command": ["a"]}, "grpc": {"port": 80}}},
     "containerSpec.healthProbe", "exec and grpc are given"),
    (MODEL, model(), {"containerSpec.livenessProbe": {"tcpSocket": {"port": 0}}},
     "containerSpec.livenessProbe.tcpSocket.port", "0 is not a port"),
    (MODEL, model(), {"containerSpec.livenessProbe": {"httpGet": {"path": "h"}}},
     "containerSpec.livenessProbe.httpGet.path", "a path that begins with /"),
    (MODEL, model(), {"containerSpec.livenessProbe": {"httpGet": {"scheme": "FTP"}}},
     "containerSpec.livenessProbe.httpGet.scheme", "use one of HTTP, HTTPS"),
    *((MODEL, model(), {f"containerSpec.startupProbe.{name}": 0, "containerSpec.startupProbe.grpc": {"port": 80}},
       f"containerSpec.startupProbe.{name}", "0 is too small; allowed: 1 or more")
      for name in ("periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold")),
    (MODEL, model(), {"containerSpec.startupProbe": {"grpc": {"port": 80}, "initialDelaySeconds": -1}},
     "containerSpec.startupProbe.initialDelaySeconds", "-1 is too small; allowed: 0 or more"),
    (MODEL, model(), {"containerSpec.startupProbe": {"grpc": {"port": 1}, "periodSeconds": 9, "timeoutSeconds": 5}},
     "containerSpec.startupProbe.timeoutSeconds", "5 is less than periodSeconds (9); give 9 or more"),
    (MODEL, model(), {"modelId": "Not Valid"}, "modelId", "'Not Valid' is not a valid"),
    (ENDPOINT, endpoint(), {"displayName": None}, "displayName", "is required and was not given"),
    (ENDPOINT, endpoint(), {"labels": ["a"]}, "labels", "expected an object"),
]  # fmt: skip


@pytest.mark.parametrize("row", FAULTS, ids=[f"{row[3]}: {row[4]}" for row in FAULTS])
async def test_fault(wire: Wire, row: tuple[str, dict[str, Any], dict[str, Any], str, str]) -> None:
    token, args, changes, path, words = row

    answer = await wire.check(urn_of(token, "r"), changed(args, changes))

    assert list(answer.failures) == [path]
    assert words in answer.failures[path]


async def test_every_fault_at_once(wire: Wire) -> None:
    answer = await wire.check(
        urn_of(QUEUED_RESOURCE, "r"),
        collection(
            zone="us-west4-a",
            waitFor="READY",
            nonsense=1,
            **{f"{SPEC}multiNodeParams.nodeCount": 1, f"{SPEC}multiNodeParams.nodeIdPrefix": "my digits"},
        ),
    )

    assert sorted(answer.failures) == [
        "nonsense",
        "tpu.nodeSpec[0].multiNodeParams.nodeCount",
        "tpu.nodeSpec[0].multiNodeParams.nodeIdPrefix",
        "waitFor",
        "zone",
    ]


async def test_place_is_looked_at_where_the_slices_cannot_be_read(wire: Wire) -> None:
    found = await wire.check(urn_of(QUEUED_RESOURCE, "r"), {"zone": "us-east5-b/x", "tpu": {"nodeSpec": "v6e-8"}})

    assert "is not a valid zone" in found.failures["zone"]


async def test_refused_inputs_come_back_for_the_policy_pack(wire: Wire) -> None:
    answer = await wire.check(urn_of(ENDPOINT, "r"), {"labels": {"team": "a"}})

    assert answer.inputs["labels"] == {"team": "a"}


async def test_nothing_is_asked_of_google(wire: Wire, emulator: Emulator) -> None:
    await wire.check(urn_of(DEPLOYMENT, "r"), SERVED)

    assert emulator.control.calls() == []


async def test_project_and_place_come_from_the_provider(wire: Wire) -> None:
    inputs = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    assert (inputs["project"], inputs["location"]) == (PROJECT, LOCATION)


async def test_missing_project_says_where_to_set_it(wire: Wire) -> None:
    await wire.configure(project=None)

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint())

    assert "tpuserve:project" in answer.failures["project"]


# --- ids ---------------------------------------------------------------------------------------------------------


async def test_id_is_the_same_at_each_try(wire: Wire) -> None:
    first, second = [await wire.checked(urn_of(ENDPOINT, "r"), endpoint()) for _ in range(2)]

    assert first["endpointId"] == second["endpointId"]


async def test_id_begins_with_the_readable_name(wire: Wire) -> None:
    inputs = await wire.checked(urn_of(ENDPOINT, "My Endpoint"), endpoint())

    assert inputs["endpointId"].startswith("my-endpoint-")


async def test_another_owner_has_another_id(wire: Wire) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())
    await wire.configure(ownerId="c" * 20)

    assert (await wire.checked(urn_of(ENDPOINT, "r"), endpoint()))["endpointId"] != first["endpointId"]


async def test_id_is_kept_in_another_place_of_the_program(wire: Wire) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    second = await wire.checked(urn_of(ENDPOINT, "renamed"), endpoint(), state(first))

    assert second["endpointId"] == first["endpointId"]


async def test_replacement_has_another_id(wire: Wire) -> None:
    first = await wire.checked(urn_of(MODEL, "r"), model())

    assert (await wire.checked(urn_of(MODEL, "r"), model(recreate="2"), state(first)))["modelId"] != first["modelId"]


def state(inputs: dict[str, Any]) -> State:
    return State("id", dict(inputs), inputs)


def naming(mode: str, name: str = "") -> Any:
    options = provider_pb2.CheckRequest.AutonamingOptions
    return options(proposed_name=name, mode=options.Mode.Value(mode))


async def test_enforced_name_is_the_id(wire: Wire) -> None:
    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(), naming=naming("ENFORCE", "named"))

    assert answer.inputs["endpointId"] == "named"


async def test_enforced_name_does_not_rename_what_exists(wire: Wire) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(), state(first), naming("ENFORCE", "named"))

    assert answer.inputs["endpointId"] == first["endpointId"]


async def test_enforced_name_that_google_does_not_take_is_a_fault(wire: Wire) -> None:
    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(), naming=naming("ENFORCE", "Not Valid"))

    assert "'Not Valid' is not a valid" in answer.failures["endpointId"]


async def test_disabled_naming_wants_an_id(wire: Wire) -> None:
    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(), naming=naming("DISABLE"))

    assert "pulumi:autonaming is disabled" in answer.failures["endpointId"]


async def test_proposed_name_is_no_more_than_that(wire: Wire) -> None:
    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(), naming=naming("PROPOSE", "r-1234567"))

    assert answer.inputs["endpointId"] == (await wire.checked(urn_of(ENDPOINT, "r"), endpoint()))["endpointId"]


async def test_id_of_what_is_not_known_yet_is_unknown(wire: Wire) -> None:
    assert (await wire.checked(urn_of(MODEL, "r"), model(recreate=UNKNOWN)))["modelId"] is UNKNOWN


# --- replacement of an endpoint ----------------------------------------------------------------------------------


async def test_replacement_of_an_endpoint_needs_consent(wire: Wire) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(dedicatedEndpointEnabled=True), state(first))

    assert answer.failures == {
        "dedicatedEndpointEnabled": "the change from None to True needs a new Endpoint. It has another address, and "
        "what the old and the new one serve is both deployed, and paid for, for a while; set allowReplace to true to "
        "agree"
    }


FORCING = {
    "dedicatedEndpointEnabled": True,
    "network": "projects/1/global/networks/n",
    "privateServiceConnectConfig": {"enablePrivateServiceConnect": True},
    "encryptionSpec": {"kmsKeyName": "projects/p/locations/us-east5/keyRings/r/cryptoKeys/k"},
    "location": "us-east1",
    "project": "another-project",
    "endpointId": "mine",
}


@pytest.mark.parametrize("path", FORCING)
async def test_every_replacement_of_an_endpoint_needs_consent(wire: Wire, path: str) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(**{path: FORCING[path]}), state(first))

    assert list(answer.failures) == [path]


@pytest.mark.parametrize("path", FORCING)
async def test_consent_to_every_replacement(wire: Wire, path: str) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())
    args = endpoint(allowReplace=True, **{path: FORCING[path]})

    assert (await wire.check(urn_of(ENDPOINT, "r"), args, state(first))).failures == {}


@pytest.mark.parametrize("change", [{"dedicatedEndpointEnabled": True}, {"recreate": "2"}], ids=list)
async def test_replacement_under_an_id_that_is_given_is_an_outage(wire: Wire, change: dict[str, Any]) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint(endpointId="mine"))

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(endpointId="mine", **change), state(first))

    (message,) = answer.failures.values()
    assert "Its id is given and stays, so the old one is deleted first: an outage until the new one serves" in message


async def test_recreate_is_consent(wire: Wire) -> None:
    first = await wire.checked(urn_of(ENDPOINT, "r"), endpoint())

    answer = await wire.check(urn_of(ENDPOINT, "r"), endpoint(recreate="2"), state(first))

    assert answer.failures == {}


# --- configuration -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url", ["http://127.0.0.1:80", "http://localhost:1", "http://[::1]:1", "https://tpu.example"])
async def test_allowed_url(wire: Wire, url: str) -> None:
    assert await wire.check_config(endpoints={"tpu": url}) == {}


@pytest.mark.parametrize("url", ["http://10.0.0.1:80", "http://tpu.example", "ftp://127.0.0.1", "127.0.0.1:80", 8080])
async def test_refused_url(wire: Wire, url: Any) -> None:
    assert list(await wire.check_config(endpoints={"tpu": url})) == ["endpoints.tpu"]


async def test_every_fault_of_the_configuration_at_once(wire: Wire) -> None:
    answer = await wire.check_config(ownerId="short", projekt="p", zone=5, endpoints={"gke": "https://a"})

    assert sorted(answer) == ["endpoints.gke", "ownerId", "projekt", "zone"]


async def test_configuration_that_is_not_known_yet_is_no_fault(wire: Wire) -> None:
    assert await wire.check_config(ownerId=UNKNOWN, project=UNKNOWN, endpoints={"tpu": UNKNOWN}) == {}


async def test_endpoints_as_json_text(wire: Wire) -> None:
    """Nested values of an explicit provider arrive so."""
    assert list(await wire.check_config(endpoints='{"tpu": "http://10.0.0.1"}')) == ["endpoints.tpu"]


IMPORTED = {"location": LOCATION, "project": PROJECT, "modelId": "m", "displayName": "theirs"}
"""What Read can tell of a model: Google does not return its container."""


async def test_what_an_import_could_read_has_no_fault(wire: Wire) -> None:
    assert not (await wire.check(urn_of(MODEL, "m"), IMPORTED, State("m", {}, IMPORTED))).failures


@pytest.mark.parametrize("old", [None, State("m", {}, {**IMPORTED, "displayName": "other"})], ids=["new", "changed"])
async def test_what_is_missed_is_told_as_soon_as_anything_is_asked(wire: Wire, old: State | None) -> None:
    found = (await wire.check(urn_of(MODEL, "m"), IMPORTED, old)).failures

    assert list(found) == ["containerSpec"]


async def test_nothing_at_all_is_no_import(wire: Wire) -> None:
    assert (await wire.check(urn_of(MODEL, "m"), {}, None)).failures
