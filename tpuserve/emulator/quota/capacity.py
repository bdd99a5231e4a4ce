"""What Google has left: chips by place and generation. Nodes that exist and replicas that run take them."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import ParseDict

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code
from tpuserve.emulator.messages import DeployedModel
from tpuserve.emulator.names import Name
from tpuserve.emulator.quota.charges import chips_of, of_machine, reserved
from tpuserve.emulator.quota.tables import GENERATIONS
from tpuserve.emulator.tpu.rules import planned
from tpuserve.emulator.tpu.tables import ACCELERATOR_TYPES
from tpuserve.emulator.vertex.tables import STAGES

ADDING_NODES = "ADDING_NODES_TO_CLUSTER"
HOLDING_NODES = STAGES[STAGES.index(ADDING_NODES) :]


class Capacity:
    """The setting `capacity`: chips by zone (Cloud TPU) or region (Vertex AI), then by generation. Not named: enough.

    assumed: the two planes have capacity of their own, all projects share it, and a reservation's is apart from it.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def fits(self, queued_resource: Any) -> bool:
        """Whether all slices of a request can be had now; a request never gets a part of them."""
        name = self._core.any_name(queued_resource.name)
        plan = planned(queued_resource, name.id)
        free = self.free(name.location, GENERATIONS[plan.slice.generation])
        return free is None or reserved(queued_resource) or len(plan.node_ids) * chips_of(plan.slice) <= free

    def replicas(self, endpoint: Name, resources: Any, wanted: int) -> int:
        """How many of the wanted replicas can be had beside those that run."""
        chips, generation = of_machine(resources.machine_spec)
        free = self.free(endpoint.location, generation) if generation else None
        return wanted if free is None else min(wanted, max(free, 0) // chips)

    def free(self, location: str, generation: str) -> int | None:
        """None where nothing is said."""
        total = (self._core.settings.capacity or {}).get(location, {}).get(generation)
        return None if total is None else total - sum(self._taken(location, generation))

    def _taken(self, location: str, generation: str) -> Iterator[int]:
        for name, node in self._core.store.items("nodes"):
            shape = ACCELERATOR_TYPES[node.accelerator_type]
            here = f"/locations/{location}/" in name and GENERATIONS[shape.generation] == generation
            if here and not self._of_reservation(node):
                yield chips_of(shape)
        for name, endpoint in self._core.store.items("endpoints"):
            if f"/locations/{location}/" in name:
                yield from (_running(model, generation) for model in endpoint.deployed_models)
        yield from self._coming(location, generation)

    def _coming(self, location: str, generation: str) -> Iterator[int]:
        """What deployments hold that have got their nodes and are not at their end."""
        for operation in self._core.operations.running():
            if operation.stage in HOLDING_NODES and f"/locations/{location}/" in operation.target:
                resources = ParseDict(operation.data["deployed"], DeployedModel()).dedicated_resources
                chips, found = of_machine(resources.machine_spec)
                yield chips * needed(resources) if found == generation else 0

    def _of_reservation(self, node: Any) -> bool:
        stored = self._core.store.get("queued_resources", node.queued_resource)
        return stored is not None and reserved(stored)


def needed(resources: Any) -> int:
    """The replicas without which a deployment fails. Source: DedicatedResources.required_replica_count."""
    return resources.required_replica_count or resources.min_replica_count


def stockout(endpoint: Name) -> ApiError:
    """assumed: Vertex AI's code and words; those of Compute Engine, about a zone, are in
    googlefonts/fontbakery-dashboard#81."""
    return ApiError(
        Code.RESOURCE_EXHAUSTED,
        f"The region {endpoint.location!r} does not have enough resources available to fulfill the request. "
        "Try a different region, or try again later.",
    )


def _running(deployed: Any, generation: str) -> int:
    chips, found = of_machine(deployed.dedicated_resources.machine_spec)
    return chips * deployed.status.available_replica_count if found == generation else 0
