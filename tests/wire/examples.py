"""Arguments of each resource that Check accepts, several examples a resource: together they hold every argument.

What excludes one another (the tiers, the ends of a queue, the ways of a probe) is in different examples.
"""

from __future__ import annotations

from typing import Any

from tests.wire import programs

PLACE = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
KEY = {"kmsKeyName": f"{PLACE}/keyRings/r/cryptoKeys/k"}
REFUSED = {
    "deployedModels.*.dedicatedResources.machineSpec.acceleratorType",
    "deployedModels.*.dedicatedResources.machineSpec.acceleratorCount",
}
"""Arguments that are there to be refused with their reason."""
NODE, STABLE = "tpu.nodeSpec.0.node.", "deployedModels.stable."
TIMES = {
    "initialDelaySeconds": 1,
    "periodSeconds": 5,
    "timeoutSeconds": 5,
    "successThreshold": 1,
    "failureThreshold": 3,
}


def queued_resource() -> list[dict[str, Any]]:
    interval = {"startTime": "2026-12-01T00:00:00Z", "endTime": "2026-12-02T00:00:00Z"}
    network = {
        "network": "projects/host-project/global/networks/shared",
        "subnetwork": "projects/host-project/regions/us-east5/subnetworks/tpus",
        "queueCount": 4,
        "enableExternalIps": False,
        "canIpForward": True,
    }
    disk = {"sourceDisk": "projects/tpuserve-local/zones/us-east5-b/disks/weights", "mode": "READ_ONLY"}
    node = {
        "acceleratorType": None,
        "acceleratorConfig": {"type": "V6E", "topology": "2x4"},
        "networkConfig": network,
        "dataDisks": [disk],
        "bootDiskConfig": {"customerEncryptionKey": KEY, "enableConfidentialCompute": False},
        "schedulingConfig": {"spot": True},
        "serviceAccount": {"email": "tpu@p.iam.gserviceaccount.com", "scope": ["cloud-platform"]},
        "shieldedInstanceConfig": {"enableSecureBoot": True},
        "labels": {"a": "b"},
        "metadata": {"a": "b"},
        "tags": ["x"],
        "description": "text",
    }
    shared = programs.collection(
        waitFor="ACTIVE",
        onSuspended="KEEP",
        spot={},
        recreate="a",
        queueingPolicy={"validInterval": interval},
        reservationName=f"{programs.ZONE_PATH}/reservations/-",
        project=programs.PROJECT,
        zone=programs.ZONE,
        queuedResourceId="mine",
        **{f"{NODE}{key}": value for key, value in node.items()},
        **{"tpu.nodeSpec.0.multiNodeParams.nodeIdPrefix": "dig"},
    )
    single = {"tpu.nodeSpec.0.multiNodeParams": None, "tpu.nodeSpec.0.nodeId": "one"}
    return [
        shared,
        programs.collection(
            guaranteed={"minDuration": "3600s", "reserved": True},
            queueingPolicy={"validAfterDuration": "60s"},
            **{f"{NODE}schedulingConfig": {"reserved": True}},
        ),
        programs.collection(
            bestEffort={},
            queueingPolicy={"validUntilDuration": "3600s"},
            **{f"{NODE}schedulingConfig": {"preemptible": True}},
        ),
        programs.collection(queueingPolicy={"validUntilTime": "2026-12-02T00:00:00Z"}, **single),
        programs.collection(queueingPolicy={"validAfterTime": "2026-12-02T00:00:00Z"}),
        programs.collection(
            provisioningModel="FLEX_START",
            runDuration={"maxRunDuration": "3600s", "terminationTime": "2040-01-01T00:00:00Z"},
        ),
    ]


def model() -> list[dict[str, Any]]:
    http = {
        "path": "/h",
        "port": 80,
        "host": "h",
        "scheme": "HTTP",
        "httpHeaders": [{"name": "a", "value": "b"}],
    }
    ways = {
        "exec": {"command": ["true"]},
        "httpGet": http,
        "grpc": {"port": 80, "service": "s"},
        "tcpSocket": {"host": "h", "port": 80},
    }
    container = {
        "env": [{"name": "A", "value": "b"}],
        "deploymentTimeout": "60s",
        "command": ["a"],
        "args": ["a"],
        "grpcPorts": [{"containerPort": 8500}],
        "sharedMemorySizeMb": 64,
    }
    whole = programs.model(
        labels={"a": "b"},
        versionAliases=["champion"],
        recreate="a",
        artifactUri="gs://bucket/folder",
        contentVersion="1",
        description="text",
        versionDescription="text",
        encryptionSpec=KEY,
        modelId="m",
        retainVersions=2,
        project=programs.PROJECT,
        location=programs.LOCATION,
        **{f"containerSpec.{key}": value for key, value in container.items()},
    )
    probed = [
        programs.model(
            **{
                f"containerSpec.{probe}": {way: {**what}, **TIMES}
                for probe in ("startupProbe", "healthProbe", "livenessProbe")
            }
        )
        for way, what in ways.items()
    ]
    routed = programs.model(**{"containerSpec.invokeRoutePrefix": "/*", "containerSpec.predictRoute": None})
    return [whole, *probed, routed]


def endpoint() -> list[dict[str, Any]]:
    logged = {"enabled": True, "samplingRate": 0.5, "bigqueryDestination": {"outputUri": "bq://p.d.t"}}
    return [
        programs.endpoint(
            dedicatedEndpointEnabled=True,
            description="text",
            allowReplace=True,
            clientConnectionConfig={"inferenceTimeout": "60s"},
            encryptionSpec=KEY,
            endpointId="mine",
            predictRequestResponseLoggingConfig=logged,
            recreate="a",
            project=programs.PROJECT,
            location=programs.LOCATION,
        ),
        programs.endpoint(network="projects/1234/global/networks/n"),
        programs.endpoint(
            privateServiceConnectConfig={"enablePrivateServiceConnect": True, "projectAllowlist": ["consumer-project"]},
        ),
    ]


def deployment() -> list[dict[str, Any]]:
    affinity = {
        "reservationAffinityType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/p/zones/z/reservations/r"],
    }
    stable = {
        "deletionProtection": True,
        "disableContainerLogging": True,
        "enableAccessLogging": True,
        "displayName": "shown",
        "recreate": "a",
        "serviceAccount": "a@p.iam.gserviceaccount.com",
        "systemLabels": {"a": "b"},
        "dedicatedResources.machineSpec.reservationAffinity": affinity,
        "dedicatedResources.maxReplicaCount": 3,
        "dedicatedResources.requiredReplicaCount": 1,
        "dedicatedResources.autoscalingMetricSpecs": [{"metricName": "m", "target": 50}],
    }
    pool = programs.variant(f"{PLACE}/models/m@3", sharedResources=f"{PLACE}/deploymentResourcePools/r")
    pool.pop("dedicatedResources")
    several = {"machineType": "ct6e-standard-4t", "tpuTopology": "4x4"}
    spot = {"dedicatedResources.machineSpec": several, "dedicatedResources.spot": True}
    return [
        programs.deployment(
            f"{PLACE}/endpoints/e",
            f"{PLACE}/models/m@1",
            trafficSplit={"stable": 90, "canary": 10},
            onFailure="KEEP",
            paused=False,
            allowOutage=True,
            **{"deployedModels.canary": programs.variant(f"{PLACE}/models/m@2", id="7", strategy="UNDEPLOY_FIRST")},
            **{f"{STABLE}{key}": value for key, value in stable.items()},
        ),
        programs.deployment(
            f"{PLACE}/endpoints/e",
            f"{PLACE}/models/m@1",
            trafficSplit={"stable": 100},
            **{"deployedModels.pooled": pool},
            **{f"{STABLE}{key}": value for key, value in spot.items()},
        ),
    ]


EXAMPLES = {
    programs.QUEUED_RESOURCE: queued_resource(),
    programs.MODEL: model(),
    programs.ENDPOINT: endpoint(),
    programs.DEPLOYMENT: deployment(),
}
