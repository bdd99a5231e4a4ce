"""What the programs of these tests declare: one value object each, and itself the program that declares it."""

from __future__ import annotations

from dataclasses import dataclass

from tpuserve import resources
from tpuserve.resources.deployed_model import DeployedModelArgs
from tpuserve.resources.node import NodeArgs
from tpuserve.resources.queued_resource import MultiNodeParamsArgs


@dataclass(frozen=True, slots=True)
class Program:
    """A collection of `slices`, a model of `image`, and `endpoint`, which serves it; `empty`: nothing at all.

    With a node prefix a replacement of the collection deletes first, since slices of both would have the same names.
    `canary` is the image of a second model, which gets `share` percent of the requests. `paused`: nothing is deployed.
    `in_turn`: what runs is undeployed before anything is deployed. `retain`: versions of the model that are kept.
    `aliases`: further aliases of the version of `image`.
    """

    slices: int = 2
    image: str = "server:1"
    endpoint: str = "first"
    prefix: str = ""
    canary: str = ""
    share: int = 0
    paused: bool = False
    in_turn: bool = False
    retain: int = 0
    aliases: tuple[str, ...] = ()
    empty: bool = False

    @property
    def served(self) -> dict[str, int]:
        """Image -> percent of the requests."""
        if self.empty or self.paused:
            return {}
        return {self.image: 100 - self.share} | ({self.canary: self.share} if self.canary else {})

    @property
    def images(self) -> list[str]:
        """Of each model the image that it is declared with."""
        return [] if self.empty else [self.image, *([self.canary] if self.canary else [])]

    def __call__(self) -> None:
        """Declare it; the engine calls this."""
        if self.empty:
            return
        self._collection()
        models = {"stable": self._model("model", self.image)}
        if self.canary:
            models["canary"] = self._model("canary", self.canary)
        endpoint = resources.Endpoint(f"endpoint-{self.endpoint}", {"display_name": self.endpoint})
        args: resources.DeploymentArgs = {
            "endpoint": endpoint.name,
            "deployed_models": {name: self._variant(model) for name, model in models.items()},
            "allow_outage": self.in_turn,
            "paused": self.paused,
        }
        if self.canary:
            args["traffic_split"] = {"stable": 100 - self.share, "canary": self.share}
        resources.Deployment("deployment", args)

    def _variant(self, model: resources.Model) -> DeployedModelArgs:
        return {
            "model": model.version_name,
            "strategy": "UNDEPLOY_FIRST" if self.in_turn else "BESIDE",
            "dedicated_resources": {
                "machine_spec": {"machine_type": "ct6e-standard-1t"},
                "min_replica_count": 1,
            },
        }

    def _collection(self) -> None:
        several: MultiNodeParamsArgs = {
            "node_count": self.slices,
            "workload_type": "AVAILABILITY_OPTIMIZED",
        }
        if self.prefix:
            several["node_id_prefix"] = self.prefix
        node: NodeArgs = {
            "accelerator_type": "v6e-8",
            "runtime_version": "v2-alpha-tpuv6e",
        }
        resources.QueuedResource("collection", {"tpu": {"node_spec": [{"multi_node_params": several, "node": node}]}})

    def _model(self, name: str, image: str) -> resources.Model:
        args: resources.ModelArgs = {
            "display_name": name,
            "container_spec": {
                "image_uri": image,
                "predict_route": "/predict",
                "health_route": "/health",
                "ports": [{"container_port": 8080}],
            },
        }
        if self.retain:
            args["retain_versions"] = self.retain
        if self.aliases:
            args["version_aliases"] = list(self.aliases)
        return resources.Model(name, args)


NOTHING = Program(empty=True)
