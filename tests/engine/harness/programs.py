"""Programs of the stories: data that `dataclasses.replace` changes, and that declares resources when it is called."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

import tpuserve.resources as r


def container(image: str) -> r.ContainerSpecArgs:
    """A container of that image, with the sample server's routes."""
    return {
        "image_uri": image,
        "predict_route": "/predict",
        "health_route": "/health",
        "ports": [{"container_port": 8080}],
    }


def variant(model: pulumi.Input[str], replicas: int = 1) -> r.DeployedModelArgs:
    """A model version on machines with one v6e chip each."""
    return {
        "model": model,
        "dedicated_resources": {
            "machine_spec": {"machine_type": "ct6e-standard-1t"},
            "min_replica_count": replicas,
        },
    }


@dataclass(frozen=True, kw_only=True)
class Serving:
    """Model `m`, endpoints `e` ..., and Deployment `d` of one variant on one of the endpoints."""

    image: str = "i:1"
    replicas: int = 1
    endpoints: tuple[str, ...] = ("e",)
    on: str = "e"
    model_args: Mapping[str, Any] = field(default_factory=dict)
    endpoint_args: Mapping[str, Any] = field(default_factory=dict)
    deployment_args: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, pulumi.ResourceOptions] = field(default_factory=dict)
    """Resource name -> its options."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Resource name -> another one in its place."""

    def __call__(self) -> None:
        args: Any = {"display_name": "m", "container_spec": container(self.image), **self.model_args}
        model = r.Model(self._name("m"), args, self.options.get("m"))
        endpoints = {name: self.endpoint(name) for name in self.endpoints}
        self.deploy(endpoints[self.on].name, model.version_name)

    def endpoint(self, name: str) -> r.Endpoint:
        """An endpoint."""
        args: Any = {"display_name": name, **self.endpoint_args}
        return r.Endpoint(self._name(name), args, self.options.get(name))

    def deploy(self, endpoint: pulumi.Input[str], version: pulumi.Input[str]) -> None:
        """The Deployment."""
        args: Any = {
            "endpoint": endpoint,
            "deployed_models": {"stable": variant(version, self.replicas)},
            **self.deployment_args,
        }
        r.Deployment(self._name("d"), args, self.options.get("d"))

    def _name(self, name: str) -> str:
        return self.names.get(name, name)


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Queued resource `c`: a collection of slices."""

    slices: int = 3
    prefix: str = "dig"
    args: Mapping[str, Any] = field(default_factory=dict)
    options: pulumi.ResourceOptions | None = None

    def __call__(self) -> None:
        node = {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"}
        several = {
            "node_count": self.slices,
            "node_id_prefix": self.prefix,
            "workload_type": "AVAILABILITY_OPTIMIZED",
        }
        args: Any = {"tpu": {"node_spec": [{"multi_node_params": several, "node": node}]}, **self.args}
        r.QueuedResource("c", args, self.options)
