"""The lifecycle of an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tpuserve.catalog.faults import UNKNOWN
from tpuserve.catalog.words import listed
from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call, ResourceError
from tpuserve.provider.drift import live_inputs
from tpuserve.provider.endpoint.calls import when_free
from tpuserve.provider.lifecycle import Found, Inputs, Outputs
from tpuserve.provider.ownership import CLAIM_LABEL, Identity, is_claim_of, read_mark
from tpuserve.provider.requests import appears, get, patiently, seen, undeployed, vanishes, with_fresh_etag
from tpuserve.provider.vertex import VertexLifecycle
from tpuserve.provider.waiting import finish, finish_running, location_of
from tpuserve.resources.diff import Change, changes, is_default
from tpuserve.resources.endpoint import DEFINITION
from tpuserve.resources.fields import Argument, Effect
from tpuserve.resources.same import ANY_PROJECT, canonical
from tpuserve.resources.wire import from_google

OWN_UPDATE = "clientConnectionConfig"  # UpdateEndpointLongRunningRequest.endpoint: only this field


class EndpointLifecycle(VertexLifecycle):
    """`tpuserve:vertex:Endpoint`."""

    definition = DEFINITION
    collection = "endpoints"
    getter = "GetEndpoint"

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        changed = {"updateTime": UNKNOWN} if changes else {}
        return super().previewed(inputs, state, changes) | {"endpointId": inputs["endpointId"]} | changed

    async def create(self, call: Call, inputs: Inputs) -> None:
        identity = call.identity()
        name = self.resource_id(inputs)
        call.draft.id, call.draft.outputs = name, {"origin": identity.origin}
        await self._ensure(call, inputs, identity, name, None)

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        identity, name = call.identity(state.get("origin")), self.resource_id(inputs)
        await finish_running(call, name)
        live = await self.present_or_refused(call, name, state)
        if live is not None and live.get("createTime") != state.get("createTime"):
            _as_asked_or_error(live, inputs, name)
        await self._ensure(call, inputs, identity, name, live)

    async def _ensure(
        self, call: Call, inputs: Inputs, identity: Identity, name: str, live: dict[str, Any] | None
    ) -> None:
        """Come to what is wanted, from the state's object where there is one."""
        if live is None:
            live, made = await self._create_or_find(call, inputs, identity, name)
            if not made:
                self._check_ours(call, inputs, live, identity, name)
        call.draft.outputs = _outputs(live, identity)
        live = await with_fresh_etag(lambda: self._patch(call, inputs, identity, name))
        call.draft.outputs = _outputs(live, identity)
        if OWN_UPDATE in self.stale(self.body(inputs, identity, live), live):
            live = await self._change_connection(call, inputs, name)
            call.draft.outputs = _outputs(live, identity)

    def _check_ours(self, call: Call, inputs: Inputs, live: Mapping[str, Any], identity: Identity, name: str) -> None:
        try:
            self.ours_or_error(live, identity, name, call)
            _as_asked_or_error(live, inputs, name)
        except ResourceError:
            call.draft.id = ""
            raise

    async def _create_or_find(
        self, call: Call, inputs: Inputs, identity: Identity, name: str
    ) -> tuple[dict[str, Any], bool]:
        """The endpoint, and whether this call made it."""
        body = self.body(inputs, identity)
        request = {"parent": self.parent(inputs), "endpoint": body, "endpointId": inputs["endpointId"]}
        made = True
        try:
            operation = await call.cloud("CreateEndpoint", request, inputs["location"])
            await finish(call, operation, lambda _: "creating the endpoint", appears(call, "GetEndpoint", name))
        except CloudError as error:
            if error.code != "ALREADY_EXISTS":
                call.draft.id = "" if errors.is_refusal(error) else call.draft.id
                raise
            made = False
            await finish_running(call, name)
        live = await seen(call, lambda: get(call, "GetEndpoint", name))
        if live is None:
            raise ResourceError(f"{name} was created and is not there now: something deleted it meanwhile")
        return live, made

    async def _patch(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> dict[str, Any]:
        live = await get(call, "GetEndpoint", name)
        if live is None:
            raise ResourceError(f"{name} is not there any more: something deleted it meanwhile")
        body = self.body(inputs, identity, live)
        stale = [field for field in self.stale(body, live) if field != OWN_UPDATE]
        if not stale:
            return live
        endpoint = {field: body[field] for field in stale if field in body} | {"name": name, "etag": live["etag"]}
        request = {"endpoint": endpoint, "updateMask": ",".join(stale)}
        return await _send(call, name, "UpdateEndpoint", request)

    async def _change_connection(self, call: Call, inputs: Inputs, name: str) -> dict[str, Any]:
        """The timeout has an update of its own, which takes nothing else and blocks all else while it runs."""
        request = {"endpoint": {"name": name, OWN_UPDATE: inputs.get(OWN_UPDATE, {})}}
        operation = await _send(call, name, "UpdateEndpointLongRunning", request)
        await finish(call, operation, lambda _: "changing the inference timeout")
        return await call.cloud("GetEndpoint", {"name": name}, location_of(name))

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        place, identity = self.place(resource_id), call.identity(state.get("origin"))
        live = await self.present(call, resource_id, state)
        if live is None:
            return None
        place = place if inputs else await self.spelled_as_configured(call, place, live)
        return Found(place | live_inputs(DEFINITION.shape, live, inputs), _outputs(live, identity))

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        if await self.goes_on(call, resource_id, state, held):
            return
        await finish_running(call, resource_id)
        live = await self.present(call, resource_id, state)
        if live is None:
            return
        leftovers = live.get("deployedModels", [])
        for deployed in leftovers:
            _leftover_or_error(resource_id, live, deployed, call.config.owner_id)
        for deployed in leftovers:
            await self._undeploy_leftover(call, resource_id, deployed)

        async def send() -> None:
            operation = await call.cloud("DeleteEndpoint", {"name": resource_id}, location_of(resource_id))
            gone = vanishes(call, "GetEndpoint", resource_id)
            await finish(call, operation, lambda _: "deleting the endpoint", gone)

        await patiently(call, send)

    async def _undeploy_leftover(self, call: Call, name: str, deployed: Mapping[str, Any]) -> None:
        request = {"endpoint": name, "deployedModelId": deployed["id"]}
        operation = await call.cloud("UndeployModel", request, location_of(name))
        gone = undeployed(call, name, deployed["id"])
        await finish(call, operation, lambda _: f"undeploying {deployed['id']}, left over from an earlier run", gone)


async def _send(call: Call, name: str, method: str, request: dict[str, Any]) -> dict[str, Any]:
    """One update, after the operations that run."""
    return await when_free(call, name, method, lambda: call.cloud(method, request, location_of(name)))


def _leftover_or_error(name: str, live: Mapping[str, Any], deployed: Mapping[str, Any], owner: str) -> None:
    """Only what a Deployment of this owner left, and what gets no request, is taken away with the endpoint."""
    share = live.get("trafficSplit", {}).get(deployed["id"], 0)
    claim = live.get("labels", {}).get(CLAIM_LABEL, "")
    others = bool(claim) and not is_claim_of(claim, owner)
    if share or others or not read_mark(deployed.get("displayName", "")):
        raise ResourceError(
            f"{name} still serves {deployed.get('displayName') or deployed['id']!r} ({share} % of its requests), "
            "which no Deployment of this stack holds: undeploy it first (`tpuserve orphans --delete` does, if it "
            "is the stack's and no state has it), or take the endpoint out of the state with `pulumi state delete`"
        )


def _as_asked_or_error(live: Mapping[str, Any], inputs: Inputs, name: str) -> None:
    """Nothing changes these, so a state that was lost does not turn one kind of endpoint into another."""
    found = from_google(DEFINITION.shape, live)
    fixed = [a for a in DEFINITION.shape.arguments if not a.field.ours and a.field.effect is Effect.REPLACE]
    other = [a.wire for a in fixed if list(changes(a.shape, _plain(a, found), _plain(a, inputs)))]
    if other:
        raise ResourceError(
            f"{name} exists, was made by this stack and has another {listed(other)} than these arguments ask for, "
            "which no update changes. Delete it (`tpuserve orphans --delete`, if no state knows it), or give another "
            "endpointId"
        )


def _plain(argument: Argument, inputs: Mapping[str, Any]) -> Any:
    """The argument without what only spells a project: the names in it may have the id or the number."""
    value = canonical(DEFINITION.shape, {argument.wire: inputs.get(argument.wire)}, ANY_PROJECT)[argument.wire]
    return None if is_default(argument, value) else value


def _outputs(live: Mapping[str, Any], identity: Identity) -> Outputs:
    return {
        "name": live["name"],
        "endpointId": live["name"].rsplit("/", 1)[-1],
        "dedicatedEndpointDns": live.get("dedicatedEndpointDns", ""),
        "createTime": live.get("createTime", ""),
        "updateTime": live.get("updateTime", ""),
        "origin": identity.origin,
    }
