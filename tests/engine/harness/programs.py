"""Programs of the stories: data that `dataclasses.replace` changes, and that declares resources when it is called."""

from collections.abc import Callable, Mapping
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
    """Model `m`, endpoints `e` ..., and Deployment `d` on one of the endpoints."""

    image: str = "i:1"
    replicas: int = 1
    counts: Mapping[str, int] = field(default_factory=dict)
    """Variant -> replicas, where it has other than the rest."""
    variants: Mapping[str, str] = field(default_factory=lambda: {"stable": ""})
    """Variant -> version or alias of the model; the one with the image above where it is empty."""
    variant_args: Mapping[str, Any] = field(default_factory=dict)
    """More arguments of every variant."""
    split: Mapping[str, int] | None = None
    endpoints: tuple[str, ...] = ("e",)
    on: str = "e"
    model_args: Mapping[str, Any] = field(default_factory=dict)
    endpoint_args: Mapping[str, Any] = field(default_factory=dict)
    deployment_args: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    """Resource -> another name in its place, with an alias of the old one."""
    options: Mapping[str, pulumi.ResourceOptions] = field(default_factory=dict)
    """Resource -> its options."""

    def __call__(self) -> None:
        args: Any = {"display_name": "m", "container_spec": container(self.image), **self.model_args}
        model = r.Model(self._name("m"), args, self._options("m"))
        endpoints = {name: self._endpoint(name) for name in self.endpoints}
        versions = {name: _version(model, given) for name, given in self.variants.items()}
        self._deployment(endpoints[self.on].name, versions)

    def _endpoint(self, name: str) -> r.Endpoint:
        args: Any = {"display_name": name, **self.endpoint_args}
        return r.Endpoint(self._name(name), args, self._options(name))

    def _deployment(self, endpoint: pulumi.Input[str], versions: Mapping[str, pulumi.Input[str]]) -> None:
        models = {name: self._variant(name, version) for name, version in versions.items()}
        args: Any = {"endpoint": endpoint, "deployed_models": models, **self.deployment_args}
        if self.split is not None:
            args["traffic_split"] = self.split
        r.Deployment(self._name("d"), args, self._options("d"))

    def _variant(self, name: str, version: pulumi.Input[str]) -> dict[str, Any]:
        return {**variant(version, self.counts.get(name, self.replicas)), **self.variant_args}

    def _name(self, resource: str) -> str:
        return self.names.get(resource, resource)

    def _options(self, resource: str) -> pulumi.ResourceOptions:
        aliases = [pulumi.Alias(name=resource)] if resource in self.names else []
        return pulumi.ResourceOptions.merge(pulumi.ResourceOptions(aliases=aliases), self.options.get(resource))


def _version(model: r.Model, given: str) -> pulumi.Output[str]:
    return pulumi.Output.concat(model.name, "@", given) if given else model.version_name


def together(*programs: Callable[[], None]) -> Callable[[], None]:
    """One program of several."""

    def run() -> None:
        for program in programs:
            program()

    return run


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
