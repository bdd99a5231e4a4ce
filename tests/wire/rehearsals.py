"""The whole life of each resource, every function and `tpuserve orphans`, in phases: what a run of each phase calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.cloud.aiplatform_v1 import DeploymentResourcePoolServiceClient
from google.cloud.aiplatform_v1.services.deployment_resource_pool_service.transports import (
    DeploymentResourcePoolServiceGrpcTransport,
)

from tests.wire import programs
from tests.wire.stack import served, urn_of
from tpuserve.emulator.control import Control
from tpuserve.emulator.permissions import named_in, row_of
from tpuserve.google import Google
from tpuserve.orphans import Orphan, State, orphans
from tpuserve.orphans.removal import Removal
from tpuserve.orphans.search import Where, search
from tpuserve.testing.stack import Stack
from tpuserve.testing.wire import State as ResourceState

PREVIEW, UP, DESTROY = "preview", "up", "destroy"
PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
PHASES = (PREVIEW, UP, DESTROY)
"""`preview` stands for all that only reads: refresh and import too, and `tpuserve orphans` without `--delete`."""


@dataclass
class Recorder:
    """Rows of `permissions.toml` by phase, from what the emulator was asked."""

    control: Control
    rows: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    phase: str = ""

    def enter(self, phase: str) -> None:
        """What was called until now belongs to the phase before; "" is nobody's."""
        calls = self.control.calls()
        self.control.clear_calls()
        if self.phase:
            self.rows[self.phase] |= {row_of(call["method"], named_in(call["request"])) for call in calls}
        self.phase = phase

    def recorded(self) -> dict[str, list[str]]:
        self.enter("")
        return {phase: sorted(self.rows[phase]) for phase in PHASES if self.rows.get(phase)}


@dataclass(frozen=True)
class Rehearsal:
    """One part of the product: what must be there before, which nobody records, and its life."""

    name: str
    live: Callable[[Stack, Recorder], Awaitable[None]]
    prepare: Callable[[Stack], Awaitable[Any]] | None = None


async def _life(stack: Stack, recorder: Recorder, token: str, first: dict[str, Any], *then: dict[str, Any]) -> None:
    """Created, changed, refreshed, found again after its state was lost, imported, removed."""
    made = ResourceState("", {}, {})
    for args in (first, *then):
        recorder.enter(PREVIEW)
        await _previewed(stack, token, args)
        recorder.enter(UP)
        made = await stack.up(token, "r", args)
    recorder.enter(PREVIEW)
    await stack.refresh(token, "r")
    await stack.import_(token, "imported", made.id)
    stack.states.clear()
    recorder.enter(UP)
    await stack.up(token, "r", (first, *then)[-1])
    recorder.enter(DESTROY)
    await stack.remove(token, "r")


async def _previewed(stack: Stack, token: str, args: dict[str, Any]) -> None:
    urn = urn_of(token, "r")
    old = stack.states.get(urn)
    inputs = await stack.wire.checked(urn, args, old)
    if old is None:
        await stack.wire.create(urn, inputs, preview=True)
    else:
        await stack.wire.read(urn, old.id, old)
        await stack.wire.diff(urn, old, inputs)
        await stack.wire.update(urn, old, inputs, preview=True)


async def queued_resource(stack: Stack, recorder: Recorder) -> None:
    first, slower = programs.collection(), programs.collection(waitFor="PROVISIONING")
    await _life(stack, recorder, programs.QUEUED_RESOURCE, first, slower)


async def model(stack: Stack, recorder: Recorder) -> None:
    better = programs.model(description="better", versionAliases=["prod"])
    images = [f"registry/digits:{number}" for number in range(2, 6)]
    newer = [programs.model(retainVersions=1, **{"containerSpec.imageUri": image}) for image in images]
    await _life(stack, recorder, programs.MODEL, programs.model(), better, *newer)


async def endpoint(stack: Stack, recorder: Recorder) -> None:
    dedicated = {"dedicatedEndpointEnabled": True}
    other = programs.endpoint(**dedicated, **{"labels.team": "b"})
    slower = programs.changed(other, {"clientConnectionConfig.inferenceTimeout": "60s"})
    await _life(stack, recorder, programs.ENDPOINT, programs.endpoint(**dedicated), other, slower)


async def _model_and_endpoint(stack: Stack) -> None:
    await stack.up(programs.MODEL, "m", programs.model())
    await stack.up(programs.MODEL, "m2", programs.model(displayName="other"))
    await stack.up(programs.ENDPOINT, "e", programs.endpoint())
    address = stack.wire.settings["endpoints"]["aiplatform"].removeprefix("http://")
    with grpc.insecure_channel(address) as channel:
        transport = DeploymentResourcePoolServiceGrpcTransport(channel=channel)
        clients: Any = DeploymentResourcePoolServiceClient(transport=transport)
        machine = {"machine_spec": {"machine_type": "ct6e-standard-1t"}, "min_replica_count": 1}
        request = {"parent": PARENT, "deployment_resource_pool_id": "shared"}
        pool = {"deployment_resource_pool": {"dedicated_resources": machine}}
        clients.create_deployment_resource_pool(request=request | pool)


async def deployment(stack: Stack, recorder: Recorder) -> None:
    """Deployed, grown, shifted to another model, moved into a shared pool."""
    states = [stack.states[urn_of(token, name)] for token, name in NEEDED]
    first, second, place = (state.properties for state in states)
    args = programs.deployment(place["name"], first["versionName"])
    grown = programs.changed(args, {"deployedModels.stable.dedicatedResources.maxReplicaCount": 2})
    shifted = programs.changed(grown, {"deployedModels.stable.model": second["versionName"]})
    by_alias = programs.changed(shifted, {"deployedModels.stable.model": f"{second['name']}@default"})
    pool = {"deployedModels.stable.sharedResources": f"{PARENT}/deploymentResourcePools/shared"}
    pooled = programs.changed(by_alias, {"deployedModels.stable.dedicatedResources": None, **pool})
    await _life(stack, recorder, programs.DEPLOYMENT, args, grown, shifted, by_alias, pooled)


NEEDED = ((programs.MODEL, "m"), (programs.MODEL, "m2"), (programs.ENDPOINT, "e"))


async def _served(stack: Stack) -> None:
    await served(stack)


async def functions(stack: Stack, recorder: Recorder) -> None:
    recorder.enter(PREVIEW)
    states = [stack.states[urn_of(token, name)] for token, name in ((programs.MODEL, "m"), (programs.ENDPOINT, "e"))]
    names = [state.properties["name"] for state in states]
    await stack.wire.invoke("tpuserve:vertex:getModelVersion", model=names[0], alias="default")
    await stack.wire.invoke("tpuserve:vertex:getModel", model=names[0])
    await stack.wire.invoke("tpuserve:vertex:getEndpoint", endpoint=names[1])
    await stack.wire.invoke("tpuserve:tpu:getAcceleratorTypes")
    await stack.wire.invoke("tpuserve:tpu:getRuntimeVersions")


async def _lost(stack: Stack) -> None:
    """Everything there is, and a state that knows nothing of it."""
    await served(stack)
    await stack.up(programs.QUEUED_RESOURCE, "q", programs.collection())
    stack.states.clear()


async def lost_objects(stack: Stack, recorder: Recorder) -> None:
    """`tpuserve orphans`, then with `--delete`."""
    recorder.enter(PREVIEW)
    google = _google(stack)
    found = await _orphans(google)
    recorder.enter(DESTROY)
    left = await Removal(programs.OWNER, google, lambda _: None).run(found)
    if left or await _orphans(google):
        raise PermissionError("; ".join(left.values()))


def _google(stack: Stack) -> Google:
    assert stack.wire.provider
    return stack.wire.provider.google


async def _orphans(google: Google) -> list[Orphan]:
    where = Where(frozenset({(programs.PROJECT, programs.ZONE)}), frozenset({(programs.PROJECT, programs.LOCATION)}))
    return orphans(programs.OWNER, State(), await search(google, where), ())


async def predictions(stack: Stack, recorder: Recorder) -> None:
    """A client of the endpoint."""
    recorder.enter(UP)
    name = stack.states[urn_of(programs.ENDPOINT, "e")].properties["name"]
    await _google(stack).call("Predict", {"endpoint": name, "instances": [1.0]}, programs.LOCATION)


REHEARSALS = (
    Rehearsal("QueuedResource", queued_resource),
    Rehearsal("Model", model),
    Rehearsal("Endpoint", endpoint),
    Rehearsal("Deployment", deployment, _model_and_endpoint),
    Rehearsal("functions", functions, _served),
    Rehearsal("tpuserve orphans", lost_objects, _lost),
    Rehearsal("a client that predicts", predictions, _served),
)


async def rehearsed(rehearsal: Rehearsal, stack: Stack, control: Control, granted: list[str] | None) -> Recorder:
    """One rehearsal with only these permissions (None: every one), its preparation with all of them."""
    control.set("permissions", None)
    if rehearsal.prepare:
        await rehearsal.prepare(stack)
    recorder = Recorder(control)
    recorder.enter("")
    control.set("permissions", granted)
    await rehearsal.live(stack, recorder)
    return recorder
