"""One rollout on one endpoint: deploy what is missing, shift in one step, then undeploy."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call, Cancelled, ResourceError, TimedOut
from tpuserve.provider.deployment import failure as deploy_failure
from tpuserve.provider.deployment import plan as deployment_plan
from tpuserve.provider.deployment import rules as rollout_rules
from tpuserve.provider.deployment import shares
from tpuserve.provider.deployment.deployed_model import VARIANT, Wanted
from tpuserve.provider.deployment.failure import Stages
from tpuserve.provider.deployment.plan import Plan
from tpuserve.provider.endpoint import view as endpoint_view
from tpuserve.provider.endpoint.calls import move_split, operate, take_away, undeploy
from tpuserve.provider.endpoint.view import View, listed_ids, recorded_ids
from tpuserve.provider.ownership import Identity
from tpuserve.provider.requests import APPEARS, get
from tpuserve.provider.waiting import Settled, location_of
from tpuserve.resources.wire import to_google

LAST_LOOK = 3.0  # seconds for one look at the endpoint after a stop


@dataclass(slots=True)
class Rollout:
    """The way of one endpoint from what runs to what is wanted."""

    call: Call
    endpoint: str
    inputs: Mapping[str, Any]
    state: Mapping[str, Any]
    identity: Identity
    wanted: Mapping[str, Wanted]
    """Every variant; none while the Deployment is paused."""
    deployed: set[str] = field(default_factory=set)
    """Ids that came up in this rollout."""
    undeployed: set[str] = field(default_factory=set)
    """Ids that this rollout took away."""
    matched: dict[str, str] = field(default_factory=dict)
    """Variant -> id, as this rollout has matched them: of two that are specified alike, each keeps its own."""
    seen: View | None = None
    """The endpoint as it was read last."""
    moved: list[str] = field(default_factory=list)
    """Variants whose share went to others before they were deployed anew."""

    @property
    def _split(self) -> Mapping[str, int] | None:
        return self.inputs.get("trafficSplit")

    async def run(self) -> None:
        view, plan = await self._plan()
        await self._refuse(view, plan)
        for name, mask in plan.grow.items():
            await self._mutate(name, plan.matched[name], mask)
        await self._deploy(view, plan)
        view, plan = await self._plan()
        self._require(plan, view)
        await self._shift(plan)
        await take_away(self.call, view, set(plan.retire))
        self.undeployed |= set(plan.retire)
        for name, mask in plan.shrink.items():
            await self._mutate(name, plan.matched[name], mask)
        await self._plan()

    async def _view(self) -> View:
        """The endpoint with what this rollout did to it; a read may be behind for a moment."""
        since = self.call.clock()
        while True:
            found = await get(self.call, "GetEndpoint", self.endpoint)
            if found is None:
                raise ResourceError(f"endpoint: {self.endpoint} is not there any more: something deleted it meanwhile")
            view = View(found)
            ids = set(view.by_id())
            if not (self.deployed - ids or self.undeployed & ids) or self.call.clock() - since > APPEARS:
                return view
            await self.call.poll_pause(since)

    def _listed(self) -> set[str]:
        return listed_ids(self.state) | self.deployed | set(self.matched.values())

    async def _plan(self) -> tuple[View, Plan]:
        """Look at the endpoint, record what is true, and compute what is left to do."""
        view, listed = await self._view(), self._listed()
        self.seen = view
        recorded, former = recorded_ids(self.state), self.state.get("deployedModels") or {}
        known = recorded | self.matched
        plan = deployment_plan.plan(
            self.wanted,
            view.live,
            known,
            listed=listed,
            hash12=self.identity.hash[:12],
            before={recorded[name]: given for name, given in former.items() if name in recorded},
        )
        self.matched = plan.matched
        self.call.draft.outputs = endpoint_view.outputs(view, self._true_ids(plan, view), listed, self.identity)
        return view, plan

    def _true_ids(self, plan: Plan, view: View) -> dict[str, str]:
        """What each variant is served by now: until its new one serves, the one that the state has."""
        live = view.by_id()
        given_on = {key: name for name, key in plan.matched.items()}
        recorded = {n: key for n, key in recorded_ids(self.state).items() if given_on.get(key, n) == n}
        ids = {n: key for n, key in recorded.items() if key in live and live[key].share and self.wanted}
        serving = {name: key for name, key in plan.matched.items() if name not in ids or live[key].share}
        return ids | serving

    async def _refuse(self, view: View, plan: Plan) -> None:
        """Every reason not to begin, at once."""
        if not self.wanted:
            return
        refusals = rollout_rules.refusals(self._case(view, plan))
        found = [*refusals, *[message async for message in self._missing_pools(plan)]]
        if found:
            raise ResourceError("\n".join(found))

    def _case(self, view: View, plan: Plan) -> rollout_rules.Case:
        marked = {item.id for item in view.live if item.has_identity(self.identity.hash[:12])}
        return rollout_rules.Case(view, plan, self.wanted, self.inputs, frozenset(self._listed() | marked))

    async def _missing_pools(self, plan: Plan) -> AsyncIterator[str]:
        for name in plan.deploy:
            pool = self.wanted[name].inputs.get("sharedResources")
            if pool and await get(self.call, "GetDeploymentResourcePool", pool) is None:
                path = f"deployedModels.{name}.sharedResources"
                yield f"{path}: {pool} does not exist; create it first, or correct the name"

    async def _deploy(self, view: View, plan: Plan) -> None:
        """All that can run beside what runs at once; then, one after the other, what is undeployed first."""
        await take_away(self.call, view, set(plan.spare))
        await self._deploy_together([name for name in plan.deploy if name not in plan.first])
        for name, key in sorted(plan.first.items()):
            await self._plan()
            await self._make_room(name, key)
            await self._deploy_together([name])

    async def _make_room(self, name: str, key: str) -> None:
        """The share of what runs goes to the others, or to successors that are up; then it is undeployed."""

        def rest(view: View) -> Mapping[str, int]:
            if not view.shares.get(key):
                return view.shares
            up = {n: k for n, k in self.matched.items() if k in view.by_id()}
            named = shares.by_variant(self._split, self.wanted)
            return shares.given_away(key, view.shares, {k: named.get(n, 0) for n, k in up.items()})

        await self.call.status(f"{name}: undeploying {key} first")
        await move_split(self.call, self.endpoint, rest)
        self.moved.append(name)
        await undeploy(self.call, self.endpoint, key)
        self.undeployed.add(key)

    async def _deploy_together(self, names: list[str]) -> None:
        ends = await asyncio.gather(*(self._deploy_one(name) for name in names), return_exceptions=True)
        failed = {name: end for name, end in zip(names, ends, strict=True) if isinstance(end, BaseException)}
        if not failed:
            return
        stops = [end for end in failed.values() if isinstance(end, (Cancelled, TimedOut))]
        if stops:
            with contextlib.suppress(CloudError, TimeoutError):  # what is true is read again by the next run
                await asyncio.wait_for(self._record(), LAST_LOOK)
            raise stops[0]
        view = await self._record()
        for end in failed.values():
            if not isinstance(end, ResourceError):  # no failure of a deployment: a fault of this code
                raise end
        if self.inputs.get("onFailure") == "UNDEPLOY":
            await take_away(self.call, view, {key for key in self.deployed if not view.shares.get(key)})
            await self._record()
        raise ResourceError(self._ends(names, failed))

    async def _record(self) -> View:
        """What is true, also after a stop, when the call itself waits for nothing any more."""
        found = await self.call.google.call("GetEndpoint", {"name": self.endpoint}, location_of(self.endpoint))
        view, listed = View(found), self._listed()
        ids = {name: key for name, key in recorded_ids(self.state).items() if key in view.by_id() and self.wanted}
        self.call.draft.outputs = endpoint_view.outputs(view, ids, listed, self.identity)
        return view

    def _ends(self, names: list[str], failed: Mapping[str, BaseException]) -> str:
        """Each variant's end, in one message."""
        lines = [f"deployedModels.{name}: {str(end) or type(end).__name__}" for name, end in failed.items()]
        lines += [f"deployedModels.{name}: came up" for name in names if name not in failed]
        kept = "was undeployed again" if self.inputs.get("onFailure") == "UNDEPLOY" else "is kept"
        lines.append(f"{self._where_requests_go()}; what came up {kept}")
        return "\n".join(lines)

    def _where_requests_go(self) -> str:
        if not self.moved:
            return "the traffic split is as it was"
        return (
            f"{', '.join(self.moved)} was undeployed first (strategy UNDEPLOY_FIRST): its share went to what else "
            "serves, and where nothing does the endpoint answers no request until the next `pulumi up` succeeds"
        )

    async def _deploy_one(self, name: str) -> None:
        request = {"endpoint": self.endpoint, "deployedModel": self._body(name)}
        stages = Stages(name)
        try:
            up = self._is_up(name, request["deployedModel"]["displayName"])
            answer = await operate(self.call, "DeployModel", request, stages.describe, up)
        except CloudError as error:
            held = self.seen.chips_of(self._listed()) if self.seen else 0
            message = deploy_failure.explain(self.wanted[name], error, stages, self.endpoint, held)
            raise ResourceError(message) from None
        made = answer.get("deployedModel", {}).get("id")
        self.deployed |= {made} if made else set()

    def _is_up(self, name: str, display_name: str) -> Settled:
        """That the endpoint has it, with its required replicas; where Google does not tell how many, it may not be."""

        async def settled() -> bool:
            view = View(await self.call.cloud("GetEndpoint", {"name": self.endpoint}, location_of(self.endpoint)))
            available = [item.available_replicas for item in view.live if item.display_name == display_name]
            return any(count is not None and count >= self.wanted[name].required_replicas for count in available)

        return settled

    def _body(self, name: str) -> dict[str, Any]:
        wanted = self.wanted[name]
        body = to_google(VARIANT, wanted.inputs)
        display = wanted.inputs.get("displayName", name) + self.identity.mark(wanted.specification)
        return {**body, "model": f"{wanted.model}@{wanted.version}", "displayName": display}

    def _require(self, plan: Plan, view: View) -> None:
        """Every variant that is about to get requests is there with its required replicas, or nothing moves."""
        for message in rollout_rules.unready(plan, view, self.wanted, self._split):
            raise ResourceError(f"{message}; {self._where_requests_go()}")

    async def _shift(self, plan: Plan) -> None:
        """One UpdateEndpoint with the etag that was read; computed anew where somebody else wrote meanwhile."""
        if not self.wanted:
            return

        def wanted(view: View) -> Mapping[str, int]:
            for message in rollout_rules.taking(self._case(view, plan)):  # another hand's, deployed meanwhile
                raise ResourceError(f"{message}; {self._where_requests_go()}")
            return shares.split(self._split, plan.matched, view.live)

        try:
            await move_split(self.call, self.endpoint, wanted)
        except CloudError as error:
            raise ResourceError(errors.explain("moving the traffic split (it is as it was)", error)) from None

    async def _mutate(self, name: str, deployed_model_id: str, mask: list[str]) -> None:
        inputs = to_google(VARIANT, self.wanted[name].inputs)
        body: dict[str, Any] = {"id": deployed_model_id}
        if "disableContainerLogging" in mask:
            body["disableContainerLogging"] = inputs.get("disableContainerLogging", False)
        if given := inputs.get("dedicatedResources"):
            counts = {"maxReplicaCount": given.get("maxReplicaCount") or given["minReplicaCount"]}
            fixed = ("machineSpec", "spot")
            body["dedicatedResources"] = {key: item for key, item in given.items() if key not in fixed} | counts
        request = {"endpoint": self.endpoint, "deployedModel": body, "updateMask": ",".join(mask)}
        await operate(self.call, "MutateDeployedModel", request, lambda _: f"{name}: changing replicas")
