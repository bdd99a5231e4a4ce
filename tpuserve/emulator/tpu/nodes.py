"""Nodes: made at PROVISIONING, READY at ACTIVE, gone with their queued resource or its suspension."""

import hashlib
from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import already_exists
from tpuserve.emulator.messages import Node, tpu
from tpuserve.emulator.names import Name, zone
from tpuserve.emulator.paging import page
from tpuserve.emulator.settings import Launch
from tpuserve.emulator.tpu.rules import Plan, planned
from tpuserve.emulator.tpu.tables import ACCELERATOR_TYPES

_PORT = 8470  # assumed: the port the TPU runtime has long listened on; a mapped script's own port takes its place
_HEALTHY = Node.Health.Value("HEALTHY")
_UNDER_MAINTENANCE = Node.Health.Value("UNHEALTHY_MAINTENANCE")


class Nodes:
    """GetNode, ListNodes, and what a queued resource does with its nodes."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get_node(self, request: Any) -> Any:
        return self._core.found("nodes", zone(self._core.name(request.name, "nodes")))

    def list_nodes(self, request: Any) -> Any:
        parent = zone(self._core.name(request.parent, field="parent"), "parent")
        nodes = [node for _, node in self._core.store.items("nodes", f"{parent}/nodes/")]
        chosen, token = page(nodes, request.page_size, request.page_token)
        return tpu("ListNodesResponse")(nodes=chosen, next_page_token=token)

    def refuse_taken(self, parent: Name, plan: Plan) -> None:
        """ALREADY_EXISTS for a node id that is in use, or that another request will use."""
        wanted = {str(parent.child("nodes", node_id)) for node_id in plan.node_ids}
        for name in sorted(wanted & self._claimed(parent)):
            raise already_exists(name)

    def _claimed(self, parent: Name) -> set[str]:
        claimed = {name for name, _ in self._core.store.items("nodes", f"{parent}/nodes/")}
        for name, queued_resource in self._core.store.items("queued_resources", f"{parent}/"):
            # assumed: ids are taken by a request that still waits; those of one that has lost its nodes are free
            if queued_resource.state.state not in _WITHOUT_NODES:
                plan = planned(queued_resource, name.rpartition("/")[2])
                claimed |= {str(parent.child("nodes", node_id)) for node_id in plan.node_ids}
        return claimed

    def of(self, queued_resource: str) -> list[Any]:
        """The nodes that exist for a queued resource, in the order of their ids."""
        return [node for _, node in self._core.store.items("nodes") if node.queued_resource == queued_resource]

    def create(self, queued_resource: Any) -> None:
        """Puts all nodes of a request as CREATING."""
        name = self._core.any_name(queued_resource.name)
        plan = planned(queued_resource, name.id)
        for node_id in plan.node_ids:
            node = Node()
            node.CopyFrom(queued_resource.tpu.node_spec[0].node)
            node.name = str(name.parent.child("nodes", node_id))
            node.id = int(self._core.new_id("nodes", 18))
            node.state = Node.State.Value("CREATING")
            node.accelerator_type = plan.accelerator_type
            node.accelerator_config.type_ = node.accelerator_config.Type.Value(plan.slice.generation)
            node.accelerator_config.topology = plan.slice.topology
            node.queued_resource = queued_resource.name
            node.api_version = Node.ApiVersion.Value("V2_ALPHA1")
            node.create_time.CopyFrom(self._core.now())
            self._core.store.put("nodes", node.name, node)

    async def boot(self, node: Any) -> None:
        """Starts what a node's startup script stands for. assumed: a script that fails leaves the node READY."""
        launch = self._script(node)
        if launch is not None and launch.command:
            served = self._core.processes.start(node.name, launch, _variables(node))
            if launch.health_route:
                await self._core.processes.healthy(served, self._core.settings.health_timeout)

    def ready(self, node: Any) -> None:
        """Puts a node as READY with addresses its slices can be reached at."""
        node.state, node.health = Node.State.Value("READY"), _HEALTHY
        self._address(node)
        node.ClearField("upcoming_maintenance")
        self._core.store.put("nodes", node.name, node)

    def _address(self, node: Any) -> None:
        hosts = ACCELERATOR_TYPES[node.accelerator_type].hosts
        del node.network_endpoints[:]
        for host in range(hosts):
            endpoint = node.network_endpoints.add(ip_address=_internal_address(node.name, host), port=_PORT)
            if node.network_config.enable_external_ips:
                endpoint.access_config.external_ip = _external_address(node.name, host)
        served = self._core.processes.get(node.name)
        if served is not None:
            # one process a node: workers beyond the first have an address and nothing behind it
            node.network_endpoints[0].ip_address, node.network_endpoints[0].port = "127.0.0.1", served.port

    async def remove(self, name: str) -> None:
        await self._core.processes.stop(name)
        self._core.store.drop("nodes", name)
        self._core.changes.tell("capacity")

    async def take_down(self, node: Any) -> None:
        """A maintenance event begins on a node."""
        node.health = _UNDER_MAINTENANCE
        node.health_description = "The node is under maintenance."
        start = self._core.now().ToJsonString()
        node.upcoming_maintenance.type_ = node.upcoming_maintenance.MaintenanceType.Value("SCHEDULED")
        node.upcoming_maintenance.maintenance_status = node.upcoming_maintenance.MaintenanceStatus.Value("ONGOING")
        node.upcoming_maintenance.window_start_time = start
        self._core.store.put("nodes", node.name, node)
        self._core.store.save()
        await self._core.processes.stop(node.name)

    async def restart(self, node: Any) -> None:
        """A reset begins on a node."""
        node.state = Node.State.Value("RESTARTING")
        self._core.store.put("nodes", node.name, node)
        self._core.store.save()
        await self._core.processes.stop(node.name)

    async def bring_back(self, node: Any) -> None:
        """After a maintenance event, or a restart of the emulator: what the script stands for runs again."""
        await self.boot(node)
        if self._core.store.get("nodes", node.name) is None:  # deleted in the meantime
            await self._core.processes.stop(node.name)
            return
        node.health_description = ""
        self.ready(node)
        self._core.store.save()

    def _script(self, node: Any) -> Launch | None:
        script = dict(node.metadata).get("startup-script", "")
        return self._core.settings.scripts.get(hashlib.sha256(script.encode()).hexdigest()) if script else None


def _variables(node: Any) -> dict[str, str]:
    """What a mapped script finds in its environment; PORT is added to it."""
    return {
        "AIP_HTTP_PORT": "$(PORT)",
        "TPU_NAME": node.name.rpartition("/")[2],
        "TPU_WORKER_ID": "0",
        "TPU_ACCELERATOR_TYPE": node.accelerator_type,
    }


def _external_address(name: str, host: int) -> str:
    """assumed: some address; of 203.0.113.0/24, which RFC 5737 keeps for documentation."""
    return f"203.0.113.{1 + hashlib.sha256(f'{name}/{host}'.encode()).digest()[3] % 254}"


def _internal_address(name: str, host: int) -> str:
    """assumed: some address of the default network; always the same for a node, so that a refresh shows no diff."""
    digest = hashlib.sha256(f"{name}/{host}".encode()).digest()
    return f"10.{128 + digest[0] % 64}.{digest[1]}.{2 + digest[2] % 250}"


def _states(*names: str) -> frozenset[int]:
    state = tpu("QueuedResourceState").State
    return frozenset(state.Value(name) for name in names)


_WITHOUT_NODES = _states("SUSPENDED", "FAILED")
