"""What an endpoint serves: models deployed, changed in place, undeployed."""

from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import ApiError, Code, already_exists, invalid, not_found, precondition
from tpuserve.emulator.messages import DeployedModel, vertex
from tpuserve.emulator.names import Name
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.operations import refuse_running
from tpuserve.emulator.quota.capacity import ADDING_NODES, HOLDING_NODES, Capacity, needed, stockout
from tpuserve.emulator.quota.charges import of_replicas
from tpuserve.emulator.quota.quotas import Quotas
from tpuserve.emulator.vertex import rules
from tpuserve.emulator.vertex.deployed import deployed_in, position
from tpuserve.emulator.vertex.endpoints import Endpoints
from tpuserve.emulator.vertex.pools import Pools
from tpuserve.emulator.vertex.servers import Servers
from tpuserve.emulator.vertex.tables import DEPLOYED, DEPLOYED_MODEL_OUTPUT, FAILED, MUTABLE_FIELDS, STAGES
from tpuserve.emulator.vertex.versions import Versions, split_version


class Deployments:
    """DeployModel, MutateDeployedModel and UndeployModel."""

    def __init__(self, core: Core, endpoints: Endpoints, versions: Versions, servers: Servers, pools: Pools) -> None:
        self._core, self._endpoints, self._versions, self._servers = core, endpoints, versions, servers
        self._pools = pools
        self._quotas, self._capacity = Quotas(core), Capacity(core)
        core.operations.register("deploy_model", self._deploy)
        core.operations.register("mutate_deployed_model", self._mutate)
        core.operations.register("undeploy_model", self._undeploy)

    def deploy_model(self, request: Any) -> Any:
        name, endpoint = self._endpoints.found(request.endpoint, "endpoint")
        deployed = DeployedModel()
        deployed.CopyFrom(request.deployed_model)
        model, version = self._model(deployed.model)
        rules.deployed_model(deployed)
        if deployed.shared_resources:
            deployed.shared_resources = str(self._pools.found(deployed.shared_resources, "shared_resources")[0])
        self._check_alone(name, endpoint)
        rules.reachable(self._core.store.get("versions", f"{model}@{version}"), endpoint)
        self._identify(name, endpoint, deployed)
        self._check_first_split(request.traffic_split, endpoint)
        self._refuse_running(name, deployed.id)
        self._quotas.refuse(of_replicas(name, deployed.dedicated_resources))
        self._complete(deployed, model, version)
        data = {
            "request": MessageToDict(request),
            "deployed": MessageToDict(deployed),
            "id": deployed.id,
            "model": str(model),
            "version": version,
            "split": dict(request.traffic_split),
        }
        operation = self._core.operations.start("deploy_model", name, data, stage=STAGES[0])
        if self._core.settings.deployed_model_appears_at_once:
            endpoint.deployed_models.append(deployed)
            self._endpoints.touched(endpoint)
        self._core.store.save()
        return wire(operation)

    def mutate_deployed_model(self, request: Any) -> Any:
        name, endpoint = self._endpoints.found(request.endpoint, "endpoint")
        current = _deployed(endpoint, request.deployed_model.id)
        paths = rules.masked(request.update_mask.paths, MUTABLE_FIELDS)
        if not current.HasField("dedicated_resources") and any("." in path for path in paths):
            raise invalid("update_mask", ", ".join(paths), "disable_container_logging, for it has shared_resources")
        changed = _mutated(current, request.deployed_model, paths)
        _check_replicas(changed)
        self._refuse_running(name, current.id)
        before, after = (of_replicas(name, model.dedicated_resources) for model in (current, changed))
        self._quotas.refuse(after, instead_of=before)
        data = {"request": MessageToDict(request), "id": current.id, "paths": paths}
        operation = self._core.operations.start("mutate_deployed_model", name, data)
        self._core.store.save()
        return wire(operation)

    def undeploy_model(self, request: Any) -> Any:
        """Source: UndeployModelRequest.traffic_split. assumed: the split moves at once, the model goes with the end."""
        name, endpoint = self._endpoints.found(request.endpoint, "endpoint")
        gone = _deployed(endpoint, request.deployed_model_id)
        others = [model.id for model in endpoint.deployed_models if model.id != gone.id]
        rules.traffic(request.traffic_split, [*others, gone.id])
        split = dict(request.traffic_split) or dict(endpoint.traffic_split)
        if others and split.get(gone.id, 0):
            raise precondition(
                f"Deployed model {gone.id} has {split[gone.id]} percent of the traffic. "
                "Give it to others first, or in traffic_split."
            )
        self._refuse_running(name, gone.id)
        endpoint.traffic_split.clear()
        endpoint.traffic_split.update({key: share for key, share in split.items() if key in others})
        self._endpoints.touched(endpoint)
        data = {"request": MessageToDict(request), "id": gone.id}
        operation = self._core.operations.start("undeploy_model", name, data)
        self._core.store.save()
        return wire(operation)

    def _model(self, text: str) -> tuple[Name, str]:
        """The model and the number of the version that a name means now. Source: DeployedModel.model."""
        name, wanted = split_version(self._core.name(text, "models", field="deployed_model.model"))
        return name, self._versions.resolve(name, wanted)

    def _identify(self, name: Name, endpoint: Any, deployed: Any) -> None:
        taken = {model.id for model in endpoint.deployed_models}
        taken |= {operation.data["id"] for operation in self._running(name) if operation.kind == "deploy_model"}
        # assumed: a generated id has as many digits as Google's own, more than a given one may have
        deployed.id = deployed.id or self._core.new_id("deployed_models")
        if deployed.id in taken:
            raise already_exists(f"{name}/deployedModels/{deployed.id}")

    def _check_alone(self, name: Name, endpoint: Any) -> None:
        """google.cloud.aiplatform models.py, PrivateEndpoint: one model at most; assumed: the code."""
        coming = [operation for operation in self._running(name) if operation.kind == "deploy_model"]
        if endpoint.network and (endpoint.deployed_models or coming):
            raise precondition(f"{name} has a network, and a model is deployed to it. Undeploy it first.")

    def _check_first_split(self, split: Any, endpoint: Any) -> None:
        """Source: DeployModelRequest.traffic_split; `0` is the model being deployed, and no split changes nothing."""
        if split and endpoint.network:  # google.cloud.aiplatform models.py: not supported on such endpoints
            raise invalid("traffic_split", dict(split), "left out where the endpoint has a network")
        rules.traffic(split, ["0", *(model.id for model in endpoint.deployed_models)])

    def _complete(self, deployed: Any, model: Name, version: str) -> None:
        for field in DEPLOYED_MODEL_OUTPUT:
            deployed.ClearField(field)
        # assumed: without the version, which is model_version_id's
        deployed.model, deployed.model_version_id = str(model), version
        shown = self._versions.shown(model, version)
        deployed.display_name = deployed.display_name or shown.display_name  # DeployedModel.display_name
        deployed.create_time.CopyFrom(self._core.now())

    def _running(self, name: Name) -> list[Operation]:
        return self._core.operations.running(str(name))

    def _refuse_running(self, name: Name, deployed_id: str) -> None:
        """The switch says whether an endpoint takes several operations at a time; assumed: a deployed model never."""
        running = self._running(name)
        if self._core.settings.concurrent_deploys:
            running = [operation for operation in running if operation.data.get("id") in {deployed_id, None}]
        refuse_running(running)

    async def _deploy(self, operation: Operation) -> Any:
        endpoint = self._core.any_name(operation.target)
        deployed = ParseDict(operation.data["deployed"], DeployedModel())
        try:
            await self._stages(operation, endpoint, deployed)
            self._appear(endpoint, deployed, operation.data["split"])
        except ApiError as error:
            operation.stage = FAILED
            await self._give_up(endpoint, deployed, error)
            raise
        operation.stage = DEPLOYED
        return vertex("DeployModelResponse")(deployed_model=deployed)

    async def _stages(self, operation: Operation, endpoint: Name, deployed: Any) -> None:
        durations = self._core.settings.durations
        for stage in STAGES:
            if stage == ADDING_NODES and operation.stage not in HOLDING_NODES:
                self._fit(endpoint, deployed)
            if stage == "STARTING_MODEL_SERVER":
                operation.stage = stage
                server = self._servers.start(endpoint, deployed, deployed.dedicated_resources.min_replica_count or 1)
                await self._core.operations.step(operation, stage, durations.deploy_stage)
                await self._servers.ready(server, deployed)
            else:
                last = stage == STAGES[-1]
                await self._core.operations.step(operation, stage, durations.deploy_stage, last=last)

    def _appear(self, name: Name, deployed: Any, split: dict[str, int]) -> None:
        """The deployed model is in its endpoint, and the split moves in the same commit."""
        endpoint = self._core.found("endpoints", name)
        if self._core.store.get("versions", f"{deployed.model}@{deployed.model_version_id}") is None:
            raise not_found(f"{deployed.model}@{deployed.model_version_id}")
        self._come_up(name, deployed, needed(deployed.dedicated_resources))
        split = {deployed.id if key == "0" else key: share for key, share in split.items()}
        rules.traffic(split, [deployed.id, *(model.id for model in endpoint.deployed_models)])
        _replace(endpoint, deployed)
        self._servers.settled(name, deployed)
        if split:
            endpoint.traffic_split.clear()
            endpoint.traffic_split.update(split)
        self._endpoints.touched(endpoint)

    def _fit(self, endpoint: Name, deployed: Any) -> None:
        """assumed: a deployment for which there are no machines ends in an error, when its nodes are to be added."""
        wanted = needed(deployed.dedicated_resources)
        if self._capacity.replicas(endpoint, deployed.dedicated_resources, wanted) < wanted:
            raise stockout(endpoint)

    def _come_up(self, endpoint: Name, deployed: Any, running: int) -> None:
        """Source: DedicatedResources.required_replica_count: the operation ends when that many are available, and the
        rest is tried again; the switch says whether the rest is late. assumed: of a shared pool one replica is told.

        `running`: replicas for which there are machines already.
        """
        resources, available = deployed.dedicated_resources, 1
        if deployed.HasField("dedicated_resources"):
            least = needed(resources)
            late = self._core.settings.required_replicas_are_enough
            wanted = least if late else max(least, resources.min_replica_count)
            available = min(wanted, running)
            available += self._capacity.replicas(endpoint, resources, wanted - available)
            if available < least:
                raise stockout(endpoint)
        deployed.status.available_replica_count = available
        deployed.status.last_update_time.CopyFrom(self._core.now())

    async def _give_up(self, name: Name, deployed: Any, error: ApiError) -> None:
        """A deployment has failed: its process ends; the model stays away, unless the fault says it appears."""
        endpoint = self._core.store.get("endpoints", str(name))
        if error.appears and endpoint is not None:
            deployed.status.message = error.message
            _replace(endpoint, deployed)
            self._endpoints.touched(endpoint)
            return
        await self._servers.stop(name, deployed.id)
        if endpoint is not None and position(endpoint, deployed.id) is not None:
            _remove(endpoint, deployed.id)
            self._endpoints.touched(endpoint)

    async def _mutate(self, operation: Operation) -> Any:
        seconds = self._core.settings.durations.mutate_deployed_model
        await self._core.operations.step(operation, "mutate", seconds, last=True)
        request = ParseDict(operation.data["request"], vertex("MutateDeployedModelRequest")())
        name = self._core.any_name(operation.target)
        endpoint = self._core.found("endpoints", name)
        current = _deployed(endpoint, operation.data["id"])
        changed = _mutated(current, request.deployed_model, operation.data["paths"])
        _check_replicas(changed)
        self._come_up(name, changed, current.status.available_replica_count)
        _replace(endpoint, changed)
        self._servers.settled(self._core.any_name(operation.target), changed)
        self._endpoints.touched(endpoint)
        return vertex("MutateDeployedModelResponse")(deployed_model=changed)

    async def _undeploy(self, operation: Operation) -> Any:
        await self._core.operations.step(operation, "undeploy", self._core.settings.durations.undeploy_model, last=True)
        name, gone = self._core.any_name(operation.target), operation.data["id"]
        endpoint = self._core.found("endpoints", name)
        if endpoint.traffic_split.get(gone, 0):  # given to it again while the operation ran
            raise precondition(f"Deployed model {gone} has traffic again.")
        await self._servers.stop(name, gone)
        endpoint = self._core.found("endpoints", name)
        _remove(endpoint, gone)
        if not endpoint.deployed_models:
            endpoint.traffic_split.clear()
        self._endpoints.touched(endpoint)
        return vertex("UndeployModelResponse")()


def _check_replicas(deployed: Any) -> None:
    """assumed: of a deployed model in a shared pool only what is not about replicas changes."""
    if deployed.HasField("dedicated_resources"):
        rules.replicas(deployed.dedicated_resources)


def _deployed(endpoint: Any, identifier: str) -> Any:
    found = deployed_in(endpoint, identifier)
    if found is None:
        raise ApiError(Code.NOT_FOUND, f"Endpoint {endpoint.name} has no deployed model {identifier!r}.")
    return found


def _replace(endpoint: Any, changed: Any) -> None:
    index = position(endpoint, changed.id)
    if index is None:
        endpoint.deployed_models.append(changed)
    else:
        endpoint.deployed_models[index].CopyFrom(changed)


def _remove(endpoint: Any, identifier: str) -> None:
    index = position(endpoint, identifier)
    if index is not None:
        del endpoint.deployed_models[index]
    endpoint.traffic_split.pop(identifier, None)


def _mutated(current: Any, given: Any, paths: list[str]) -> Any:
    """The deployed model as it will be. Source: MutateDeployedModelRequest.deployed_model."""
    changed = DeployedModel()
    changed.CopyFrom(current)
    for path in paths:
        owner, _, field = path.rpartition(".")
        source, target = (getattr(given, owner), getattr(changed, owner)) if owner else (given, changed)
        target.ClearField(field)
        if field == "autoscaling_metric_specs":
            target.autoscaling_metric_specs.extend(source.autoscaling_metric_specs)
        else:
            setattr(target, field, getattr(source, field))
    return changed
