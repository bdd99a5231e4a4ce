"""A strategy for the arguments of any resource, made from its shape; a leaf without valid values is an error."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.wire.programs import PROJECT
from tpuserve.resources.fields import Argument, Shape

Strategy = st.SearchStrategy[Any]
TEXT = st.sampled_from(["digits", "Digits, 2nd", "ü 数", "a" * 60])
WORD = st.sampled_from(["a", "team-b", "c_3"])
ROUTE = st.sampled_from(["/predict", "/v1/x", "/health"])
DURATION = st.sampled_from(["60s", "60.0s", "3600s", "1800.5s"])
COUNT = st.integers(1, 3)
ACCOUNT = st.sampled_from(["serving@p.iam.gserviceaccount.com", "other@p.iam.gserviceaccount.com"])
KEY = st.sampled_from([f"projects/p/locations/us-east5/keyRings/r/cryptoKeys/{key}" for key in "ab"])

# What an argument may hold: `<TypedDict>.<wire name>`, else the wire name alone. Booleans, enums, objects and what is
# made of them need no row. What a row has by mistake Check refuses, and the coverage of a run shows that it never came.
VALUES: dict[str, Strategy] = {
    "project": st.just(PROJECT),
    "location": st.sampled_from(["us-east5", "us-central1"]),
    "zone": st.sampled_from(["us-east5-b", "us-east5-a"]),
    "modelId": st.sampled_from(["m-1", "m_2"]),
    "endpointId": st.sampled_from(["e-1", "77"]),
    "queuedResourceId": st.sampled_from(["q-1", "q-2"]),
    "displayName": TEXT,
    "description": TEXT,
    "versionDescription": TEXT,
    "recreate": WORD,
    "contentVersion": WORD,
    "versionAliases": st.lists(st.sampled_from(["champion", "green", "r2"]), unique=True, max_size=2),
    "retainVersions": st.integers(1, 4),
    "artifactUri": st.sampled_from(["gs://weights/one", "gs://weights/two"]),
    "kmsKeyName": KEY,
    "labels": st.dictionaries(st.sampled_from(["team", "env", "k_1"]), WORD, max_size=2),
    "systemLabels": st.dictionaries(st.sampled_from(["team", "env"]), WORD, max_size=2),
    "imageUri": st.sampled_from(["registry/digits:1", "registry/digits:2", "registry/other:1"]),
    "command": st.lists(WORD, max_size=2),
    "args": st.lists(st.sampled_from(["--port=8080", "--x", "$(A)"]), max_size=2),
    "ContainerSpecArgs.env": st.lists(
        st.fixed_dictionaries({"name": st.sampled_from(["A", "B_2"]), "value": WORD}),
        max_size=2,
        unique_by=lambda item: item["name"],
    ),
    "containerPort": st.sampled_from([8080, 8501]),
    "predictRoute": ROUTE,
    "healthRoute": ROUTE,
    "invokeRoutePrefix": st.just("/*"),
    "deploymentTimeout": DURATION,
    "sharedMemorySizeMb": st.sampled_from([64, 1024]),
    "periodSeconds": st.integers(5, 10),
    "timeoutSeconds": st.integers(1, 4),
    "failureThreshold": COUNT,
    "successThreshold": COUNT,
    "initialDelaySeconds": COUNT,
    "path": ROUTE,
    "port": st.sampled_from([8080, 8501]),
    "host": WORD,
    "scheme": st.sampled_from(["HTTP", "HTTPS"]),
    "service": WORD,
    "HttpHeaderArgs.name": st.just("x-a"),
    "value": WORD,
    "network": st.sampled_from([f"projects/100000000001/global/networks/{name}" for name in ("n1", "n2")]),
    "subnetwork": st.sampled_from([f"projects/{PROJECT}/regions/us-east5/subnetworks/{name}" for name in ("s1", "s2")]),
    "projectAllowlist": st.lists(st.sampled_from(["project-one", "project-two"]), max_size=2, unique=True),
    "samplingRate": st.sampled_from([0.1, 0.5, 1]),
    "outputUri": st.sampled_from(["bq://p.d.t", "bq://p.d.u", "bq://q"]),
    "inferenceTimeout": st.sampled_from(["60s", "600s"]),
    "nodeId": st.sampled_from(["n-1", "n-2"]),
    "nodeCount": st.integers(2, 3),
    "nodeIdPrefix": st.sampled_from(["pre", "fix"]),
    "workloadType": st.sampled_from(
        ["AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED", "availability-optimized", "throughput-optimized"]
    ),
    "NodeArgs.acceleratorType": st.sampled_from(["v6e-8", "v6e-4"]),
    "runtimeVersion": st.just("v2-alpha-tpuv6e"),
    "type": st.just("V6E"),
    "topology": st.sampled_from(["2x4", "2x2"]),
    "queueCount": COUNT,
    "NodeArgs.serviceAccount": st.fixed_dictionaries(
        {"email": ACCOUNT, "scope": st.just(["https://www.googleapis.com/auth/cloud-platform"])}
    ),
    "email": ACCOUNT,
    "scope": st.lists(st.sampled_from(["https://www.googleapis.com/auth/cloud-platform"]), max_size=1),
    "metadata": st.dictionaries(st.sampled_from(["startup-script", "k"]), TEXT, max_size=2),
    "tags": st.lists(st.sampled_from(["t1", "t2"]), max_size=2, unique=True),
    "sourceDisk": st.just(f"projects/{PROJECT}/zones/us-east5-b/disks/d"),
    "minDuration": DURATION,
    "maxRunDuration": DURATION,
    "terminationTime": st.sampled_from(["2040-01-01T00:00:00Z", "2041-06-01T00:00:00Z"]),
    "reservationName": st.sampled_from(
        [f"projects/{PROJECT}/locations/us-east5-b/reservations/{name}" for name in ("r1", "r2")]
    ),
    "validUntilDuration": DURATION,
    "validUntilTime": st.sampled_from(["2040-01-01T00:00:00Z", "2040-01-01T02:00:00+02:00", "2041-06-01T00:00:00Z"]),
    "validAfterDuration": st.just("0s"),
    "validAfterTime": st.just("2020-01-01T00:00:00Z"),
    "startTime": st.just("2020-01-01T00:00:00Z"),
    "endTime": st.just("2040-01-01T00:00:00Z"),
    "machineType": st.sampled_from(["ct6e-standard-1t", "ct6e-standard-4t"]),
    "tpuTopology": st.sampled_from(["2x4", "4x4"]),
    "reservationAffinity": st.sampled_from(
        [
            {"reservationAffinityType": "NO_RESERVATION"},
            {
                "reservationAffinityType": "SPECIFIC_RESERVATION",
                "key": "compute.googleapis.com/reservation-name",
                "values": [f"projects/{PROJECT}/zones/us-east5-b/reservations/r"],
            },
        ]
    ),
    "minReplicaCount": COUNT,
    "maxReplicaCount": st.integers(3, 4),
    "requiredReplicaCount": st.just(1),
    "metricName": st.sampled_from([f"aiplatform.googleapis.com/prediction/online/{name}" for name in ("cpu", "duty")]),
    "target": st.sampled_from([50, 70]),
    "serviceAccount": ACCOUNT,
}
# Of these arguments of an object exactly one is given; of all where none are named.
EXACTLY_ONE = {
    "NodeSpecArgs": ("nodeId", "multiNodeParams"),
    "NodeArgs": ("acceleratorType", "acceleratorConfig"),
    "QueueingPolicyArgs": (),
    "DeployedModelArgs": ("dedicatedResources",),
}
NEVER = {
    "MachineSpecArgs.acceleratorType": "exists to be refused",
    "MachineSpecArgs.acceleratorCount": "exists to be refused",
    "DeployedModelArgs.model": "made by the case",
    "DeployedModelArgs.id": "made by the case",
    "DeployedModelArgs.deletionProtection": "a removal would be refused, which is no change",
    "DeployedModelArgs.sharedResources": "needs a pool; tests/wire has its own",
    "DeploymentArgs.endpoint": "made by the case",
    "DeploymentArgs.deployedModels": "made by the case",
    "DeploymentArgs.trafficSplit": "made by the case",
}


class NoValuesError(Exception):
    """An argument has no row in VALUES: a field was added without one."""


def of(shape: Shape) -> Strategy:
    """Arguments of an object: what is required, and any of the rest."""
    assert shape.typed_dict is not None
    owner = shape.typed_dict.__name__
    parts = {a.wire: argument(owner, a) for a in shape.arguments if f"{owner}.{a.wire}" not in NEVER}
    required = {a.wire for a in shape.arguments if a.required}
    if owner in EXACTLY_ONE:
        return _exactly_one(parts, EXACTLY_ONE[owner] or tuple(parts), required)
    return st.fixed_dictionaries(
        {name: part for name, part in parts.items() if name in required},
        optional={name: part for name, part in parts.items() if name not in required},
    )


def _exactly_one(parts: dict[str, Strategy], names: tuple[str, ...], required: set[str]) -> Strategy:
    there = {name: part for name, part in parts.items() if name in required and name not in names}
    others = {name: part for name, part in parts.items() if name not in {*names, *required}}
    return st.one_of([st.fixed_dictionaries({name: parts[name], **there}, optional=others) for name in names])


def argument(owner: str, given: Argument) -> Strategy:
    """Values of one argument."""
    row = VALUES.get(f"{owner}.{given.wire}", VALUES.get(given.wire))
    return of_kind(owner, given.wire, given.shape) if row is None else row


def of_kind(owner: str, wire: str, shape: Shape) -> Strategy:
    if shape.kind == "boolean":
        return st.booleans()
    if shape.allowed:
        return st.sampled_from(shape.allowed)
    if shape.kind == "object":
        return of(shape)
    if shape.kind == "list" and shape.item and shape.item.kind == "object":
        return st.lists(of(shape.item), min_size=1, max_size=1)
    raise NoValuesError(f"{owner}.{wire} ({shape.kind}) has no row in VALUES of {__name__}")
