"""The lifecycle of a queued resource: asked for once, watched by its own state, never updated."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from tpuserve import catalog
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.catalog.words import listed
from tpuserve.google import TPU, CloudError
from tpuserve.provider import errors
from tpuserve.provider.call import Call, Cancelled, ResourceError, TimedOut
from tpuserve.provider.drift import is_as_asked, live_inputs
from tpuserve.provider.lifecycle import Found, Inputs, Outputs
from tpuserve.provider.owned import OwnedLifecycle
from tpuserve.provider.ownership import Identity, users_labels, whose
from tpuserve.provider.queued_resource import view
from tpuserve.provider.queued_resource.view import PLACES
from tpuserve.provider.requests import APPEARS, get
from tpuserve.provider.waiting import DENIED, LOOK, pause_after
from tpuserve.resources.diff import Change
from tpuserve.resources.fields import Effect
from tpuserve.resources.queued_resource import DEFINITION
from tpuserve.resources.same import learned
from tpuserve.resources.wire import to_google


class QueuedResourceLifecycle(OwnedLifecycle):
    """`tpuserve:tpu:QueuedResource`."""

    definition = DEFINITION
    getter = "GetQueuedResource"

    def labels_of(self, live: Mapping[str, Any]) -> Mapping[str, str]:
        return live["tpu"]["nodeSpec"][0].get("node", {}).get("labels", {})

    def resource_id(self, inputs: Inputs) -> str:
        return f"{_parent(inputs)}/queuedResources/{inputs['queuedResourceId']}"

    def fixed_names(self, inputs: Inputs) -> set[str]:
        """The request's own name and its nodes': all are global to project and zone."""
        spec = view.spec_of(inputs)
        prefix = (spec.get("multiNodeParams") or {}).get("nodeIdPrefix")
        node = prefix or spec.get("nodeId")
        names = {self.resource_id(inputs)}
        return names | {f"{_parent(inputs)}/nodes/{node}"} if node else names

    def previewed(self, inputs: Inputs, state: Outputs | None, changes: list[Change]) -> Outputs:
        """A request on its way is ahead of the state by the time that the update has waited for it."""
        outputs = super().previewed(inputs, state, changes)
        arrived = state is None or (state.get("state") or {}).get("state") == "ACTIVE"
        return outputs if arrived else outputs | {"state": UNKNOWN, "nodes": UNKNOWN}

    async def more_changes(self, call: Call, old: Inputs, state: Outputs, new: Inputs) -> list[Change]:
        now, goal = (state.get("state") or {}).get("state"), new.get("waitFor", "ACTIVE")
        if now in ("SUSPENDED", "SUSPENDING") and new.get("onSuspended") == "REPLACE":
            return [Change(("state", "state"), Effect.REPLACE, now, goal)]
        short = now in PLACES and goal in PLACES and PLACES[now] < PLACES[goal]
        unfinished = short or now in ("FAILED", "DELETING")
        return [Change(("state", "state"), Effect.IN_PLACE, now, goal)] if unfinished else []

    def note(self, changes: list[Change], old: Inputs, new: Inputs) -> str:
        """What a replacement costs, and for which arguments."""
        forcing = [change.path for change in changes if change.effect is Effect.REPLACE]
        asked = [path for path in forcing if path != "queuedResourceId"] or forcing
        if not forcing or "state.state" in forcing:  # a request without slices gives none up
            return ""
        first = bool(self.fixed_names(old) & self.fixed_names(new))
        order = "before the new ones are asked for: they share a name" if first else "when the new ones are there"
        return f"gives up {view.chips_of(old, str(old.get('zone', '')))} for {listed(asked)}, deleted {order}"

    def warning(self, state: Outputs, old: Inputs, new: Inputs, replaced: bool) -> str:
        return view.warning(state, old, new, replaced)

    async def create(self, call: Call, inputs: Inputs) -> None:
        name = self.resource_id(inputs)
        live = await get(call, self.getter, name, rest=view.needs_rest(inputs))
        if live is not None:
            self.ours_or_error(live, call.identity(), name, call)
        await self._converge(call, inputs, call.identity(), live, taking=True)

    async def update(self, call: Call, state: Outputs, inputs: Inputs) -> None:
        live = await self.present_or_refused(call, self.resource_id(inputs), state)
        await self._converge(call, inputs, call.identity(state.get("origin")), live, taking=False)

    async def _converge(
        self, call: Call, inputs: Inputs, identity: Identity, live: dict[str, Any] | None, taking: bool
    ) -> None:
        """Come to what is wanted; `taking`: no state speaks of the object, so what exists must be as asked for."""
        name = self.resource_id(inputs)
        again = live is None or view.state_of(live) in ("DELETING", "FAILED")
        if again and (over := view.over(inputs, call.now())):
            raise ResourceError(over)
        if again and live is not None:
            await self._remove(call, name)
            live = None
        if live is None:
            await self._ask(call, inputs, identity, name)
        elif taking:
            _as_asked_or_error(await self._whole(call, live, inputs), inputs, name)
        call.draft.id = name
        await self._wait(call, inputs, identity, name)

    async def _ask(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> None:
        request = {
            "parent": _parent(inputs),
            "queuedResourceId": inputs["queuedResourceId"],
            "queuedResource": _request(inputs, identity, call.config.default_labels),
            "requestId": str(uuid.uuid4()),  # makes one request of this one and its retries
        }
        call.draft.id, call.draft.outputs = name, {"origin": identity.origin}
        try:
            operation = await call.cloud("CreateQueuedResource", request, rest=view.needs_rest(inputs))
            call.running.append(operation["name"])
        except CloudError as error:
            if error.code == "ALREADY_EXISTS":
                await self._adopt(call, inputs, identity, name)
                return
            if errors.is_refusal(error):
                call.draft.id = ""
            if error.code == "PERMISSION_DENIED" and (hint := view.shared_vpc(inputs)):
                raise ResourceError(f"{errors.explain(call.name, error)}{hint}") from None
            raise

    async def _adopt(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> None:
        """ALREADY_EXISTS is ours after a lost answer; it can also speak of a slice of that name."""
        call.draft.id = ""
        live = await get(call, self.getter, name, rest=view.needs_rest(inputs))
        if live is None:
            raise ResourceError(await _slice_is_taken(call, inputs, identity))
        self.ours_or_error(live, identity, name, call)
        _as_asked_or_error(await self._whole(call, live, inputs), inputs, name)
        call.draft.id = name

    async def _whole(self, call: Call, live: dict[str, Any], inputs: Inputs) -> dict[str, Any]:
        """What is taken over, with what REST alone tells of it, where REST can be asked."""
        if view.needs_rest(inputs) or call.google.no_rest(TPU):
            return live
        return await get(call, self.getter, self.resource_id(inputs), rest=True) or live

    async def _wait(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> None:
        goal, since, where = PLACES[inputs.get("waitFor", "ACTIVE")], call.clock(), ""
        try:
            while True:
                live = await self._looked(call, inputs, identity, name, since)
                if live is None:
                    continue
                now, nodes = view.state_of(live), call.draft.outputs["nodes"]
                if now in PLACES and PLACES[now] >= goal:
                    return
                ready = sum(node["state"] == "READY" for node in nodes)
                where = f"{now}, {ready} of {view.count_of(inputs)} slices ready"
                await call.status(f"{where} ({call.elapsed()})")
                await call.poll_pause(since)
        except (Cancelled, TimedOut) as stop:
            raise type(stop)(where) from None

    async def _looked(
        self, call: Call, inputs: Inputs, identity: Identity, name: str, since: float
    ) -> dict[str, Any] | None:
        """One look of many: None, after a pause, where it failed and the next one need not."""
        try:
            return await self._seen(call, inputs, identity, name)
        except CloudError as error:
            if error.code in DENIED or error.code == "NOT_FOUND":
                raise
            await pause_after(call, error, since)
        return None

    async def _seen(self, call: Call, inputs: Inputs, identity: Identity, name: str) -> dict[str, Any]:
        """The request as it is now, kept in the draft; an error where it is not what was asked for, or has ended."""
        live = await _appeared(call, name, rest=view.needs_rest(inputs))
        call.draft.outputs = view.outputs(live, await _nodes(call, inputs, live), identity)
        if view.state_of(live) in view.ENDED:
            raise ResourceError(view.ended(live, inputs))
        if lost := view.lost_workload_type(live, inputs) or view.lost_over_rest(live, inputs):
            raise ResourceError(lost)
        return live

    async def read(self, call: Call, resource_id: str, state: Outputs, inputs: Inputs) -> Found | None:
        project, zone, queued_resource_id = _parts(resource_id)
        rest = view.needs_rest(inputs) if inputs else not call.google.no_rest(TPU)
        live = await self.present(call, resource_id, state, rest=rest)
        if live is None:
            return None
        place = {"project": project, "zone": zone, "queuedResourceId": queued_resource_id}
        place = place if inputs else await self.spelled_as_configured(call, place, live)
        # There is no update method: with inputs at hand, nothing of the request can have drifted, but for what another
        # client than Google's own asks for, and Google may not have kept.
        given = view.followed_over_rest(live, inputs) or place | _imported(live, call.config.default_labels)
        origin = state.get("origin") or call.urn
        nodes = await _nodes(call, given, live)
        return Found(given, view.outputs(live, nodes, call.identity(origin)))

    async def delete(self, call: Call, resource_id: str, state: Outputs, held: frozenset[str]) -> None:
        if await self.goes_on(call, resource_id, state, held):
            return
        if await self.present(call, resource_id, state) is not None:
            await self._remove(call, resource_id)

    async def _remove(self, call: Call, name: str) -> None:
        """Delete with force (slices included) and wait until Google no longer knows the request."""
        since = call.clock()
        sent = False
        while True:
            live = await get(call, self.getter, name)
            if live is None:
                return
            if not sent and view.state_of(live) != "DELETING":
                sent = await _send_delete(call, name)
            await call.status(f"deleting, {view.state_of(live)} ({call.elapsed()})")
            await call.poll_pause(since)


async def _send_delete(call: Call, name: str) -> bool:
    try:
        await call.cloud("DeleteQueuedResource", {"name": name, "force": True})
    except CloudError as error:
        if error.code == "NOT_FOUND":
            return True
        if error.code != "FAILED_PRECONDITION":
            raise
        return False
    return True


async def _appeared(call: Call, name: str, *, rest: bool) -> dict[str, Any]:
    """The request; one that was just asked for may take a moment to be seen."""
    since = call.clock()
    while True:
        try:
            return await call.cloud("GetQueuedResource", {"name": name}, patience=LOOK, rest=rest)
        except CloudError as error:
            seen = "createTime" in call.draft.outputs
            if error.code != "NOT_FOUND" or seen or call.clock() - since > APPEARS:
                raise
        await call.poll_pause(since)


async def _nodes(call: Call, inputs: Inputs, live: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The slices that exist, in the order of their numbers."""
    if view.state_of(live) in view.WITHOUT_NODES:
        return []
    parent = live["tpu"]["nodeSpec"][0].get("parent") or _parent(inputs)
    listed = await call.race(call.google.pages("ListNodes", {"parent": parent}, key="nodes"))
    short = live["name"].rsplit("/", 1)[-1]
    ours = [node for node in listed if node.get("queuedResource", "").rsplit("/", 1)[-1] == short]
    return sorted(ours, key=lambda node: (len(node["name"]), node["name"]))


def _parent(inputs: Mapping[str, Any]) -> str:
    return f"projects/{inputs['project']}/locations/{inputs['zone']}"


def _parts(name: str) -> tuple[str, str, str]:
    parts = name.split("/")
    if len(parts) != 6 or parts[0] != "projects" or parts[4] != "queuedResources":
        raise ResourceError(
            f"{name!r} is not the id of a queued resource: projects/PROJECT/locations/ZONE/queuedResources/ID"
        )
    return parts[1], parts[3], parts[5]


def _request(inputs: Inputs, identity: Identity, defaults: Mapping[str, str]) -> dict[str, Any]:
    request = to_google(DEFINITION.shape, inputs)
    spec = request["tpu"]["nodeSpec"][0]
    spec["parent"] = _parent(inputs)
    spec["node"]["labels"] = {**defaults, **spec["node"].get("labels", {}), **identity.labels()}
    return request


def _imported(live: Mapping[str, Any], defaults: Mapping[str, str]) -> Inputs:
    """What the program has to say: labels that the provider gives every node are not the program's."""
    inputs = live_inputs(DEFINITION.shape, live, {})
    spec = inputs["tpu"]["nodeSpec"][0]
    labels = users_labels(spec["node"].get("labels", {})).items()
    own = {key: value for key, value in labels if defaults.get(key) != value}
    rest = {key: value for key, value in spec["node"].items() if key != "labels"}
    if "acceleratorType" in rest:  # Google may tell the one thing in both ways
        rest.pop("acceleratorConfig", None)
    spec["node"] = rest | ({"labels": own} if own else {})
    # What gcloud sends unasked, and what contradicts the tier, which says the same.
    if inputs.get("provisioningModel") == "STANDARD" or catalog.check_provisioning_model(inputs):
        inputs.pop("provisioningModel", None)
    return inputs


def _as_asked_or_error(live: Mapping[str, Any], inputs: Inputs, name: str) -> None:
    """Nobody can change a request, and one that may serve is not deleted unasked."""
    numbers = learned(name, live["name"])
    same = is_as_asked(DEFINITION.shape, live, to_google(DEFINITION.shape, inputs), numbers)
    if not same or view.ends_unasked(live, inputs):
        raise ResourceError(
            f"{name} exists, was made by this stack and asks for something else than these arguments do. Delete it "
            "(`tpuserve orphans --delete`, if no state knows it), or give another queuedResourceId"
        )


async def _slice_is_taken(call: Call, inputs: Inputs, identity: Identity) -> str:
    """Who has one of the slices' names: they are unique in project and zone."""
    spec = inputs["tpu"]["nodeSpec"][0]
    prefix = (spec.get("multiNodeParams") or {}).get("nodeIdPrefix", inputs["queuedResourceId"])
    names = {spec["nodeId"]} if "nodeId" in spec else {f"{prefix}-{number}" for number in range(view.count_of(inputs))}
    listed = await call.race(call.google.pages("ListNodes", {"parent": _parent(inputs)}, key="nodes"))
    taken = next((node for node in listed if node["name"].rsplit("/", 1)[-1] in names), {})
    holder = whose(taken.get("labels", {}), identity)
    of = f" of queued resource {taken['queuedResource']}" if taken.get("queuedResource") else ""
    return (
        f"tpu.nodeSpec[0]: slice {taken.get('name', prefix)}{of} exists already and was not taken: {holder}. Give "
        "another node prefix; if it is this stack's and no state has it, remove it with `tpuserve orphans --delete`; "
        "if the state has it tainted, `pulumi state untaint` first: a forced replacement cannot change what it asks for"
    )
