"""What a stack file may not say although every key and type in it is right; the facts are the catalog's."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from tpuserve import catalog
from tpuserve.catalog import UNKNOWN, Fault, Unknown
from tpuserve.stack.decoding import camel
from tpuserve.stack.limits import Place
from tpuserve.stack.settings import (
    CollectionSettings,
    EndpointSettings,
    ModelSettings,
    StackSettings,
    VariantSettings,
)

T = TypeVar("T")
LONGEST_DEPLOYMENT = 7200
"""Seconds; Vertex AI's limit for `deploymentTimeout`."""

_COLLECTION_KEYS = {"node_count": "slices", "accelerator_type": "acceleratorType", "workload_type": "workloadType"}
_REPLICA_KEYS = {"min": "minReplicaCount", "max": "maxReplicaCount", "required": "requiredReplicaCount"}


def stack_faults(settings: StackSettings, zone: Place, location: Place, namespace: str) -> Iterator[Fault]:
    """Every fault of the whole stack."""
    yield from _label_faults(settings.labels, f"{namespace}:labels")
    if isinstance(settings.collection, CollectionSettings):
        yield from collection_faults(settings.collection, zone, f"{namespace}:collection")
    if isinstance(settings.model, ModelSettings):
        yield from model_faults(settings.model, f"{namespace}:model")
    if isinstance(settings.endpoint, EndpointSettings):
        yield from endpoint_faults(settings.endpoint, settings.model is not None, location, f"{namespace}:endpoint")
        yield from _invoke_faults(settings, f"{namespace}:model.invokeRoutePrefix")


def collection_faults(collection: CollectionSettings, zone: Place, path: str) -> Iterator[Fault]:
    """Faults of the section `collection`."""
    kind = collection.accelerator_type
    yield from _fault(f"{path}.acceleratorType", catalog.check_accelerator_type(kind))
    for which, message in catalog.check_collection(collection.slices, kind, collection.workload_type):
        yield Fault(f"{path}.{_COLLECTION_KEYS[which]}", message)
    yield from _fault(zone.path, catalog.check_zone(zone.value, kind))
    yield from _fault(f"{path}.runtimeVersion", catalog.check_runtime(kind, collection.runtime_version))
    if collection.node_prefix is not None:
        yield from _fault(f"{path}.nodePrefix", catalog.check_node_prefix(collection.node_prefix))
    yield from _label_faults(collection.labels, f"{path}.labels")


def model_faults(model: ModelSettings, path: str) -> Iterator[Fault]:
    """Faults of the section `model`."""
    container = {name: getattr(model, name) for name in catalog.CONTAINER_ARGUMENTS}
    for name, message in catalog.check_container(model.preset, container):
        yield Fault(f"{path}.{camel(name)}", message)
    for key in ("predict_route", "health_route"):
        yield from _fault(f"{path}.{camel(key)}", _check_route(getattr(model, key)))
    yield from _fault(f"{path}.artifactUri", _check_artifact(model.artifact_uri))
    prefix = model.invoke_route_prefix
    if prefix is not None:
        yield from _fault(f"{path}.invokeRoutePrefix", catalog.check_resource_id("invokeRoutePrefix", prefix))
        both = None if model.predict_route is None else "cannot be given beside predictRoute; remove one of the two"
        yield from _fault(f"{path}.invokeRoutePrefix", both)
    for key, port in (("port", model.port), ("grpcPort", model.grpc_port)):
        yield from _fault(f"{path}.{key}", None if port is None else catalog.check_port(port))
    if model.retain_versions is not None:
        yield from _fault(f"{path}.retainVersions", catalog.check_at_least(0, model.retain_versions))
    if model.deployment_timeout is not None:
        message = catalog.check_duration(model.deployment_timeout, at_most=LONGEST_DEPLOYMENT)
        yield from _fault(f"{path}.deploymentTimeout", message)
    for index, alias in enumerate(_known_list(model.version_aliases)):
        yield from _fault(f"{path}.versionAliases[{index}]", catalog.check_resource_id("versionAlias", alias))
    yield from _label_faults(model.labels, f"{path}.labels")


def _invoke_faults(settings: StackSettings, path: str) -> Iterator[Fault]:
    """A model that takes any path is served by a dedicated endpoint alone: ModelContainerSpec.invoke_route_prefix."""
    model, endpoint = settings.model, settings.endpoint
    if not isinstance(model, ModelSettings) or model.invoke_route_prefix is None:
        return
    if isinstance(endpoint, EndpointSettings):
        argument = "endpoint.dedicatedEndpointEnabled"
        yield from _fault(path, catalog.check_any_path(endpoint.dedicated_endpoint_enabled, argument))


def endpoint_faults(endpoint: EndpointSettings, has_model: bool, location: Place, path: str) -> Iterator[Fault]:
    """Faults of the section `endpoint`; `has_model` tells whether the stack holds a model of its own."""
    yield from _fault(location.path, catalog.check_resource_id("region", location.value))
    if endpoint.endpoint_id is not None:
        yield from _fault(f"{path}.endpointId", catalog.check_resource_id("endpointId", endpoint.endpoint_id))
    if endpoint.variants == {}:
        yield Fault(f"{path}.variants", "no variant; give at least one")
    for name, variant in _known_map(endpoint.variants).items():
        yield from variant_faults(name, variant, has_model, f"{path}.variants.{name}")
    split = UNKNOWN if endpoint.variants == {} else endpoint.traffic_split
    yield from _fault(f"{path}.trafficSplit", catalog.check_traffic_split(split, endpoint.variants))
    yield from _label_faults(endpoint.labels, f"{path}.labels")


def variant_faults(name: str, variant: VariantSettings | Unknown, has_model: bool, path: str) -> Iterator[Fault]:
    """Faults of one variant."""
    yield from _fault(path, catalog.check_resource_id("variant", name))
    if isinstance(variant, Unknown):
        return
    yield from _fault(f"{path}.machineType", catalog.check_machine_type(variant.machine_type))
    yield from _fault(f"{path}.tpuTopology", catalog.check_tpu_topology(variant.machine_type, variant.tpu_topology))
    for key in ("accelerator_type", "accelerator_count"):
        present = [camel(key)] if getattr(variant, key) is not None else []
        yield from _fault(f"{path}.{camel(key)}", catalog.check_accelerator_fields(variant.machine_type, present))
    counts = (variant.min_replica_count, variant.max_replica_count, variant.required_replica_count)
    for which, message in catalog.check_replicas(*counts):
        yield Fault(f"{path}.{_REPLICA_KEYS[which]}", message)
    if variant.model is None and not has_model:
        yield Fault(f"{path}.model", "missing; give a model version, or the section model")


def _label_faults(labels: Mapping[str, str], path: str) -> Iterator[Fault]:
    for key, message in catalog.check_labels(labels):
        yield Fault(f"{path}.{key}", message)


def _check_route(route: str | Unknown | None) -> str | None:
    if not isinstance(route, str) or route.startswith("/"):
        return None
    return f"{route!r} is not an HTTP path; begin it with /"


def _check_artifact(uri: str | Unknown | None) -> str | None:
    if not isinstance(uri, str) or uri.startswith("gs://"):
        return None
    return f"{uri!r} is not in Cloud Storage; give a gs:// folder"


def _fault(path: str, message: str | None) -> Iterator[Fault]:
    if message:
        yield Fault(path, message)


def _known_map(value: Mapping[str, T]) -> Mapping[str, T]:
    return {} if isinstance(value, Unknown) else value


def _known_list(value: list[str]) -> list[str]:
    return [] if isinstance(value, Unknown) else value
