"""What the programs of these tests declare: one value object each, and itself the program that declares it."""

from __future__ import annotations

from dataclasses import dataclass

from tpuserve import resources
from tpuserve.resources.queued_resource import MultiNodeParamsArgs, NodeArgs


@dataclass(frozen=True, slots=True)
class Program:
    """A collection of `slices`, a model of `image`, and `endpoint`, which serves it; `empty`: nothing at all.

    With a node prefix a replacement of the collection deletes first, since slices of both would have the same names.
    """

    slices: int = 2
    image: str = "server:1"
    endpoint: str = "first"
    prefix: str = ""
    empty: bool = False

    def __call__(self) -> None:
        """Declare it; the engine calls this."""
        if self.empty:
            return
        self._collection()
        model = self._model()
        endpoint = resources.Endpoint(f"endpoint-{self.endpoint}", {"display_name": self.endpoint})
        resources.Deployment(
            "deployment",
            {
                "endpoint": endpoint.name,
                "deployed_models": {
                    "stable": {
                        "model": model.version_name,
                        "dedicated_resources": {
                            "machine_spec": {"machine_type": "ct6e-standard-1t"},
                            "min_replica_count": 1,
                        },
                    }
                },
            },
        )

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

    def _model(self) -> resources.Model:
        return resources.Model(
            "model",
            {
                "display_name": "model",
                "container_spec": {
                    "image_uri": self.image,
                    "predict_route": "/predict",
                    "health_route": "/health",
                    "ports": [{"container_port": 8080}],
                },
            },
        )


NOTHING = Program(empty=True)
