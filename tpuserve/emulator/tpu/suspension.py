"""How an active request loses its nodes: taken by the service, or deleted by a user. It is SUSPENDED then."""

from typing import Any

from google.protobuf.empty_pb2 import Empty

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import precondition
from tpuserve.emulator.messages import Node
from tpuserve.emulator.names import zone
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.tpu.nodes import Nodes
from tpuserve.emulator.tpu.queued_resources import QueuedResources

_DELETING = Node.State.Value("DELETING")


class Suspension:
    """DeleteNode, and preemption."""

    def __init__(self, core: Core, nodes: Nodes, queued_resources: QueuedResources) -> None:
        self._core, self._nodes, self._requests = core, nodes, queued_resources
        core.operations.register("qr_suspending", self._suspend)
        core.operations.register("preemption", self._taken_away)
        core.operations.register("run_duration", self._taken_away)
        core.operations.register("delete_node", self._delete_node)

    def preempt(self, name: str) -> None:
        """Takes the nodes of an ACTIVE request away, as the service does with Spot capacity."""
        stored = self._core.found("queued_resources", self._core.name(name, "queuedResources"))
        self._begin(stored, "SERVICE")
        self._core.store.save()

    async def _taken_away(self, operation: Operation) -> None:
        """By preemption, or because they have run for as long as they may.

        Source: docs.cloud.google.com/tpu/docs/request-using-flex-start: after the run duration the TPU VMs are deleted,
        and the request is SUSPENDED. assumed: by SERVICE.
        """
        await self._core.operations.step(operation, operation.kind, operation.data["seconds"])
        stored = self._core.store.get("queued_resources", operation.target)
        if self._requests.state(stored) == "ACTIVE":
            self._begin(stored, "SERVICE", beside=operation)

    def delete_node(self, request: Any) -> Any:
        """Source: docs.cloud.google.com/tpu/docs/queued-resources: deleting the TPU VM sends its request to SUSPENDED.

        assumed: of a request with several nodes, deleting the last one does.
        """
        name = zone(self._core.name(request.name, "nodes"))
        node = self._core.found("nodes", name)
        if node.state == _DELETING:  # assumed, as for queued resources
            raise precondition(f"{name} is being deleted already.")
        node.state = _DELETING
        self._core.store.put("nodes", node.name, node)
        stored = self._core.store.get("queued_resources", node.queued_resource)
        others = [other for other in self._nodes.of(node.queued_resource) if other.state != _DELETING]
        if stored is not None and not others and self._requests.state(stored) == "ACTIVE":
            self._begin(stored, "USER")
        operation = self._core.operations.start("delete_node", name, {}, nested=False)
        self._core.store.save()
        return wire(operation)

    def _begin(self, stored: Any, initiator: str, beside: Operation | None = None) -> None:
        self._requests.move(stored, "SUSPENDING", initiator=initiator)
        self._core.operations.abandon(stored.name, beside)
        target = self._core.any_name(stored.name)
        self._core.operations.start("qr_suspending", target, {"initiator": initiator}, hidden=True)

    async def _suspend(self, operation: Operation) -> None:
        await self._core.operations.step(operation, "SUSPENDING", self._core.settings.durations.qr_suspending)
        for node in self._nodes.of(operation.target):
            await self._nodes.remove(node.name)
        stored = self._core.store.get("queued_resources", operation.target)
        self._requests.move(stored, "SUSPENDED", initiator=operation.data["initiator"])

    async def _delete_node(self, operation: Operation) -> Empty:
        await self._core.operations.step(operation, "DELETING", self._core.settings.durations.delete_node, last=True)
        await self._nodes.remove(operation.target)
        return Empty()
