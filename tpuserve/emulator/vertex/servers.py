"""Model servers: what runs for each deployed model, under the contract that Vertex AI has with its containers."""

import asyncio
from collections.abc import Awaitable
from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import precondition
from tpuserve.emulator.names import Name
from tpuserve.emulator.quota.capacity import Capacity, needed
from tpuserve.emulator.serving import autoscaling
from tpuserve.emulator.serving.model_servers import ModelServer
from tpuserve.emulator.serving.probe import Probe, Probes, probe_of
from tpuserve.emulator.serving.process import Routes
from tpuserve.emulator.serving.replica import TICK, Container
from tpuserve.emulator.vertex.deployed import deployed_in


class Servers:
    """A model server a deployed model, with replicas that answer alike."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._capacity = Capacity(core)
        core.servers.on_change = self._changed

    def start(self, endpoint: Name, deployed: Any, count: int) -> ModelServer:
        """Starts so many replicas of what the image of the deployed version stands for, unless they run already."""
        name = process_name(str(endpoint), deployed.id)
        running = self._core.servers.get(name)
        if running is not None:
            return running
        version = self._core.store.get("versions", f"{deployed.model}@{deployed.model_version_id}")
        if version is None:
            raise precondition(f"{deployed.model}@{deployed.model_version_id} was deleted.")
        server = self._core.servers.start(name, self._container(endpoint, deployed, version))
        self._core.servers.scale(server, count)
        return server

    def _container(self, endpoint: Name, deployed: Any, version: Any) -> Container:
        spec, settings = version.container_spec, self._core.settings
        routes = _routes(endpoint, deployed, spec)
        return Container(
            settings.images.get(spec.image_uri, settings.default_image),
            routes,
            _probes(spec, routes),
            _contract(endpoint, deployed, version, routes) | {own.name: own.value for own in spec.env},
            tuple(spec.args),
        )

    async def ready(self, server: ModelServer, deployed: Any) -> None:
        """Waits for replicas. The words are Google's own (python-aiplatform#4559, vertex-ai-samples#3485)."""
        bad = await server.ready(needed(deployed.dedicated_resources) or 1, self._patience(deployed))
        if bad is None:
            return
        what = "Model server exited unexpectedly" if bad.ended_before else "Model server never became ready"
        raise precondition(
            f"{what}{f' ({bad.reason})' if bad.ended_before else ''}. "
            f"Its health route is GET {server.container.routes.health}. "
            f"Last lines of its log:\n{bad.served.last_lines()}"
        )

    def _patience(self, deployed: Any) -> float:
        """ModelContainerSpec.deployment_timeout, and no longer than `health_timeout`."""
        version = self._core.store.get("versions", f"{deployed.model}@{deployed.model_version_id}")
        given = version.container_spec.deployment_timeout.seconds if version is not None else 0
        return min(self._core.settings.health_timeout, given or self._core.settings.health_timeout)

    async def stop(self, endpoint: Name, identifier: str) -> None:
        await self._core.servers.stop(process_name(str(endpoint), identifier))

    def settled(self, endpoint: Name, deployed: Any) -> None:
        """As many replicas as the deployed model is said to have; autoscaled from now on where it asks for that."""
        server = self._core.servers.get(process_name(str(endpoint), deployed.id))
        if server is None:
            return
        self._core.servers.scale(server, deployed.status.available_replica_count)
        if server.scaler is None and _target(deployed):
            server.scaler = self._core.servers.spawn(self._autoscale(server))

    def resume(self) -> list[Awaitable[object]]:
        """Starts again what the endpoints of a restarted emulator serve; what is returned waits until it answers."""
        waited: list[Awaitable[object]] = []
        for name, endpoint in self._core.store.items("endpoints"):
            for deployed in endpoint.deployed_models:
                server = self.start(self._core.any_name(name), deployed, deployed.status.available_replica_count or 1)
                self.settled(self._core.any_name(name), deployed)
                waited.append(server.ready(1, self._core.settings.health_timeout))
        return waited

    async def _autoscale(self, server: ModelServer) -> None:
        """Looks every 15 seconds at the requests of a deployed model. The rule is the emulator's own."""
        due = self._core.clock.now() + autoscaling.PERIOD
        while True:
            # not by the clock: an instant one would run after the next look for ever
            await asyncio.sleep(TICK)
            if self._core.clock.now() < due:
                continue
            due = self._core.clock.now() + autoscaling.PERIOD
            _, deployed = self._deployed(server)
            target = _target(deployed) if deployed is not None else 0
            if deployed is not None and target:
                self._core.servers.scale(server, self._wanted(server, deployed, target))
                self._changed(server)

    def _wanted(self, server: ModelServer, deployed: Any, target: int) -> int:
        """What the rate of requests asks for, as far as there is capacity."""
        resources, now = deployed.dedicated_resources, self._core.clock.now()
        wanted = server.rate.wanted(now, target, resources.min_replica_count, resources.max_replica_count)
        more = max(wanted - server.told, 0)
        endpoint = self._core.any_name(server.name.rpartition("/deployedModels/")[0])
        return wanted - more + self._capacity.replicas(endpoint, resources, more)

    def _changed(self, server: ModelServer) -> None:
        """Source: DeployedModel.Status.available_replica_count. assumed: no other etag, for nobody has changed it."""
        endpoint, deployed = self._deployed(server)
        if deployed is None or deployed.status.available_replica_count == server.available:
            return
        deployed.status.available_replica_count = server.available
        deployed.status.last_update_time.CopyFrom(self._core.now())
        self._core.store.put("endpoints", endpoint.name, endpoint)
        self._core.store.save()

    def _deployed(self, server: ModelServer) -> tuple[Any, Any]:
        endpoint_name, _, identifier = server.name.rpartition("/deployedModels/")
        endpoint = self._core.store.get("endpoints", endpoint_name)
        return endpoint, deployed_in(endpoint, identifier)


def process_name(endpoint: str, identifier: str) -> str:
    return f"{endpoint}/deployedModels/{identifier}"


def _target(deployed: Any) -> int:
    """The requests a minute and replica that a deployed model is scaled by; 0 where it is not."""
    found = deployed.dedicated_resources
    if found.max_replica_count <= found.min_replica_count:
        return 0
    return next((spec.target for spec in found.autoscaling_metric_specs if spec.metric_name == autoscaling.METRIC), 0)


def _routes(endpoint: Name, deployed: Any, spec: Any) -> Routes:
    # defaults: cloud.google.com/vertex-ai/docs/predictions/custom-container-requirements, "AIP variables"
    default = f"/v1/endpoints/{endpoint.id}/deployedModels/{deployed.id}"
    return Routes(spec.health_route or default, spec.predict_route or f"{default}:predict")


def _probes(spec: Any, routes: Routes) -> Probes:
    """assumed: without a probe of its own a container is asked on its health route, and is alive as long as its port is
    open, four times in a row every 10 seconds (page custom-container-requirements, "Liveness checks", "Health checks").
    """
    health = Probe("http_get", path=routes.health, timeout=10, failures=4)
    startup = probe_of(spec.startup_probe, health) if spec.HasField("startup_probe") else None
    liveness = Probe("tcp_socket", timeout=10, failures=4)
    return Probes(startup, probe_of(spec.health_probe, health), probe_of(spec.liveness_probe, liveness))


def _contract(endpoint: Name, deployed: Any, version: Any, routes: Routes) -> dict[str, str]:
    """The AIP variables of custom-container-requirements. The port is free here, whatever the specification's ports."""
    return {
        "AIP_HTTP_PORT": "$(PORT)",
        "AIP_HEALTH_ROUTE": routes.health,
        "AIP_PREDICT_ROUTE": routes.predict,
        "AIP_STORAGE_URI": version.artifact_uri,
        "AIP_MODE": "PREDICTION",
        "AIP_MODE_VERSION": "1.0.0",
        "AIP_PROJECT_NUMBER": endpoint.project,
        "AIP_ENDPOINT_ID": endpoint.id,
        "AIP_DEPLOYED_MODEL_ID": deployed.id,
        "AIP_MODEL_NAME": deployed.model.rpartition("/")[2],
        "AIP_VERSION_NAME": deployed.model_version_id,
        "AIP_MACHINE_TYPE": deployed.dedicated_resources.machine_spec.machine_type,
    }
