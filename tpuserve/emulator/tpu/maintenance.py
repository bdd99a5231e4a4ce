"""Maintenance events: nodes that are down for a while, in a collection few of them at a time."""

import asyncio
from math import ceil

from tpuserve.emulator.core import Core
from tpuserve.emulator.operation import Operation
from tpuserve.emulator.tpu import rules
from tpuserve.emulator.tpu.nodes import Nodes


class Maintenance:
    """Source: docs.cloud.google.com/tpu/docs/collection-scheduling ("a portion of slices ... is always available") and
    WorkloadType (AVAILABILITY_OPTIMIZED: "most of the nodes are available all of the time"); assumed: that portion is
    all but one, and where nothing is optimized all nodes are down at once.
    """

    def __init__(self, core: Core, nodes: Nodes) -> None:
        self._core, self._nodes = core, nodes
        core.operations.register("maintenance", self.maintain)
        core.operations.register("maintenance_due", self._due)

    def begin(self, name: str, portion: float = 1.0) -> list[str]:
        """Begins an event on that portion of a request's nodes; returns their names."""
        stored = self._core.found("queued_resources", self._core.name(name, "queuedResources"))
        nodes = self._chosen(stored.name, portion)
        self._core.operations.start("maintenance", self._core.any_name(stored.name), {"nodes": nodes}, hidden=True)
        self._core.store.save()
        return nodes

    def _chosen(self, queued_resource: str, portion: float) -> list[str]:
        nodes = [node.name for node in self._nodes.of(queued_resource)]
        return nodes[: ceil(portion * len(nodes))]

    async def _due(self, operation: Operation) -> None:
        await self._core.operations.step(operation, "maintenance_due", operation.data["seconds"])
        self.begin(operation.target, operation.data["portion"])

    async def maintain(self, operation: Operation) -> None:
        """One node after the other in a collection, all at once elsewhere."""
        stored = self._core.store.get("queued_resources", operation.target)
        names = list(operation.data["nodes"])
        groups = [[name] for name in names] if rules.is_collection(stored) else [names]
        for index, group in enumerate(groups):
            await self._maintain_nodes(operation, f"maintenance-{index}", group)

    async def _maintain_nodes(self, operation: Operation, step: str, names: list[str]) -> None:
        if step in operation.passed:
            return
        nodes = [node for name in names if (node := self._core.store.get("nodes", name)) is not None]
        await asyncio.gather(*(self._nodes.take_down(node) for node in nodes))
        await self._core.operations.step(operation, step, self._core.settings.durations.maintenance)
        await asyncio.gather(*(self._nodes.bring_back(node) for node in nodes))
