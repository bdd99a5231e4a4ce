"""Removal against the emulator: what goes, in which order, and what keeps its traffic."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.least import least
from tests.unit.cli.exports import OTHER, OWNER, deployment, entry, mark, owned, read
from tpuserve.emulator import Emulator
from tpuserve.emulator.control import Control
from tpuserve.google import Google
from tpuserve.orphans import Kind, Name, Orphan, State, orphans
from tpuserve.orphans.removal import DOUBT, Removal
from tpuserve.orphans.search import Where, search

PROJECT, LOCATION, ZONE = "tpuserve-local", "us-east5", "us-east5-b"
PARENT = f"projects/{PROJECT}/locations/{LOCATION}"
ENDPOINT = Name(PROJECT, LOCATION, "endpoints", "e")
WHERE = Where(frozenset({(PROJECT, ZONE)}), frozenset({(PROJECT, LOCATION)}))
MACHINE = {"machineSpec": {"machineType": "ct6e-standard-1t"}, "minReplicaCount": 1}


class Cloud:
    """An emulator with what a test puts there."""

    def __init__(self, google: Google, control: Control) -> None:
        self.google, self.control = google, control

    async def model(self, owner: str = OWNER) -> None:
        container = {"imageUri": "i:1", "predictRoute": "/predict", "healthRoute": "/health"}
        body = {"displayName": "m", "labels": owned(owner), "containerSpec": container}
        await self._ended("UploadModel", {"parent": PARENT, "modelId": "m", "model": body})

    async def endpoint(self, owner: str = OWNER) -> None:
        body = {"displayName": "e", "labels": owned(owner)}
        await self._ended("CreateEndpoint", {"parent": PARENT, "endpointId": "e", "endpoint": body})

    async def deploy(self, key: str, text: str) -> None:
        body = {"id": key, "model": f"{PARENT}/models/m", "displayName": f"v{text}", "dedicatedResources": MACHINE}
        await self._ended("DeployModel", {"endpoint": str(ENDPOINT), "deployedModel": body})

    async def _ended(self, method: str, request: dict[str, Any]) -> None:
        """The operation that it begins has ended, so that what comes next finds what it made."""
        operation = await self.google.call(method, request, LOCATION)
        ended = await self.google.call("WaitOperation", {"name": operation["name"], "timeout": "10s"}, LOCATION)
        assert ended["done"]

    async def split(self, **shares: int) -> None:
        now = await self.google.call("GetEndpoint", {"name": str(ENDPOINT)}, LOCATION)
        split = {key.removeprefix("_"): share for key, share in shares.items()}
        body = {"name": str(ENDPOINT), "etag": now["etag"], "trafficSplit": split}
        await self.google.call("UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"}, LOCATION)

    async def collection(self, owner: str = OWNER) -> None:
        node = {"acceleratorType": "v6e-8", "runtimeVersion": "v2-alpha-tpuv6e", "labels": owned(owner)}
        spec = {"parent": f"projects/{PROJECT}/locations/{ZONE}", "nodeId": "n", "node": node}
        body = {"tpu": {"nodeSpec": [spec]}}
        request = {"parent": spec["parent"], "queuedResourceId": "q", "queuedResource": body}
        await self.google.call("CreateQueuedResource", request)

    async def remove(self, state: State, *origins: str) -> tuple[dict[Orphan, str], list[Orphan]]:
        """Remove the orphans; why some were left, and what is left."""
        found = orphans(OWNER, state, await search(self.google, WHERE), origins)
        left = await Removal(OWNER, self.google, [].append).run(found)
        return left, orphans(OWNER, state, await search(self.google, WHERE), origins)

    @property
    def removals(self) -> list[str]:
        words = ("Delete", "Undeploy")
        return [call["method"] for call in self.control.calls(mutating_only=True) if call["method"].startswith(words)]

    def objects(self) -> dict[str, Any]:
        return self.control.objects()


@pytest.fixture
async def cloud() -> AsyncIterator[Cloud]:
    with Emulator(least()).running() as emulator:
        url = f"http://{emulator.address}"
        google = Google({"tpu": url, "aiplatform": url})
        yield Cloud(google, emulator.control)
        await google.close()


async def test_everything_goes_in_an_order_that_google_takes(cloud: Cloud) -> None:
    await cloud.model()
    await cloud.endpoint()
    await cloud.deploy("1", mark())
    await cloud.split(_1=100)
    await cloud.collection()

    left, after = await cloud.remove(State())

    assert (left, after) == ({}, [])
    assert not any(cloud.objects().values())
    assert cloud.removals == ["UndeployModel", "DeleteEndpoint", "DeleteModel", "DeleteQueuedResource"]


async def test_what_the_state_knows_gets_the_share_of_what_goes(cloud: Cloud) -> None:
    await cloud.model()
    await cloud.endpoint()
    await cloud.deploy("1", mark())
    await cloud.deploy("2", mark("gone"))
    await cloud.split(_1=60, _2=40)
    known = deployment({"stable": "1"})
    known["id"] = str(ENDPOINT)
    state = read(
        entry("tpuserve:vertex:Model", f"{PARENT}/models/m"), entry("tpuserve:vertex:Endpoint", str(ENDPOINT)), known
    )

    await cloud.remove(state)

    [endpoint] = cloud.objects()["endpoints"]
    assert endpoint["trafficSplit"] == {"1": 100}
    assert [item["id"] for item in endpoint["deployedModels"]] == ["1"]


async def test_what_another_owner_has_is_not_touched(cloud: Cloud) -> None:
    await cloud.model(OTHER)
    await cloud.endpoint(OTHER)
    await cloud.deploy("1", mark(owner=OTHER))
    await cloud.collection(OTHER)

    await cloud.remove(State())

    assert cloud.removals == []


async def test_an_endpoint_with_something_that_is_not_ours_is_left_and_says_why(cloud: Cloud) -> None:
    await cloud.model(OTHER)
    await cloud.endpoint()
    await cloud.deploy("1", "")

    left, after = await cloud.remove(State())

    assert [orphan.name for orphan in after] == [ENDPOINT]
    [why] = left.values()
    assert "still serves 'v'" in why


async def test_what_is_in_doubt_is_left(cloud: Cloud) -> None:
    await cloud.model(OTHER)
    await cloud.endpoint()
    await cloud.deploy("1", mark("x", OTHER))
    orphan = Orphan(Kind.DEPLOYED_MODEL, ENDPOINT, deployed_model_id="1", unproven=True)

    left = await Removal(OWNER, cloud.google, [].append).run([orphan])

    assert left == {orphan: DOUBT}
    assert cloud.removals == []


async def test_what_became_anothers_meanwhile_is_left(cloud: Cloud) -> None:
    await cloud.model()
    found = orphans(OWNER, State(), await search(cloud.google, WHERE))
    body = {"name": f"{PARENT}/models/m", "labels": owned(OTHER)}
    await cloud.google.call("UpdateModel", {"model": body, "updateMask": "labels"}, LOCATION)

    left = await Removal(OWNER, cloud.google, [].append).run(found)

    assert list(left.values()) == ["its owner label changed meanwhile: it is not this stack's now"]
    assert cloud.removals == []


async def test_a_removal_that_google_refuses_is_told_and_the_rest_goes_on(cloud: Cloud) -> None:
    await cloud.model()
    await cloud.collection()
    cloud.control.fail("DeleteModel", "PERMISSION_DENIED", "no aiplatform.models.delete", times=-1)

    left, after = await cloud.remove(State())

    assert [orphan.kind.value for orphan in after] == ["model"]
    assert "no aiplatform.models.delete" in next(iter(left.values()))


async def test_an_object_is_found_once_under_id_and_number_of_its_project(cloud: Cloud) -> None:
    await cloud.model()
    both = frozenset({("100000000001", LOCATION), (PROJECT, LOCATION)})

    assert list((await search(cloud.google, Where(locations=both))).models) == [Name(PROJECT, LOCATION, "models", "m")]
