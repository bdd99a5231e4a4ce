"""Every live object, as the control API lists it: what a test counts to see that nothing is lost or doubled."""

from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.messages import Node, QueuedResourceState
from tpuserve.emulator.tpu.rules import planned
from tpuserve.emulator.tpu.run_duration import DOCUMENT, model_of
from tpuserve.emulator.vertex.servers import process_name


def inventory(core: Core) -> dict[str, Any]:
    """Objects by kind with full names, labels or display names, and states; and what runs."""
    return {
        "queuedResources": [_queued_resource(core, value) for _, value in core.store.items("queued_resources")],
        "nodes": [_node(core, value) for _, value in core.store.items("nodes")],
        "models": [_model(core, value) for _, value in core.store.items("models")],
        "endpoints": [_endpoint(core, value) for _, value in core.store.items("endpoints")],
        "operations": [
            {"name": found.name, "kind": found.kind, "target": found.target, "stage": found.stage}
            for found in core.operations.running()
        ],
    }


def _queued_resource(core: Core, value: Any) -> dict[str, Any]:
    spec = value.tpu.node_spec[0]
    state = QueuedResourceState.State.Name(value.state.state)
    plan = planned(value, value.name.rpartition("/")[2])
    workload = type(spec.multi_node_params).WorkloadType.Name(spec.multi_node_params.workload_type)
    return {
        "name": value.name,
        "state": state,
        "labels": dict(spec.node.labels),
        "acceleratorType": plan.accelerator_type,
        "nodeCount": len(plan.node_ids),
        "workloadType": workload if spec.HasField("multi_node_params") else "",
        "provisioningModel": model_of(core.beside.of(value.name, DOCUMENT)),
    }


def _node(core: Core, value: Any) -> dict[str, Any]:
    return {
        "name": value.name,
        "state": Node.State.Name(value.state),
        "health": Node.Health.Name(value.health),
        "labels": dict(value.labels),
        "queuedResource": value.queued_resource,
        "networkEndpoints": [f"{found.ip_address}:{found.port}" for found in value.network_endpoints],
        **_process(core, value.name),
    }


def _model(core: Core, value: Any) -> dict[str, Any]:
    versions = [
        {
            "versionId": name.rpartition("@")[2],
            "versionAliases": list(version.version_aliases),
            "labels": dict(version.labels),
            "imageUri": version.container_spec.image_uri,
        }
        for name, version in core.store.items("versions", f"{value.name}@")
    ]
    return {
        "name": value.name,
        "displayName": value.display_name,
        "labels": dict(value.labels),
        "versions": versions,
    }


def _endpoint(core: Core, value: Any) -> dict[str, Any]:
    deployed = [
        {
            "id": model.id,
            "displayName": model.display_name,
            "model": model.model,
            "modelVersionId": model.model_version_id,
            "availableReplicaCount": model.status.available_replica_count,
            **_server(core, process_name(value.name, model.id)),
        }
        for model in value.deployed_models
    ]
    return {
        "name": value.name,
        "displayName": value.display_name,
        "labels": dict(value.labels),
        "trafficSplit": dict(value.traffic_split),
        "deployedModels": deployed,
    }


def _server(core: Core, name: str) -> dict[str, Any]:
    """The replicas that have a process; `alive`, pid and port are of the first that runs."""
    server = core.servers.get(name)
    if server is None:
        return {}
    runs = next((replica.name for replica in server.replicas if replica.served.alive), "")
    shown = {key: value for key, value in _process(core, runs).items() if key != "alive"}
    return {"alive": bool(runs), **shown, "replicas": server.described()}


def _process(core: Core, name: str) -> dict[str, Any]:
    """What serves: nothing, a builtin, or a process with its pid and port."""
    served = core.processes.get(name)
    if served is None:
        return {}
    running = served.process
    return {"alive": served.alive} | ({"pid": running.pid, "port": served.port} if running is not None else {})
