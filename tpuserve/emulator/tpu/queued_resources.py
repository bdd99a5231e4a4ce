"""Queued resources: from the request to ACTIVE, to SUSPENDED by preemption, to FAILED when too late, to gone."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.beside import Asked
from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code, already_exists, code_numbered, not_found, precondition
from tpuserve.emulator.messages import QueuedResource, QueuedResourceState, tpu
from tpuserve.emulator.names import Name, zone
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.paging import page
from tpuserve.emulator.quota.capacity import Capacity
from tpuserve.emulator.quota.charges import of_request
from tpuserve.emulator.quota.quotas import Quotas
from tpuserve.emulator.tpu import rules, run_duration
from tpuserve.emulator.tpu.nodes import Nodes
from tpuserve.emulator.tpu.queueing import window
from tpuserve.emulator.tpu.tables import BEFALLING, DELETABLE_WITHOUT_FORCE, STATE_DATA

_MOMENT = 1e-6  # seconds: as finely as times are kept
_SETTLED = ("ACTIVE", "FAILED", "SUSPENDING", "SUSPENDED", "DELETING")


class QueuedResources:
    """The four methods, and what happens to a queued resource between them."""

    def __init__(self, core: Core, nodes: Nodes) -> None:
        self._core, self._nodes = core, nodes
        self._quotas, self._capacity = Quotas(core), Capacity(core)
        core.operations.register("create_queued_resource", self._create)
        core.operations.register("delete_queued_resource", self._delete)
        core.operations.register("qr_waiting", self._live)

    def get_queued_resource(self, request: Any) -> Any:
        return self._core.found("queued_resources", zone(self._core.name(request.name, "queuedResources")))

    def list_queued_resources(self, request: Any) -> Any:
        parent = zone(self._core.name(request.parent, field="parent"), "parent")
        values = [value for _, value in self._core.store.items("queued_resources", f"{parent}/")]
        chosen, token = page(values, request.page_size, request.page_token)
        return tpu("ListQueuedResourcesResponse")(queued_resources=chosen, next_page_token=token)

    def create_queued_resource(self, request: Any, asked: Asked | None = None) -> Any:
        """`asked`: what came over REST, and no message has."""
        parent = zone(self._core.name(request.parent, field="parent"), "parent")
        if (known := self._repeated("create", request)) is not None:
            return wire(known)
        # assumed: an id that is left out is made up, as `unqualified resource name` is not marked Required
        identifier = request.queued_resource_id or f"queued-resource-{self._core.new_id('queued_resources', 10)}"
        rules.checked_id(identifier, "queued_resource_id")
        name = parent.child("queuedResources", identifier)
        stored = self._accepted(request, name, asked)
        operation = self._core.operations.start(
            "create_queued_resource", name, {"request": MessageToDict(request)}, nested=False
        )
        self._core.operations.start("qr_waiting", name, {"request": MessageToDict(request)}, hidden=True)
        self._core.store.put("queued_resources", str(name), stored)
        self._core.beside.keep(str(name), asked)
        self._remember(request, operation)
        self._core.store.save()
        return wire(operation)

    def delete_queued_resource(self, request: Any) -> Any:
        name = zone(self._core.name(request.name, "queuedResources"))
        if (known := self._repeated("delete", request)) is not None:
            return wire(known)
        stored = self._core.found("queued_resources", name)
        state = QueuedResourceState.State.Name(stored.state.state)
        if state == "DELETING":  # assumed: deleting twice is refused while the first runs
            raise precondition(f"{name} is being deleted already.")
        if not request.force and state not in DELETABLE_WITHOUT_FORCE:
            allowed = ", ".join(DELETABLE_WITHOUT_FORCE)
            raise precondition(f"{name} is {state}; without force it must be {allowed}.")
        self._core.operations.abandon(str(name))
        self.move(stored, "DELETING")
        operation = self._core.operations.start(
            "delete_queued_resource", name, {"request": MessageToDict(request)}, nested=False
        )
        self._remember(request, operation)
        self._core.store.save()
        return wire(operation)

    def resume(self) -> list[Awaitable[object]]:
        """Starts again what the nodes of live requests ran; what is returned waits until it answers."""
        return [
            self._nodes.bring_back(node)
            for _, node in self._core.store.items("nodes")
            if node.state == rules.node_state("READY") and not node.HasField("upcoming_maintenance")
        ]

    def _accepted(self, request: Any, name: Name, asked: Asked | None) -> Any:
        stored = QueuedResource()
        stored.CopyFrom(request.queued_resource)
        plan = rules.planned(stored, name.id)
        beside = {} if asked is None else asked.values
        run_duration.refuse(stored, beside)
        spec = stored.tpu.node_spec[0]
        rules.refuse_zoneless(str(self._core.any_name(spec.parent, "node_spec[0].parent")), str(name.parent))
        spec.parent = str(name.parent)
        if self._core.store.get("queued_resources", str(name)) is not None:
            raise already_exists(str(name))
        self._nodes.refuse_taken(name.parent, plan)
        self._quotas.refuse(of_request(name, stored, plan, run_duration.model_of(beside)))
        if not self._core.settings.keeps_workload_type:
            spec.multi_node_params.ClearField("workload_type")
        stored.name = str(name)
        stored.create_time.CopyFrom(self._core.now())
        stored.ClearField("state")
        stored.state.state = QueuedResourceState.State.Value("CREATING")
        stored.state.creating_data.SetInParent()
        return stored

    def _repeated(self, verb: str, request: Any) -> Operation | None:
        """The operation that a request id has already begun. Source: request_id, `Idempotent request UUID`."""
        if not request.request_id:
            return None
        known = self._core.store.get("requests", f"{verb}/{request.request_id}")
        return self._core.store.get("operations", known) if known else None

    def _remember(self, request: Any, operation: Operation) -> None:
        if request.request_id:
            verb = "create" if operation.kind == "create_queued_resource" else "delete"
            self._core.store.put("requests", f"{verb}/{request.request_id}", operation.name)

    def move(self, stored: Any, state: str, *, initiator: str = "", error: ApiError | None = None) -> None:
        """Puts a request into another state."""
        rules.moved(stored.state.state, state)
        stored.ClearField("state")
        stored.state.state = QueuedResourceState.State.Value(state)
        if state in STATE_DATA:
            getattr(stored.state, STATE_DATA[state]).SetInParent()
        if initiator:
            stored.state.state_initiator = QueuedResourceState.StateInitiator.Value(initiator)
        if error is not None:
            stored.state.failed_data.error.CopyFrom(error.status())
        self._core.store.put("queued_resources", stored.name, stored)
        self._core.changes.tell(stored.name)

    async def _create(self, operation: Operation) -> Any:
        """Follows the request. assumed: it ends when the request is in the queue, as no source says where it does; a
        switch lets it end with ACTIVE. One that fails before ends in the same error.
        """
        await self._core.changes.until(operation.target, lambda: self._followed(operation.target))
        stored = self._core.store.get("queued_resources", operation.target)
        if stored is None:
            raise not_found(operation.target)
        if self.state(stored) == "FAILED":
            error = stored.state.failed_data.error
            raise ApiError(code_numbered(error.code), error.message)
        return stored

    def _followed(self, name: str) -> bool:
        stored = self._core.store.get("queued_resources", name)
        if stored is None or self.state(stored) in _SETTLED:
            return True
        return self._core.settings.queued_resource_operation_ends != "ACTIVE" and self.state(stored) != "CREATING"

    async def _live(self, operation: Operation) -> None:
        """A request's way to ACTIVE, or to FAILED."""
        stored = self._core.store.get("queued_resources", operation.target)
        try:
            await self._wait(operation, stored)
            await self._provision(operation, stored)
        except ApiError as error:
            for node in self._nodes.of(stored.name):
                await self._nodes.remove(node.name)
            self.move(stored, "FAILED", error=error)

    async def _wait(self, operation: Operation, stored: Any) -> None:
        if self.state(stored) == "PROVISIONING":
            return
        durations, step = self._core.settings.durations, self._core.operations.step
        await step(operation, "qr_creating", durations.qr_creating, kind="create_queued_resource", last=True)
        if self.state(stored) == "CREATING":
            self.move(stored, self._core.settings.waiting_state)
            self._core.store.save()
        seconds = self._moment(operation, stored) - self._core.clock.now()
        # a window begins at a time that was rounded to the moment: time that stands still may never come to it
        await step(operation, "qr_waiting", seconds if seconds > _MOMENT else 0, last=True)
        latest = window(stored).latest
        # assumed: who fits first goes first, whoever has waited longer
        await self._core.changes.until("capacity", lambda: self._capacity.fits(stored), latest - _MOMENT)
        if self._core.clock.now() >= latest - _MOMENT:
            raise ApiError(Code.DEADLINE_EXCEEDED, "The request could not be fulfilled before its valid-until time.")

    def _moment(self, operation: Operation, stored: Any) -> float:
        """When the wait ends: with capacity in the request's window, or with the window. A restart does not move it."""
        earliest, latest = window(stored)
        capacity = self._core.clock.now() + self._core.settings.durations.qr_waiting
        return operation.due.get("qr_waiting", min(max(capacity, earliest), latest))

    async def _provision(self, operation: Operation, stored: Any) -> None:
        durations, step = self._core.settings.durations, self._core.operations.step
        if self.state(stored) != "PROVISIONING":
            self._nodes.create(stored)
            self.move(stored, "PROVISIONING")
            self._core.store.save()
        await step(operation, "qr_provisioning", durations.qr_provisioning, kind="qr_provisioning", last=True)
        nodes = self._nodes.of(stored.name)
        await asyncio.gather(*(self._nodes.boot(node) for node in nodes))
        for node in nodes:
            self._nodes.ready(node)
        self.move(stored, "ACTIVE")
        name = self._core.any_name(stored.name)
        for rule in self._core.faults.befalling(name.id):
            data = {"seconds": rule.seconds, "portion": rule.portion}
            self._core.operations.start(BEFALLING[str(rule.effect)], name, data, hidden=True)
        now = self._core.clock.now()
        end = run_duration.ends(self._core.beside.of(stored.name, run_duration.DOCUMENT), now)
        if end is not None:
            self._core.operations.start("run_duration", name, {"seconds": max(end - now, 0)}, hidden=True)

    def state(self, stored: Any) -> str:
        """The state's name."""
        return str(QueuedResourceState.State.Name(stored.state.state))

    async def _delete(self, operation: Operation) -> Any:
        """force: all running nodes are deleted first, then the request. Source: DeleteQueuedResourceRequest.force.

        The response is the queued resource: so says the gapic client, which fails on any other type.
        """
        stored = self._core.store.get("queued_resources", operation.target)
        await self._core.operations.step(operation, "DELETING", self._core.settings.durations.qr_deleting, last=True)
        for node in self._nodes.of(operation.target):
            await self._nodes.remove(node.name)
        self._core.store.drop("queued_resources", operation.target)
        self._core.changes.tell(operation.target)
        return stored
