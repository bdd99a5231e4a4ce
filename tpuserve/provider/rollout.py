"""One rollout on one endpoint: deploy what is missing, shift in one step, then undeploy; and the way down again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.google import CloudError
from tpuserve.provider import deployment_plan, endpoint_view, errors
from tpuserve.provider.call import Call, Cancelled, ResourceError, TimedOut
from tpuserve.provider.deployment_plan import VARIANT, Plan, Wanted
from tpuserve.provider.endpoint_view import View, listed_ids, recorded_ids
from tpuserve.provider.ownership import Identity
from tpuserve.provider.requests import get, patiently, with_fresh_etag
from tpuserve.provider.waiting import finish, finish_running, location_of
from tpuserve.resources.wire import to_google

STAGES = {
    "STARTING_DEPLOYMENT": "starting",
    "PREPARING_MODEL": "preparing the model",
    "CREATING_SERVING_CLUSTER": "creating machines",
    "ADDING_NODES_TO_CLUSTER": "adding machines",
    "GETTING_CONTAINER_IMAGE": "getting the container image",
    "STARTING_MODEL_SERVER": "starting the model server",
    "FINISHING_UP": "finishing",
    "DEPLOYMENT_TERMINATED": "ended",
    "SUCCESSFULLY_DEPLOYED": "deployed",
    "FAILED_TO_DEPLOY": "failed",
}
LAST_LOOK = 3.0  # seconds for one look at the endpoint after a stop
RUNNING = "running"  # a word in Google's answer where another operation of the endpoint is running


@dataclass(slots=True)
class Rollout:
    """The way of one endpoint from what runs to what is wanted."""

    call: Call
    endpoint: str
    inputs: Mapping[str, Any]
    state: Mapping[str, Any]
    identity: Identity
    wanted: Mapping[str, Wanted]
    deployed: set[str] = field(default_factory=set)
    """Ids that came up in this rollout."""
    matched: dict[str, str] = field(default_factory=dict)
    """Variant -> id, as this rollout has matched them: of two that are specified alike, each keeps its own."""

    async def run(self) -> None:
        plan = await self._plan()
        self._refuse_taking(await self._view())
        for name, mask in plan.grow.items():
            await self._mutate(name, plan.matched[name], mask)
        await self._deploy(plan)
        plan = await self._plan()
        self._require(plan, await self._view())
        await self._shift(plan)
        await take_away(self.call, await self._view(), set(plan.retire))
        for name, mask in plan.shrink.items():
            await self._mutate(name, plan.matched[name], mask)
        await self._plan()

    async def _view(self) -> View:
        found = await get(self.call, "GetEndpoint", self.endpoint)
        if found is None:
            raise ResourceError(f"endpoint: {self.endpoint} is not there any more: something deleted it meanwhile")
        return View(found)

    async def _plan(self) -> Plan:
        """Look at the endpoint, record what is true, and compute what is left to do."""
        view = await self._view()
        listed = listed_ids(self.state) | self.deployed
        recorded, former = recorded_ids(self.state), self.state.get("deployedModels") or {}
        known = recorded | self.matched
        plan = deployment_plan.plan(
            self.wanted,
            view.live,
            known,
            listed=listed,
            hash12=self.identity.hash[:12],
            before={name: given for name, given in former.items() if known.get(name) == recorded.get(name)},
        )
        self.matched = plan.matched
        self.call.draft.outputs = endpoint_view.outputs(view, self._true_ids(plan, view), listed, self.identity)
        return plan

    def _true_ids(self, plan: Plan, view: View) -> dict[str, str]:
        """What each variant is served by now: until its new one serves, the one that the state has."""
        live = view.by_id()
        given_on = {key: name for name, key in plan.matched.items()}
        recorded = {n: key for n, key in recorded_ids(self.state).items() if given_on.get(key, n) == n}
        ids = {name: key for name, key in recorded.items() if key in live and live[key].share}
        serving = {name: key for name, key in plan.matched.items() if name not in ids or live[key].share}
        return ids | serving

    def _refuse_taking(self, view: View) -> None:
        ours = listed_ids(self.state) | self.deployed
        foreign = [item for item in view.live if item.id not in ours and not item.has_identity(self.identity.hash[:12])]
        for item in deployment_plan.taken_from(self.inputs.get("trafficSplit"), foreign):
            raise ResourceError(
                f"trafficSplit: {item.share} % of the endpoint's requests go to deployed model {item.id} "
                f"({item.display_name!r}), which is not of this Deployment: name {item.id!r} in trafficSplit with the "
                "share that it keeps, 0 to take it"
            )

    async def _deploy(self, plan: Plan) -> None:
        ends = await asyncio.gather(*(self._deploy_one(name) for name in plan.deploy), return_exceptions=True)
        failed = {name: end for name, end in zip(plan.deploy, ends, strict=True) if isinstance(end, BaseException)}
        if not failed:
            return
        stops = [end for end in failed.values() if isinstance(end, (Cancelled, TimedOut))]
        if stops:
            with contextlib.suppress(CloudError, TimeoutError):  # what is true is read again by the next run
                await asyncio.wait_for(self._record(), LAST_LOOK)
            raise stops[0]
        await self._record()
        if self.inputs.get("onFailure") == "UNDEPLOY":
            await take_away(self.call, await self._view(), set(self.deployed))
            await self._record()
        raise ResourceError(self._ends(plan, failed))

    async def _record(self) -> None:
        """What is true, also after a stop, when the call itself waits for nothing any more."""
        found = await self.call.google.call("GetEndpoint", {"name": self.endpoint}, location_of(self.endpoint))
        view, listed = View(found), listed_ids(self.state) | self.deployed
        ids = {name: key for name, key in recorded_ids(self.state).items() if key in view.by_id()}
        self.call.draft.outputs = endpoint_view.outputs(view, ids, listed, self.identity)

    def _ends(self, plan: Plan, failed: Mapping[str, BaseException]) -> str:
        """Each variant's end, in one message."""
        lines = [f"deployedModels.{name}: {_reason(name, end)}" for name, end in failed.items()]
        lines += [f"deployedModels.{name}: came up" for name in plan.deploy if name not in failed]
        kept = "was undeployed again" if self.inputs.get("onFailure") == "UNDEPLOY" else "is kept"
        lines.append(f"the traffic split is as it was; what came up {kept}")
        return "\n".join(lines)

    async def _deploy_one(self, name: str) -> None:
        request = {"endpoint": self.endpoint, "deployedModel": self._body(name)}
        answer = await operate(self.call, "DeployModel", request, lambda metadata: f"{name}: {_stage(metadata)}")
        made = answer.get("deployedModel", {}).get("id")
        self.deployed |= {made} if made else set()

    def _body(self, name: str) -> dict[str, Any]:
        wanted = self.wanted[name]
        body = to_google(VARIANT, wanted.inputs)
        display = wanted.inputs.get("displayName", name) + self.identity.mark(wanted.specification)
        return {**body, "model": f"{wanted.model}@{wanted.version}", "displayName": display}

    def _require(self, plan: Plan, view: View) -> None:
        """Every variant with a share is there with its required replicas, or nothing moves."""
        live = view.by_id()
        missing = sorted(set(self.wanted) - set(plan.matched))
        if missing:
            raise ResourceError(
                f"deployedModels.{missing[0]}: Google reported it deployed, and the endpoint does not have it; "
                "the traffic split is as it was. Run it again"
            )
        for name, key in plan.matched.items():
            required = self.wanted[name].inputs["dedicatedResources"].get("requiredReplicaCount", 0)
            available = live[key].available_replicas
            if available is not None and available < required:
                raise ResourceError(
                    f"deployedModels.{name}: {available} of {required} required replicas are available; the traffic "
                    "split is as it was. Run it again when more are up, or require fewer"
                )

    async def _shift(self, plan: Plan) -> None:
        """One UpdateEndpoint with the etag that was read; computed anew where somebody else wrote meanwhile."""

        async def attempt() -> None:
            view = await self._view()
            shares = deployment_plan.split(self.inputs.get("trafficSplit"), plan.matched, view.live)
            await write_split(self.call, view, shares)

        try:
            await with_fresh_etag(attempt)
        except CloudError as error:
            await self._record()
            raise ResourceError(errors.explain("moving the traffic split (it is as it was)", error)) from None

    async def _mutate(self, name: str, deployed_model_id: str, mask: list[str]) -> None:
        inputs = to_google(VARIANT, self.wanted[name].inputs)
        resources = {"minReplicaCount": 0, "maxReplicaCount": 0, **inputs["dedicatedResources"]}
        resources["maxReplicaCount"] = resources["maxReplicaCount"] or resources["minReplicaCount"]
        resources.pop("machineSpec", None)
        resources.pop("spot", None)
        body = {"id": deployed_model_id, "dedicatedResources": resources}
        if "disableContainerLogging" in mask:
            body["disableContainerLogging"] = inputs.get("disableContainerLogging", False)
        request = {"endpoint": self.endpoint, "deployedModel": body, "updateMask": ",".join(mask)}
        await operate(self.call, "MutateDeployedModel", request, lambda _: f"{name}: changing replicas")


def _stage(metadata: Mapping[str, Any]) -> str:
    stage = metadata.get("deploymentStage", "")
    return STAGES.get(stage, stage.lower().replace("_", " ") or "deploying")


def _reason(name: str, end: BaseException) -> str:
    if isinstance(end, CloudError):
        return errors.explain(f"deploying {name} failed", end)
    return str(end) or type(end).__name__


async def write_split(call: Call, view: View, shares: Mapping[str, int]) -> None:
    """Put the split, unless it is so already."""
    if shares == {key: share for key, share in view.shares.items() if share}:
        return
    body = {"name": view.name, "etag": view.data["etag"], "trafficSplit": dict(shares)}
    await call.cloud("UpdateEndpoint", {"endpoint": body, "updateMask": "trafficSplit"}, location_of(view.name))


async def take_away(call: Call, view: View, doomed: set[str]) -> None:
    """Undeploy: first no requests (the others' shares scaled to 100, or an empty split), then the models."""
    there = doomed & set(view.by_id())
    if not there:
        return

    async def attempt() -> None:
        found = await get(call, "GetEndpoint", view.name)
        if found is not None:
            now = View(found)
            if any(now.shares.get(key) for key in there):
                await write_split(call, now, deployment_plan.without(there, now.shares))

    await with_fresh_etag(attempt)
    await asyncio.gather(*(_undeploy(call, view.name, key) for key in sorted(there)))


async def _undeploy(call: Call, endpoint: str, key: str) -> None:
    request = {"endpoint": endpoint, "deployedModelId": key}
    await patiently(call, lambda: operate(call, "UndeployModel", request, lambda _: f"undeploying {key}"))


async def operate(
    call: Call, method: str, request: dict[str, Any], describe: Callable[[dict[str, Any]], str]
) -> dict[str, Any]:
    """Start an operation of an endpoint and wait for its end; where Google runs one at a time, after the others."""
    endpoint = request["endpoint"]
    while True:
        try:
            operation = await call.cloud(method, request, location_of(endpoint))
            return await finish(call, operation, describe)
        except CloudError as error:
            if error.code != "FAILED_PRECONDITION" or RUNNING not in error.message.lower() or error.method != method:
                raise
        await call.status("waits for another operation of the endpoint")
        await finish_running(call, endpoint)
