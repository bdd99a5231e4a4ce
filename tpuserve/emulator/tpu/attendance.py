"""What a user has done to the nodes of an ACTIVE request: a reset, or maintenance now."""

import asyncio
from typing import Any

from google.protobuf.json_format import MessageToDict

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import invalid, precondition
from tpuserve.emulator.messages import QueuedResourceState
from tpuserve.emulator.names import Name, zone
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.operations import refuse_running
from tpuserve.emulator.tpu.maintenance import Maintenance
from tpuserve.emulator.tpu.nodes import Nodes

_ACTIVE = QueuedResourceState.State.Value("ACTIVE")


class Attendance:
    """ResetQueuedResource and PerformMaintenanceQueuedResource; their responses are the request, as the clients say.

    assumed, as no source says what a reset does to a collection: every node restarts, the request stays ACTIVE, and
    neither is taken in another state or while one of them runs.
    """

    def __init__(self, core: Core, nodes: Nodes, maintenance: Maintenance) -> None:
        self._core, self._nodes, self._maintenance = core, nodes, maintenance
        core.operations.register("reset_queued_resource", self._reset)
        core.operations.register("perform_maintenance", self._maintain)

    def reset_queued_resource(self, request: Any) -> Any:
        name, stored = self._active(request.name)
        return self._begin("reset_queued_resource", name, request, [node.name for node in self._nodes.of(stored.name)])

    def perform_maintenance_queued_resource(self, request: Any) -> Any:
        """Source: `The names of the nodes to perform maintenance on`; assumed: ids or full names, all if none."""
        name, stored = self._active(request.name)
        known = {node.name.rpartition("/")[2]: node.name for node in self._nodes.of(stored.name)}
        wanted = [text.rpartition("/")[2] for text in request.node_names] or list(known)
        for node in wanted:
            if node not in known:
                raise invalid("node_names", node, f"of the request's nodes ({', '.join(known)})")
        return self._begin("perform_maintenance", name, request, [known[node] for node in wanted])

    def _active(self, text: str) -> tuple[Name, Any]:
        name = zone(self._core.name(text, "queuedResources"))
        stored = self._core.found("queued_resources", name)
        if stored.state.state != _ACTIVE:
            state = QueuedResourceState.State.Name(stored.state.state)
            raise precondition(f"{name} is {state}; it must be ACTIVE.")
        refuse_running([found for found in self._core.operations.running(str(name)) if found.kind in _KINDS])
        return name, stored

    def _begin(self, kind: str, name: Name, request: Any, nodes: list[str]) -> Any:
        data = {"request": MessageToDict(request), "nodes": nodes}
        operation = self._core.operations.start(kind, name, data, nested=False)
        self._core.store.save()
        return wire(operation)

    async def _reset(self, operation: Operation) -> Any:
        nodes = [node for name in operation.data["nodes"] if (node := self._core.store.get("nodes", name)) is not None]
        await asyncio.gather(*(self._nodes.restart(node) for node in nodes))
        await self._core.operations.step(operation, "reset", self._core.settings.durations.qr_resetting, last=True)
        await asyncio.gather(*(self._nodes.bring_back(node) for node in nodes))
        return self._core.found("queued_resources", self._core.any_name(operation.target))

    async def _maintain(self, operation: Operation) -> Any:
        await self._maintenance.maintain(operation)
        return self._core.found("queued_resources", self._core.any_name(operation.target))


_KINDS = ("reset_queued_resource", "perform_maintenance")
