"""What a change of each argument does, from Google's own descriptions and not from our table.

Sources: the field descriptions of google.cloud.tpu_v2alpha1 and google.cloud.aiplatform_v1.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.wire import programs
from tests.wire.programs import changed
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.provider.server import LIFECYCLES
from tpuserve.resources.diff import changes
from tpuserve.resources.fields import Effect, Shape

IN_PLACE, NEW_VERSION, REDEPLOY, REPLACE = Effect.IN_PLACE, Effect.NEW_VERSION, Effect.REDEPLOY, Effect.REPLACE
PLACE = "projects/p/locations/us-east5"
ARGS: dict[str, dict[str, Any]] = {
    programs.QUEUED_RESOURCE: programs.collection(project="p", zone="us-east5-b", queuedResourceId="q"),
    programs.MODEL: programs.model(project="p", location="us-east5", modelId="m"),
    programs.ENDPOINT: programs.endpoint(project="p", location="us-east5", endpointId="e"),
    programs.DEPLOYMENT: programs.deployment(f"{PLACE}/endpoints/e", f"{PLACE}/models/m@1"),
}
NODE, MANY = "tpu.nodeSpec.0.node.", "tpu.nodeSpec.0.multiNodeParams."
STABLE = "deployedModels.stable."
MACHINES = f"{STABLE}dedicatedResources."
# The Cloud TPU API has Create, Get, List, Delete and Reset for queued resources and no Update: everything that is sent
# is fixed. Not sent, and so free to change: waitFor, onSuspended.
QUEUED_RESOURCE = {
    "project": ("q", REPLACE),
    "zone": ("us-east5-a", REPLACE),
    "queuedResourceId": ("r", REPLACE),
    f"{NODE}acceleratorType": ("v6e-4", REPLACE),
    f"{NODE}runtimeVersion": ("v2-alpha-tpuv6e-1", REPLACE),
    f"{NODE}description": ("text", REPLACE),
    f"{NODE}networkConfig": ({"network": "n"}, REPLACE),
    f"{NODE}serviceAccount": ({"email": "a@b"}, REPLACE),
    f"{NODE}labels": ({"a": "b"}, REPLACE),
    f"{NODE}metadata": ({"startup-script": "x"}, REPLACE),
    f"{NODE}tags": (["t"], REPLACE),
    f"{MANY}nodeCount": (4, REPLACE),
    f"{MANY}nodeIdPrefix": ("n", REPLACE),
    f"{MANY}workloadType": ("THROUGHPUT_OPTIMIZED", REPLACE),
    f"{NODE}acceleratorConfig": ({"type": "V6E", "topology": "2x2"}, REPLACE),
    f"{NODE}dataDisks": ([{"sourceDisk": "projects/p/zones/z/disks/d", "mode": "READ_ONLY"}], REPLACE),
    f"{NODE}bootDiskConfig": ({"enableConfidentialCompute": True}, REPLACE),
    f"{NODE}shieldedInstanceConfig": ({"enableSecureBoot": True}, REPLACE),
    f"{NODE}schedulingConfig": ({"preemptible": True}, REPLACE),
    "bestEffort": ({}, REPLACE),
    "reservationName": ("projects/p/locations/us-east5-b/reservations/r", REPLACE),
    "spot": ({}, REPLACE),
    "guaranteed": ({"reserved": True}, REPLACE),
    "provisioningModel": ("FLEX_START", REPLACE),
    "runDuration": ({"maxRunDuration": "3600s"}, REPLACE),
    "queueingPolicy": ({"validUntilDuration": "60s"}, REPLACE),
    "recreate": ("x", REPLACE),
    "waitFor": ("PROVISIONING", IN_PLACE),
    "onSuspended": ("REPLACE", IN_PLACE),
}
# UpdateModelRequest.model: "Supported model fields: display_name, description ... Labels are supported in both
# scenarios". ModelContainerSpec: "Required. Immutable." on image_uri and "Immutable." on the rest. Model.artifact_uri:
# "Immutable." Aliases change by MergeVersionAliases. EncryptionSpec: no update takes it.
MODEL = {
    "project": ("q", REPLACE),
    "location": ("us-east1", REPLACE),
    "modelId": ("n", REPLACE),
    "recreate": ("x", REPLACE),
    "displayName": ("other", IN_PLACE),
    "description": ("text", IN_PLACE),
    "labels": ({"a": "b"}, IN_PLACE),
    "versionDescription": ("text", IN_PLACE),
    "versionAliases": (["champion"], IN_PLACE),
    "containerSpec.imageUri": ("registry/digits:2", NEW_VERSION),
    "containerSpec.command": (["a"], NEW_VERSION),
    "containerSpec.args": (["a"], NEW_VERSION),
    "containerSpec.env": ([{"name": "A", "value": "b"}], NEW_VERSION),
    "containerSpec.ports.0.containerPort": (8081, NEW_VERSION),
    "containerSpec.predictRoute": ("/p", NEW_VERSION),
    "containerSpec.healthRoute": ("/h", NEW_VERSION),
    "containerSpec.deploymentTimeout": ("60s", NEW_VERSION),
    "containerSpec.sharedMemorySizeMb": (64, NEW_VERSION),
    "containerSpec.grpcPorts": ([{"containerPort": 8500}], NEW_VERSION),
    "containerSpec.invokeRoutePrefix": ("/*", NEW_VERSION),
    "containerSpec.startupProbe": ({"exec": {"command": ["true"]}, "initialDelaySeconds": 5}, NEW_VERSION),
    "containerSpec.healthProbe": ({"httpGet": {"path": "/h", "port": 80}}, NEW_VERSION),
    "containerSpec.livenessProbe": ({"grpc": {"port": 80}, "periodSeconds": 5}, NEW_VERSION),
    "artifactUri": ("gs://b/f", NEW_VERSION),
    "encryptionSpec": ({"kmsKeyName": f"{PLACE}/keyRings/r/cryptoKeys/k"}, REPLACE),
    "retainVersions": (1, IN_PLACE),
    "contentVersion": ("2", NEW_VERSION),
}
# UpdateEndpointRequest takes display_name, description, labels, traffic_split and the logging configuration; its
# long-running twin only client_connection_config. No source tells of an update of the rest: the kind of the endpoint,
# and its key ("this Endpoint and all sub-resources of this Endpoint will be secured by this key").
ENDPOINT = {
    "project": ("q", REPLACE),
    "location": ("us-east1", REPLACE),
    "endpointId": ("f", REPLACE),
    "recreate": ("x", REPLACE),
    "dedicatedEndpointEnabled": (True, REPLACE),
    "network": ("projects/1/global/networks/n", REPLACE),
    "privateServiceConnectConfig": ({"enablePrivateServiceConnect": True}, REPLACE),
    "encryptionSpec": ({"kmsKeyName": f"{PLACE}/keyRings/r/cryptoKeys/k"}, REPLACE),
    "predictRequestResponseLoggingConfig": ({"enabled": True, "samplingRate": 0.1}, IN_PLACE),
    "clientConnectionConfig": ({"inferenceTimeout": "90s"}, IN_PLACE),
    "displayName": ("other", IN_PLACE),
    "description": ("text", IN_PLACE),
    "labels.team": ("b", IN_PLACE),
    "allowReplace": (True, IN_PLACE),
}
# MutateDeployedModelRequest.deployed_model: "Only the following fields can be mutated: min_replica_count ...,
# max_replica_count ..., required_replica_count ..., autoscaling_metric_specs, disable_container_logging".
DEPLOYMENT = {
    "endpoint": (f"{PLACE}/endpoints/f", REPLACE),
    f"{STABLE}model": (f"{PLACE}/models/m@2", REDEPLOY),
    f"{STABLE}displayName": ("other", REDEPLOY),
    f"{STABLE}serviceAccount": ("a@b", REDEPLOY),
    f"{STABLE}enableAccessLogging": (True, REDEPLOY),
    f"{STABLE}recreate": ("x", REDEPLOY),
    f"{STABLE}id": ("7", REDEPLOY),
    f"{STABLE}systemLabels": ({"a": "b"}, REDEPLOY),
    f"{STABLE}sharedResources": (f"{PLACE}/deploymentResourcePools/r", REDEPLOY),
    f"{STABLE}strategy": ("UNDEPLOY_FIRST", IN_PLACE),
    f"{STABLE}deletionProtection": (True, IN_PLACE),
    f"{STABLE}disableContainerLogging": (True, IN_PLACE),
    f"{MACHINES}machineSpec.machineType": ("ct6e-standard-4t", REDEPLOY),
    f"{MACHINES}machineSpec.tpuTopology": ("4x4", REDEPLOY),
    f"{MACHINES}machineSpec.reservationAffinity": ({"reservationAffinityType": "NO_RESERVATION"}, REDEPLOY),
    f"{MACHINES}spot": (True, REDEPLOY),
    f"{MACHINES}minReplicaCount": (2, IN_PLACE),
    f"{MACHINES}maxReplicaCount": (2, IN_PLACE),
    f"{MACHINES}requiredReplicaCount": (1, IN_PLACE),
    f"{MACHINES}autoscalingMetricSpecs": ([{"metricName": "m", "target": 50}], IN_PLACE),
    "deployedModels.canary": (programs.variant(f"{PLACE}/models/m@2"), REDEPLOY),
    "trafficSplit": ({"stable": 100}, IN_PLACE),
    "onFailure": ("UNDEPLOY", IN_PLACE),
    "paused": (True, IN_PLACE),
    "allowOutage": (True, IN_PLACE),
}
EFFECTS = {
    programs.QUEUED_RESOURCE: QUEUED_RESOURCE,
    programs.MODEL: MODEL,
    programs.ENDPOINT: ENDPOINT,
    programs.DEPLOYMENT: DEPLOYMENT,
}
ROWS = [(token, path, *row) for token, table in EFFECTS.items() for path, row in table.items()]
each_row = pytest.mark.parametrize("row", ROWS, ids=[f"{row[0].rsplit(':', 1)[-1]}.{row[1]}" for row in ROWS])


def dotted(path: str) -> str:
    return path.replace("[", ".").replace("]", "")


@each_row
def test_effect(row: tuple[str, str, Any, Effect]) -> None:
    token, path, value, effect = row
    shape, old = LIFECYCLES[token].definition.shape, ARGS[token]

    found = list(changes(shape, old, changed(old, {path: value})))

    assert [(dotted(change.path), change.effect) for change in found] == [(path, effect)]


@each_row
def test_effect_of_a_value_not_known_yet(row: tuple[str, str, Any, Effect]) -> None:
    token, path, _, effect = row
    shape, old = LIFECYCLES[token].definition.shape, ARGS[token]

    found = list(changes(shape, old, changed(old, {path: UNKNOWN})))

    assert [(dotted(change.path), change.effect) for change in found] == [(path, effect)]


@each_row
def test_effect_of_taking_it_out_again(row: tuple[str, str, Any, Effect]) -> None:
    token, path, value, effect = row
    shape, new = LIFECYCLES[token].definition.shape, ARGS[token]

    found = list(changes(shape, changed(new, {path: value}), new))

    assert [change.effect for change in found] == [effect]


@pytest.mark.parametrize("token", sorted(EFFECTS))
def test_every_argument_is_in_the_table(token: str) -> None:
    """Of Deployment, what is refused everywhere (accelerator fields) is not."""
    known = {path.replace(".0", "") for path in EFFECTS[token]}
    given = {name.replace(".0", "") for name in leaves(LIFECYCLES[token].definition.shape)}
    refused = {f"{MACHINES}machineSpec.accelerator{name}" for name in ("Type", "Count")}

    missing = {name for name in given - refused if not any(is_within(name, path) for path in known)}
    assert missing - {"tpu.nodeSpec.nodeId"} == set()


def is_within(name: str, path: str) -> bool:
    return name == path or name.startswith(f"{path}.") or path.startswith(f"{name}.")


def leaves(shape: Shape, prefix: str = "") -> set[str]:
    """Dotted paths of all arguments; a variant is called `stable`, a label not at all."""
    if shape.kind == "object":
        return {path for a in shape.arguments for path in leaves(a.shape, f"{prefix}{a.wire}.")} or {prefix[:-1]}
    if shape.kind == "map" and shape.item and shape.item.kind == "object":
        return leaves(shape.item, f"{prefix}stable.")
    if shape.kind == "list" and shape.item and shape.item.kind == "object":
        return leaves(shape.item, f"{prefix}0.")
    return {prefix[:-1]}
