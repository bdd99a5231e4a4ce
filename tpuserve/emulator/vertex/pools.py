"""Deployment resource pools: machines that several deployed models share."""

from typing import Any

from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict, ParseDict

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import already_exists, precondition
from tpuserve.emulator.messages import DeploymentResourcePool, vertex
from tpuserve.emulator.names import Name, region
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.operations import refuse_running
from tpuserve.emulator.paging import page
from tpuserve.emulator.quota.charges import of_replicas
from tpuserve.emulator.quota.quotas import Quotas
from tpuserve.emulator.vertex import rules

COLLECTION = "deploymentResourcePools"


class Pools:
    """The methods of DeploymentResourcePoolService but UpdateDeploymentResourcePool and QueryDeployedModels."""

    def __init__(self, core: Core) -> None:
        self._core, self._quotas = core, Quotas(core)
        core.operations.register("create_deployment_resource_pool", self._create)
        core.operations.register("delete_deployment_resource_pool", self._delete)

    def create_deployment_resource_pool(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        rules.matching("deployment_resource_pool_id", request.deployment_resource_pool_id, rules.POOL_ID)
        rules.dedicated(request.deployment_resource_pool.dedicated_resources, "deployment_resource_pool")
        name = parent.child(COLLECTION, request.deployment_resource_pool_id)
        if self._core.store.get("pools", str(name)) is not None or self._core.operations.running(str(name)):
            raise already_exists(str(name))
        self._quotas.refuse(of_replicas(name, request.deployment_resource_pool.dedicated_resources))
        data = {"request": MessageToDict(request)}
        operation = self._core.operations.start("create_deployment_resource_pool", name, data)
        self._core.store.save()
        return wire(operation)

    def get_deployment_resource_pool(self, request: Any) -> Any:
        return self.found(request.name, "name")[1]

    def list_deployment_resource_pools(self, request: Any) -> Any:
        parent = region(self._core.name(request.parent, field="parent"), "parent")
        values = [value for _, value in self._core.store.items("pools", f"{parent}/{COLLECTION}/")]
        found, token = page(values, request.page_size, request.page_token)
        answer = vertex("ListDeploymentResourcePoolsResponse")
        return answer(deployment_resource_pools=found, next_page_token=token)

    def delete_deployment_resource_pool(self, request: Any) -> Any:
        """assumed: refused while a model is deployed on it; the service's description does not say."""
        name, _ = self.found(request.name, "name")
        if used := self._deployed_on(str(name)):
            raise precondition(f"{name} has deployed models ({', '.join(used)}). Undeploy them first.")
        refuse_running(self._core.operations.running(str(name)))
        data = {"request": MessageToDict(request)}
        operation = self._core.operations.start("delete_deployment_resource_pool", name, data)
        self._core.store.save()
        return wire(operation)

    def found(self, text: str, field: str) -> tuple[Name, Any]:
        name = region(self._core.name(text, COLLECTION, field=field), field)
        return name, self._core.found("pools", name)

    def _deployed_on(self, pool: str) -> list[str]:
        endpoints = [endpoint for _, endpoint in self._core.store.items("endpoints")]
        return [model.id for each in endpoints for model in each.deployed_models if model.shared_resources == pool]

    async def _create(self, operation: Operation) -> Any:
        """assumed: the pool is found when the operation has ended, as a model is."""
        await self._core.operations.step(operation, "create", 0, last=True)
        request = ParseDict(operation.data["request"], vertex("CreateDeploymentResourcePoolRequest")())
        stored = DeploymentResourcePool()
        stored.CopyFrom(request.deployment_resource_pool)
        rules.dedicated(stored.dedicated_resources, "deployment_resource_pool")
        stored.name = operation.target
        stored.create_time.CopyFrom(self._core.now())
        self._core.store.put("pools", operation.target, stored)
        return stored

    async def _delete(self, operation: Operation) -> Any:
        await self._core.operations.step(operation, "delete", 0, last=True)
        self._core.store.drop("pools", operation.target)
        return Empty()
