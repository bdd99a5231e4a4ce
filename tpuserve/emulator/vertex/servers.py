"""Model servers: what runs for each deployed model, under the contract that Vertex AI has with its containers."""

from collections.abc import Awaitable
from typing import Any

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import precondition
from tpuserve.emulator.names import Name
from tpuserve.emulator.processes import Routes, Served


class Servers:
    """One process a deployed model, whatever its number of replicas: replicas answer alike."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def start(self, endpoint: Name, deployed: Any) -> Served:
        """Starts what the image of the deployed version stands for, unless it runs already."""
        name = process_name(str(endpoint), deployed.id)
        running = self._core.processes.get(name)
        if running is not None:
            return running
        version = self._core.store.get("versions", f"{deployed.model}@{deployed.model_version_id}")
        if version is None:
            raise precondition(f"{deployed.model}@{deployed.model_version_id} was deleted.")
        spec, settings = version.container_spec, self._core.settings
        routes = _routes(endpoint, deployed, spec)
        variables = _contract(endpoint, deployed, version, routes) | {own.name: own.value for own in spec.env}
        return self._core.processes.start(
            name,
            settings.images.get(spec.image_uri, settings.default_image),
            variables,
            arguments=tuple(spec.args),
            routes=routes,
        )

    async def ready(self, served: Served) -> None:
        """Waits for the health route. The words are Google's own (python-aiplatform#4559, vertex-ai-samples#3485)."""
        if await self._core.processes.healthy(served, self._core.settings.health_timeout):
            return
        what = "Model server never became ready" if served.alive else "Model server exited unexpectedly"
        raise precondition(
            f"{what}. Its health route is GET {served.routes.health}. Last lines of its log:\n{served.last_lines()}"
        )

    async def stop(self, endpoint: Name, identifier: str) -> None:
        await self._core.processes.stop(process_name(str(endpoint), identifier))

    def resume(self) -> list[Awaitable[object]]:
        """Starts again what the endpoints of a restarted emulator serve; what is returned waits until it answers."""
        started = [
            self.start(self._core.any_name(name), deployed)
            for name, endpoint in self._core.store.items("endpoints")
            for deployed in endpoint.deployed_models
        ]
        return [self._core.processes.healthy(served, self._core.settings.health_timeout) for served in started]


def process_name(endpoint: str, identifier: str) -> str:
    return f"{endpoint}/deployedModels/{identifier}"


def _routes(endpoint: Name, deployed: Any, spec: Any) -> Routes:
    # defaults: cloud.google.com/vertex-ai/docs/predictions/custom-container-requirements, "AIP variables"
    default = f"/v1/endpoints/{endpoint.id}/deployedModels/{deployed.id}"
    return Routes(spec.health_route or default, spec.predict_route or f"{default}:predict")


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
