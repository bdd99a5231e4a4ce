"""The program of the recorded states: all four resources, by themselves and inside components.

It may use more as the project grows, but only in a recording of its own: a recorded state is previewed with the
program that made it, so what is here has to go on meaning what it meant.
"""

from typing import Any

import pulumi
from tpuserve.components import (  # pyright: ignore[reportMissingImports]
    ServingEndpoint,
    ServingModel,
    TpuCollection,
)

from tpuserve import resources

IMAGE = "us-east5-docker.pkg.dev/my-project/serving/ranker:7"


def of_components() -> None:
    """What the README shows, with more of the arguments."""
    TpuCollection("ranker", {"slices": 3, "accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"})
    model = ServingModel("ranker", {"display_name": "ranker", "image_uri": IMAGE, "predict_route": "/predict"})
    stable = {"model": model.version_name, "machine_type": "ct6e-standard-1t", "max_replica_count": 4}
    serving = ServingEndpoint("ranker", {"display_name": "ranker", "variants": {"stable": stable}})
    pulumi.export("endpoint", serving.endpoint_name)


def of_resources() -> None:
    """Each resource by itself: fixed ids, a secret, two variants that share the requests."""
    node = {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e", "tags": ["serving"]}
    tpu: Any = {"node_spec": [{"node_id": "single", "node": node}]}
    resources.QueuedResource("single", {"queued_resource_id": "single", "tpu": tpu})
    models = {name: _model(name) for name in ("old", "new")}
    endpoint = resources.Endpoint("front", {"endpoint_id": "front", "display_name": "front", "labels": {"team": "a"}})
    deployed = {name: _variant(model) for name, model in models.items()}
    resources.Deployment(
        "split", {"endpoint": endpoint.name, "deployed_models": deployed, "traffic_split": {"old": 90, "new": 10}}
    )


def _model(name: str) -> resources.Model:
    return resources.Model(
        name,
        {
            "display_name": name,
            "labels": {"team": "a"},
            "version_aliases": ["champion"],
            "container_spec": {
                "image_uri": f"{IMAGE}-{name}",
                "args": ["--threads=4"],
                "env": [{"name": "KEY", "value": pulumi.Output.secret("not shown")}],
                "predict_route": "/predict",
                "health_route": "/health",
                "ports": [{"container_port": 8080}],
            },
        },
    )


def _variant(model: resources.Model) -> resources.DeployedModelArgs:
    return {
        "model": model.version_name,
        "dedicated_resources": {
            "machine_spec": {"machine_type": "ct6e-standard-1t"},
            "min_replica_count": 1,
            "max_replica_count": 2,
        },
    }


def program() -> None:
    """All of it."""
    of_components()
    of_resources()
