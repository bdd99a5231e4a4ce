"""What tests of deployments arrange and look at: versions, variants, shares, calls, another hand."""

from __future__ import annotations

from typing import Any

import grpc
from google.cloud import aiplatform_v1
from google.cloud.aiplatform_v1.services.deployment_resource_pool_service import transports

from tests.wire import programs
from tests.wire.programs import DEPLOYMENT, ENDPOINT, MODEL, endpoint, model, variant
from tests.wire.stack import Stack, urn_of
from tpuserve.emulator import Emulator
from tpuserve.testing.wire import State

URN = urn_of(DEPLOYMENT, "d")
STABLE = "deployedModels.stable"
IMAGE_2, IMAGE_3 = "registry/digits:2", "registry/digits:3"
PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
POOL = f"{PARENT}/deploymentResourcePools/pool"
FIRST: dict[str, Any] = {f"{STABLE}.strategy": "UNDEPLOY_FIRST"}


async def version(stack: Stack, number: int) -> str:
    """The full name of a version with image `digits:<number>`."""
    state = await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": f"registry/digits:{number}"}))
    return state.properties["versionName"]


async def variants(stack: Stack, versions: Any, split: Any = None, **more: Any) -> State:
    """Variants of these versions on one endpoint; `more` by path."""
    models = {name: variant(await version(stack, number)) for name, number in versions.items()}
    place = await stack.up(ENDPOINT, "e", endpoint())
    args: dict[str, Any] = {"endpoint": place.properties["name"], "deployedModels": models}
    if split:
        args["trafficSplit"] = split
    return await stack.up(DEPLOYMENT, "d", programs.changed(args, more))


async def again(stack: Stack, **changes: Any) -> State:
    """The Deployment as it was declared last, with changes by path (None takes one out)."""
    return await stack.up(DEPLOYMENT, "d", programs.changed(stack.states[URN].inputs, changes))


def live(emulator: Emulator) -> dict[str, Any]:
    (found,) = emulator.control.objects()["endpoints"]
    return found


def ids(emulator: Emulator) -> list[str]:
    return [item["id"] for item in live(emulator).get("deployedModels", [])]


def shares(emulator: Emulator) -> dict[str, int]:
    """Version -> share, of all that is deployed."""
    split = live(emulator).get("trafficSplit", {})
    return {item["modelVersionId"]: split.get(item["id"], 0) for item in live(emulator).get("deployedModels", [])}


def methods(emulator: Emulator) -> list[str]:
    return [call["method"] for call in emulator.control.calls(mutating_only=True)]


async def ask(stack: Stack, method: str, request: dict[str, Any]) -> dict[str, Any]:
    """Somebody else's hand: one call, waited for where it begins an operation."""
    assert stack.wire.provider is not None
    google = stack.wire.provider.google
    answer = await google.call(method, request, programs.LOCATION)
    if "/operations/" not in answer.get("name", ""):
        return answer
    ended = await google.call("WaitOperation", {"name": answer["name"], "timeout": "5s"}, programs.LOCATION)
    return ended.get("response", {})


async def by_hand(stack: Stack, share: int, **fields: Any) -> str:
    """Version 1 deployed by somebody else, with that share; its id."""
    name = await version(stack, 1)
    place = (await stack.up(ENDPOINT, "e", endpoint())).properties["name"]
    deployed = {**variant(name), "displayName": "by hand", **fields}
    answer = await ask(stack, "DeployModel", {"endpoint": place, "deployedModel": deployed})
    found = answer["deployedModel"]["id"]
    split = {found: share} if share else {}
    body = {"name": place, "trafficSplit": split}
    await ask(stack, "UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"})
    return found


def make_pool(emulator: Emulator) -> None:
    """A pool of one v6e chip, made by somebody else."""
    machines = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 1}
    with grpc.insecure_channel(emulator.address) as channel:
        transport = transports.DeploymentResourcePoolServiceGrpcTransport(channel=channel)
        client: Any = aiplatform_v1.DeploymentResourcePoolServiceClient(transport=transport)
        made = {"parent": PARENT, "deployment_resource_pool_id": "pool"}
        client.create_deployment_resource_pool(
            request=made | {"deployment_resource_pool": {"dedicated_resources": machines}}
        )
