"""What is charged to which quota, and how much of a generation is in use. Pure: messages in, numbers out."""

from math import prod
from typing import Any, NamedTuple

from tpuserve.emulator.names import Name
from tpuserve.emulator.quota.tables import FAMILIES, GENERATIONS, OF_REPLICAS, OF_SLICES, QUOTAS
from tpuserve.emulator.tpu.rules import Plan
from tpuserve.emulator.tpu.run_duration import FLEX_START
from tpuserve.emulator.tpu.tables import Slice
from tpuserve.emulator.vertex.tables import TPU_MACHINE_TYPES


class Charge(NamedTuple):
    """Chips that one resource is charged for."""

    project: str
    quota: str
    location: str
    chips: int


def of_request(name: Name, queued_resource: Any, plan: Plan, model: str) -> Charge | None:
    """A queued resource: all its nodes, in every state. Source: docs.cloud.google.com/tpu/docs/queued-resources.

    `model`: its provisioning model, empty where it has none.

    assumed: one that is bound to a reservation is charged to none of these, for its capacity is bought already.
    """
    if reserved(queued_resource):
        return None
    shape = plan.slice
    quota = OF_SLICES[GENERATIONS[shape.generation], preemptible(queued_resource, model), shape.hosts > 1]
    return Charge(name.project, quota, _place(quota, name.location), len(plan.node_ids) * chips_of(shape))


def of_replicas(name: Name, resources: Any) -> Charge | None:
    """Dedicated resources: their highest number of replicas. None for a machine without TPU chips.

    Source: DedicatedResources.max_replica_count, of CPUs and GPUs; assumed: of TPUs as well.
    """
    chips, generation = of_machine(resources.machine_spec)
    if not generation:
        return None
    highest = max(resources.max_replica_count, resources.min_replica_count)
    return Charge(name.project, OF_REPLICAS[generation, resources.spot], name.location, highest * chips)


def of_machine(spec: Any) -> tuple[int, str]:
    """The chips of one replica, over all its hosts, and their generation; 0 and nothing for other machines."""
    chips = TPU_MACHINE_TYPES.get(spec.machine_type, 0)
    if chips and spec.tpu_topology:
        chips = _chips(spec.tpu_topology)
    return chips, FAMILIES[spec.machine_type.partition("-")[0]] if chips else ""


def chips_of(shape: Slice) -> int:
    return _chips(shape.topology)


def _chips(topology: str) -> int:
    return prod(int(side) for side in topology.split("x"))


def preemptible(queued_resource: Any, model: str) -> bool:
    """Spot, the best-effort tier that it took the place of, and flex-start.

    Source: docs.cloud.google.com/tpu/docs/request-using-flex-start, which wants preemptible quota for it. assumed:
    scheduling_config, and the provisioning model SPOT, say the same as the tier.
    """
    scheduling = queued_resource.tpu.node_spec[0].node.scheduling_config
    by_tier = queued_resource.HasField("spot") or queued_resource.HasField("best_effort")
    return bool(by_tier or scheduling.spot or scheduling.preemptible or model in ("SPOT", FLEX_START))


def reserved(queued_resource: Any) -> bool:
    """Source: SchedulingConfig.reserved ("Whether the node is created under a reservation"), beside the request's own.

    assumed: a request whose nodes all say so is one on a reservation.
    """
    nodes = [spec.node.scheduling_config for spec in queued_resource.tpu.node_spec]
    own = queued_resource.reservation_name or queued_resource.guaranteed.reserved
    return bool(own or (nodes and all(each.reserved for each in nodes)))


def _place(quota: str, zone: str) -> str:
    return zone if QUOTAS[quota].dimension == "zone" else zone.rpartition("-")[0]
