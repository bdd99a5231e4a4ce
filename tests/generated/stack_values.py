"""What a generated stack puts at each path: values that are right beside values that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.generated import cases
from tests.generated import values as anything
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, PROJECT, QUEUED_RESOURCE
from tpuserve.provider.server import LIFECYCLES

Strategy = st.SearchStrategy[Any]
LEFT_OUT: Any = object()
"""In place of a value: the argument is not there."""
VARIANT = DEPLOYMENT
ZONES = st.sampled_from(["us-east5-b"] * 12 + ["us-east1-d", "us-east1-d", "us-west4-a"])
REGIONS = st.sampled_from(["us-east5", "us-east5", "us-west1"])
HOW_MANY: Mapping[str, Strategy] = {
    QUEUED_RESOURCE: st.sampled_from([0, 1, 1, 2]),
    MODEL: st.sampled_from([0, 0, 0, 0, 1, 2]),
    ENDPOINT: st.sampled_from([0, 0, 0, 0, 1, 2]),
    VARIANT: st.sampled_from([0, 0, 1, 2]),
}


def either(right: Sequence[Any], wrong: Sequence[Any]) -> Strategy:
    """A value that is right twice as often as one that is not, whatever their numbers."""
    good = st.sampled_from(right)
    return st.one_of(good, good, st.sampled_from(wrong)) if wrong else good


LONG = "a" * 129
LABELS = either([{}, {"team": "a"}, {"k_1-x": ""}, {"a" * 63: "b" * 63}], [{"Team": "a"}, {"1": "a"}, {"k": "a.b"}])
DISPLAY_NAME = either(["digits", "ü 数", "a" * 128], ["", LONG])
KEYS = {region: f"projects/p/locations/{region}/keyRings/r/cryptoKeys/k" for region in ("us-east5", "us-west1")}
ROUTES = either(["/predict", "/v1/x", LEFT_OUT], ["predict", ""])
SLICES = [f"{kind}-{chips}" for kind in ("v6e", "v5litepod") for chips in (1, 4, 8, 16, 256)]
NODE = "tpu.nodeSpec.0.node"
MANY = "tpu.nodeSpec.0.multiNodeParams"
DISK = f"projects/{PROJECT}/zones/us-east5-b/disks/d"
RESERVATION = f"projects/{PROJECT}/locations/us-east5-b/reservations/r"

OF_SLICES: Mapping[str, Strategy] = {
    "queuedResourceId": either(["q-#", "Q_#", LEFT_OUT], ["q #", "q/#"]),
    f"{NODE}.acceleratorType": either(SLICES, ["v6e-2", "v5p-8", "v6e", LEFT_OUT]),
    f"{NODE}.acceleratorConfig": either([LEFT_OUT], [{"type": "V6E", "topology": "2x4"}]),
    f"{NODE}.runtimeVersion": either(
        ["v2-alpha-tpuv6e", "v2-alpha-tpuv5-lite", "tpu-ubuntu2204-base"], ["v2-alpha-tpuv5", "tpu", LEFT_OUT]
    ),
    f"{NODE}.labels": LABELS,
    f"{NODE}.description": either(["", "a" * 512], ["a" * 513]),
    f"{NODE}.dataDisks": either(
        [[], [{"sourceDisk": DISK, "mode": "READ_ONLY"}]],
        [[{"sourceDisk": DISK, "mode": "READ_WRITE"}], [{"sourceDisk": DISK}], [{"sourceDisk": "d"}]],
    ),
    MANY: either(
        [
            {"nodeCount": 2},
            {"nodeCount": 3, "workloadType": "availability-optimized"},
            {"nodeCount": 2, "nodeIdPrefix": "p#"},
        ],
        [
            {"nodeCount": 1},
            {"nodeCount": 0},
            {"nodeCount": 2, "workloadType": "BEST"},
            {"nodeCount": 2, "nodeIdPrefix": "a #"},
            LEFT_OUT,
        ],
    ),
    f"{MANY}.workloadType": either(
        ["AVAILABILITY_OPTIMIZED", "THROUGHPUT_OPTIMIZED", "AVAILABILITY-OPTIMIZED"], ["HIGH_AVAILABILITY"]
    ),
    "tpu.nodeSpec.0": either(
        [
            {"nodeId": "n-#", "node": {"acceleratorType": kind, "runtimeVersion": version}}
            for kind, version in (
                ("v6e-4", "v2-alpha-tpuv6e"),
                ("v5litepod-8", "v2-alpha-tpuv5-lite"),
                ("v5litepod-16", "v2-alpha-tpuv5-lite"),
            )
        ],
        [{"nodeId": "n #", "node": {"acceleratorType": "v6e-4", "runtimeVersion": "v2-alpha-tpuv6e"}}],
    ),
    "tpu.nodeSpec.0.nodeId": either([LEFT_OUT], ["n-#"]),
    "spot": either([{}, LEFT_OUT], []),
    "bestEffort": either([{}, LEFT_OUT], []),
    "guaranteed": either([{"reserved": False}, {"reserved": True}, {"minDuration": "3600s"}], []),
    "reservationName": either([RESERVATION], ["r"]),
    "queueingPolicy": either(
        [{"validUntilDuration": "3600s"}, {"validUntilTime": "2040-01-01T00:00:00Z"}, {"validAfterDuration": "0s"}],
        [
            {"validUntilDuration": "3600s", "validAfterDuration": "60s"},
            {"validInterval": {"startTime": "2041-01-01T00:00:00Z", "endTime": "2040-01-01T00:00:00Z"}},
        ],
    ),
}
OF_MODELS: Mapping[str, Strategy] = {
    "modelId": either(["x-#", "m_#"], ["M-9", "9m", "a" * 64]),
    "displayName": DISPLAY_NAME,
    "labels": LABELS,
    "versionAliases": either([["green"], []], [["G"], ["a"], ["1st"]]),
    "containerSpec.imageUri": either(["registry/digits:2"], ["", LEFT_OUT]),
    "containerSpec.predictRoute": ROUTES,
    "containerSpec.healthRoute": ROUTES,
    "containerSpec.invokeRoutePrefix": st.sampled_from(["/*", "/x", LEFT_OUT]),
    "containerSpec.ports": either(
        [[], [{"containerPort": 1}], [{"containerPort": 65535}]], [[{"containerPort": 0}], [{"containerPort": 65536}]]
    ),
    "containerSpec.deploymentTimeout": either(["7200s", "60s"], ["7201s"]),
    "containerSpec.sharedMemorySizeMb": either([0, 64], [-1]),
    "containerSpec.env": either(
        [[{"name": "A_1", "value": "x"}]], [[{"name": "1A", "value": "x"}], [{"name": "", "value": ""}]]
    ),
    "containerSpec.healthProbe": either(
        [
            {"httpGet": {"path": "/h", "port": 8080}},
            {"tcpSocket": {"port": 8080}, "periodSeconds": 5, "timeoutSeconds": 5},
        ],
        [
            {},
            {"httpGet": {"scheme": "FTP"}},
            {"tcpSocket": {"port": 70000}},
            {"grpc": {"port": 1}, "periodSeconds": -1},
        ],
    ),
}
PSC = {"enablePrivateServiceConnect": True}
LOG = {"enabled": True, "samplingRate": 0.5, "bigqueryDestination": {"outputUri": "bq://p.d.t"}}
OF_ENDPOINTS: Mapping[str, Strategy] = {
    "endpointId": either(["x-#", "7#", "12345678#"], ["E", "e-", "01", "1234567890"]),
    "displayName": DISPLAY_NAME,
    "labels": LABELS,
    "dedicatedEndpointEnabled": st.booleans(),
    "network": either(["projects/100000000001/global/networks/n"], ["projects/p/global/networks/n", "n"]),
    "privateServiceConnectConfig": either([PSC, LEFT_OUT], []),
    "encryptionSpec.kmsKeyName": either([KEYS["us-east5"]], [KEYS["us-west1"], "k"]),
    "predictRequestResponseLoggingConfig": either(
        [LOG, LOG | {"samplingRate": 1}],
        [
            LOG | {"samplingRate": 1.5},
            LOG | {"samplingRate": -0.5},
            LOG | {"bigqueryDestination": {"outputUri": "p.d"}},
        ],
    ),
    "clientConnectionConfig.inferenceTimeout": either(["60s", "3600s"], ["3601s", "0s"]),
}
RESOURCES = "dedicatedResources"
MACHINE = f"{RESOURCES}.machineSpec"
MACHINES = [f"{kind}-{chips}t" for kind in ("ct6e-standard", "ct5lp-hightpu") for chips in (1, 4, 8)]
METRIC = {"metricName": "aiplatform.googleapis.com/prediction/online/cpu/utilization", "target": 60}
BOUND = {
    "reservationAffinityType": "SPECIFIC_RESERVATION",
    "key": "compute.googleapis.com/reservation-name",
    "values": [f"projects/{PROJECT}/zones/us-east5-b/reservations/r"],
}
OF_VARIANTS: Mapping[str, Strategy] = {
    f"{MACHINE}.machineType": either(MACHINES, ["ct6e-standard-2t", "ct5p-hightpu-4t", "tpu7x-standard-4t", "ct6e"]),
    MACHINE: either(
        [{"machineType": "ct6e-standard-4t", "tpuTopology": side} for side in ("2x2", "4x4", "8x8")],
        [
            {"machineType": "ct6e-standard-4t", "tpuTopology": "3x3"},
            {"machineType": "ct6e-standard-8t", "tpuTopology": "4x4"},
        ],
    ),
    f"{MACHINE}.acceleratorCount": either([LEFT_OUT], [1, 4]),
    f"{MACHINE}.reservationAffinity": either(
        [{"reservationAffinityType": "NO_RESERVATION"}, BOUND],
        [{"reservationAffinityType": "SPECIFIC_RESERVATION"}, BOUND | {"reservationAffinityType": "NO_RESERVATION"}],
    ),
    f"{RESOURCES}.minReplicaCount": either([1, 2], [0, -1, LEFT_OUT]),
    f"{RESOURCES}.maxReplicaCount": either([1, 3, LEFT_OUT], [-1]),
    f"{RESOURCES}.requiredReplicaCount": either([1], [4, -1]),
    f"{RESOURCES}.spot": st.booleans(),
    f"{RESOURCES}.autoscalingMetricSpecs": either([[METRIC], []], [[METRIC, METRIC]]),
    RESOURCES: either([{"machineSpec": {"machineType": kind}, "minReplicaCount": 2} for kind in MACHINES], [LEFT_OUT]),
    "displayName": either(["digits"], [LONG]),
}
CHANGES: Mapping[str, Mapping[str, Strategy]] = {
    QUEUED_RESOURCE: OF_SLICES,
    MODEL: OF_MODELS,
    ENDPOINT: OF_ENDPOINTS,
    VARIANT: OF_VARIANTS,
}
ANYTHING: Mapping[str, Strategy] = {
    **{token: anything.of(LIFECYCLES[token].definition.shape) for token in (QUEUED_RESOURCE, MODEL, ENDPOINT)},
    VARIANT: cases.VARIANT,
}
"""Arguments of any kind with right values."""
NAMED = ("project", "location", "zone", "modelId", "endpointId", "queuedResourceId", "model", "id")
"""Arguments that say which one it is, and are left as they are."""
QUOTAS = (
    "TPUV6EPerProjectPerZoneForTPUAPI",
    "TPUV6EPreemptiblePerProjectPerZoneForTPUAPI",
    "TPUV5sLitepodServingPerProjectPerZoneForTPUAPI",
    "TPUV5sLitepodPerProjectPerZoneForTPUAPI",
    "TPUV5sPreemptibleLitepodServingPerProjectPerZoneForTPUAPI",
    "TPUV5sPreemptibleLitepodPerProjectPerRegionForTPUAPI",
    "CustomModelServingV6ETPUPerProjectPerRegion",
    "CustomModelServingV5ETPUPerProjectPerRegion",
    "CustomModelServingPreemptibleV6ETPUPerProjectPerRegion",
    "CustomModelServingPreemptibleV5ETPUPerProjectPerRegion",
)
_CHIPS = st.sampled_from([24, 64, 1000, 4000])
_PLACES = st.dictionaries(st.sampled_from(["us-east5-b", "us-east5", "us-west1", "us-east1-d"]), _CHIPS, max_size=2)
LIMITS = st.fixed_dictionaries(
    {
        name: _PLACES.map(lambda places: {"*": 5000} | places) | st.just({"*": 4000})
        for name in QUOTAS[:1] + QUOTAS[6:7]
    },
    optional={name: st.just({"*": 4000}) | _PLACES for name in QUOTAS if name not in (QUOTAS[0], QUOTAS[6])},
)


def split(names: Sequence[str]) -> Strategy:
    """Shares for these variants; `LEFT_OUT` for none."""
    if len(names) == 1:
        return st.sampled_from([LEFT_OUT] * 6 + [{names[0]: 100}] * 3 + [{names[0]: 90}, {"other": 100}])
    first, second = names
    right = [{first: 10, second: 90}, {first: 0, second: 100}, {second: 100}]
    return either(right, [{first: 60, second: 60}, {first: -10, second: 110}, LEFT_OUT])
