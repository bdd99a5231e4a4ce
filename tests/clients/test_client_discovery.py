"""google-api-python-client, which knows the discovery documents and nothing else: every method that is served."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from tests.emulator.google import LOCATION, ZONE
from tpuserve.emulator import Emulator, Settings
from tpuserve.emulator.api import Api
from tpuserve.emulator.core import Core
from tpuserve.emulator.rest.bindings import bound
from tpuserve.emulator.rest.documents import document

NODE = {"runtimeVersion": "v2-alpha-tpuv6e", "acceleratorType": "v6e-8"}
MACHINE = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}
PARAMS = {"v2alpha1": "multiNodeParams", "v2": "multisliceParams"}


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy of the machine's: httplib2 stumbles over one even for hosts that are excepted."""
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def served(name: str) -> set[str]:
    return set(bound(name, document(name).routes, Api(Core(Settings(), None, Path())).methods()))


class Asked:
    """A client, and the ids of the methods that it was asked for."""

    def __init__(self, emulator: Emulator, api: str, version: str) -> None:
        options = ClientOptions(api_endpoint=f"http://{emulator.addresses.rest}")
        arguments: dict[str, Any] = {"credentials": AnonymousCredentials(), "client_options": options}
        self.client = build(api, version, static_discovery=True, **arguments)
        self.ids: set[str] = set()

    @property
    def here(self) -> Any:
        return self.client.projects().locations()

    def run(self, request: Any) -> Any:
        """The answer, after the operation that it may be has ended."""
        self.ids.add(request.methodId)
        answer = request.execute()
        name = answer.get("name", "")
        while "/operations/" in name and not self.operations(name).get(name=name).execute().get("done"):
            pass
        return answer

    def operations(self, name: str) -> Any:
        """The operations of the collection that this one is in."""
        collection = name.split("/")[4]
        return self.here.operations() if collection == "operations" else getattr(self.here, collection)().operations()


@pytest.fixture
def vertex(emulator: Emulator) -> Iterator[Asked]:
    emulator.control.reset()
    asked = Asked(emulator, "aiplatform", "v1")
    yield asked
    asked.client.close()


@pytest.fixture(params=["v2alpha1", "v2"])
def tpu(request: pytest.FixtureRequest, emulator: Emulator) -> Iterator[Asked]:
    emulator.control.reset()
    asked = Asked(emulator, "tpu", request.param)
    yield asked
    asked.client.close()


def collection(version: str) -> dict[str, Any]:
    return {"tpu": {"nodeSpec": [{"parent": ZONE, PARAMS[version]: {"nodeCount": 2}, "node": NODE}]}}


def test_every_method_of_cloud_tpu_is_answered(tpu: Asked) -> None:
    version = tpu.client._resourceDesc["version"]
    queued, nodes, run = tpu.here.queuedResources(), tpu.here.nodes(), tpu.run
    made = run(queued.create(parent=ZONE, queuedResourceId="pool", body=collection(version)))
    run(tpu.here.operations().get(name=made["name"]))
    run(tpu.here.operations().list(name=ZONE))
    (found,) = run(queued.list(parent=ZONE))["queuedResources"]
    while run(queued.get(name=found["name"]))["state"]["state"] != "ACTIVE":
        pass
    first, _ = run(nodes.list(parent=ZONE))["nodes"]
    run(queued.reset(name=found["name"], body={}))
    if version == "v2alpha1":  # the GA version has no such method
        body = {"nodeNames": [first["name"]]}
        run(queued.performMaintenanceQueuedResource(name=found["name"], body=body))
    run(nodes.get(name=first["name"]))
    run(nodes.delete(name=first["name"]))
    run(queued.delete(name=found["name"], force=True))
    for offered in (tpu.here.acceleratorTypes(), tpu.here.runtimeVersions()):
        (one, *_) = next(iter(run(offered.list(parent=ZONE)).values()))
        run(offered.get(name=one["name"]))

    run(tpu.here.operations().cancel(name=made["name"]))
    run(tpu.here.operations().delete(name=made["name"]))

    assert tpu.ids == served(f"tpu.{version}")


def test_every_method_of_vertex_is_answered(vertex: Asked) -> None:
    asked_of_models(vertex)
    asked_of_endpoints(vertex)
    asked_of_pools(vertex)
    asked_of_operations(vertex)

    assert vertex.ids == served("aiplatform.v1")


def asked_of_models(vertex: Asked) -> None:
    models, run = vertex.here.models(), vertex.run
    model = {"displayName": "digits", "containerSpec": {"imageUri": "image"}}
    run(models.upload(parent=LOCATION, body={"modelId": "digits", "model": model}))
    name = f"{LOCATION}/models/digits"
    run(models.upload(parent=LOCATION, body={"parentModel": name, "model": model}))
    run(models.list(parent=LOCATION, filter="displayName=digits"))
    run(models.get(name=name))
    run(models.patch(name=name, updateMask="labels", body={"labels": {"a": "b"}}))
    run(models.mergeVersionAliases(name=f"{name}@2", body={"versionAliases": ["default", "golden"]}))
    run(models.listVersions(name=name))
    run(models.deleteVersion(name=f"{name}@1"))


def asked_of_endpoints(vertex: Asked) -> None:
    endpoints, run = vertex.here.endpoints(), vertex.run
    run(endpoints.create(parent=LOCATION, endpointId="serving", body={"displayName": "serving"}))
    name, model = f"{LOCATION}/endpoints/serving", f"{LOCATION}/models/digits"
    deployed = {"id": "7", "model": model, "dedicatedResources": MACHINE}
    run(endpoints.deployModel(endpoint=name, body={"deployedModel": deployed, "trafficSplit": {"0": 100}}))
    run(endpoints.predict(endpoint=name, body={"instances": [1]}))
    run(endpoints.rawPredict(endpoint=name, body={"instances": [1]}))
    run(endpoints.streamRawPredict(endpoint=name, body={"instances": [1]}))
    changed = {"deployedModel": {"id": "7", "dedicatedResources": {"maxReplicaCount": 2}}}
    mask = "dedicatedResources.maxReplicaCount"
    run(endpoints.mutateDeployedModel(endpoint=name, body={**changed, "updateMask": mask}))
    run(endpoints.undeployModel(endpoint=name, body={"deployedModelId": "7"}))
    run(endpoints.patch(name=name, updateMask="description", body={"description": "what it serves"}))
    dedicated = {"displayName": "dedicated", "dedicatedEndpointEnabled": True}
    run(endpoints.create(parent=LOCATION, endpointId="dedicated", body=dedicated))
    body = {"endpoint": {"clientConnectionConfig": {"inferenceTimeout": "60s"}}}
    run(endpoints.update(name=f"{LOCATION}/endpoints/dedicated", body=body))
    run(endpoints.list(parent=LOCATION))
    run(endpoints.get(name=name))
    run(endpoints.delete(name=name))
    run(vertex.here.models().delete(name=model))


def asked_of_pools(vertex: Asked) -> None:
    pools, run = vertex.here.deploymentResourcePools(), vertex.run
    body = {"deploymentResourcePoolId": "shared", "deploymentResourcePool": {"dedicatedResources": MACHINE}}
    run(pools.create(parent=LOCATION, body=body))
    run(pools.list(parent=LOCATION))
    run(pools.get(name=f"{LOCATION}/deploymentResourcePools/shared"))
    run(pools.delete(name=f"{LOCATION}/deploymentResourcePools/shared"))


def asked_of_operations(vertex: Asked) -> None:
    """One operation, by the routes of all collections: its name says where it is, the route does not."""
    here, run = vertex.here, vertex.run
    for of, collection in (("models/m", here.models()), ("endpoints/e", here.endpoints())):
        asked_of(vertex, collection.operations(), f"{LOCATION}/{of}")
    asked_of(vertex, here.deploymentResourcePools().operations(), f"{LOCATION}/deploymentResourcePools/p")
    asked_of(vertex, here.operations(), LOCATION)
    run(here.operations().list(name=LOCATION))


def asked_of(vertex: Asked, operations: Any, of: str) -> None:
    """What is not there is NOT_FOUND, and has been asked for."""
    vertex.run(operations.list(name=of))
    for ask in (operations.get, operations.wait, operations.cancel, operations.delete):
        with pytest.raises(HttpError, match="was not found"):
            vertex.run(ask(name=f"{of}/operations/1"))
