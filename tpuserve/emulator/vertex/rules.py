"""What Vertex AI refuses. Pure: messages in, an error or nothing out."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.emulator.errors import ApiError, Code, invalid, one_of, precondition
from tpuserve.emulator.vertex.tables import (
    DEFAULT_MACHINE_TYPE,
    MULTI_HOST_TOPOLOGIES,
    PLAIN_MACHINE_TYPE,
    SINGLE_HOST_TOPOLOGIES,
    TPU_FAMILY,
    TPU_MACHINE_TYPES,
)

MODEL_ID = re.compile(r"[a-z_][a-z0-9_-]{0,62}")  # UploadModelRequest.model_id
ENDPOINT_ID = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?|[1-9][0-9]{0,8}")  # CreateEndpointRequest.endpoint_id
POOL_ID = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")  # CreateDeploymentResourcePoolRequest
DEPLOYED_MODEL_ID = re.compile(r"[0-9]{1,10}")  # DeployedModel.id
ALIAS = re.compile(r"[a-z][a-zA-Z0-9-]{0,126}[a-z0-9]")  # Model.version_aliases
KEY = re.compile(r"projects/[^/]+/locations/(?P<location>[^/]+)/keyRings/[^/]+/cryptoKeys/[^/]+")  # kms_key_name
_LONGEST_DISPLAY_NAME = 128  # Model.display_name, Endpoint.display_name
_SPECIFIC_RESERVATION = 3  # ReservationAffinity.Type


def matching(field: str, value: str, pattern: re.Pattern[str]) -> str:
    if pattern.fullmatch(value) is None:
        raise invalid(field, value, f"of the form {pattern.pattern}")
    return value


def display_name(value: str, field: str) -> None:
    if not 1 <= len(value) <= _LONGEST_DISPLAY_NAME:
        raise invalid(field, value, "1 to 128 characters")


def key(holder: Any, location: str, field: str) -> None:
    """EncryptionSpec.kms_key_name: "in the same region as where the compute resource is created"."""
    if not holder.HasField("encryption_spec"):
        return
    field, name = f"{field}.encryption_spec.kms_key_name", holder.encryption_spec.kms_key_name
    matching(field, name, KEY)
    found = KEY.fullmatch(name)
    if found and found["location"] != location:
        raise invalid(field, name, f"a key in {location}")


def masked(paths: Iterable[str], allowed: Iterable[str]) -> list[str]:
    """The paths of a mask, if there are some and all are allowed."""
    found = list(paths)
    if not found:
        raise invalid("update_mask", "nothing", "given")
    for path in found:
        if path not in allowed:
            raise one_of("update_mask", path, allowed)
    return found


def traffic(split: Mapping[str, int], known: Iterable[str], field: str = "traffic_split") -> None:
    """A split names deployed models that exist and sums to 100, or is empty. Endpoint.traffic_split."""
    ids = set(known)
    for key, share in split.items():
        if key not in ids:
            raise invalid(
                field, key, f"the id of a deployed model of this endpoint ({', '.join(sorted(ids)) or 'none'})"
            )
        if not 0 <= share <= 100:
            raise invalid(f"{field}[{key}]", share, "0 to 100")
    if split and sum(split.values()) != 100:
        raise invalid(field, dict(split), f"percentages that sum to 100 (they sum to {sum(split.values())})")


def deployed_model(model: Any) -> None:
    """The rules of DeployedModel in DeployModelRequest; fills the defaults that its proto names."""
    if model.id:
        matching("deployed_model.id", model.id, DEPLOYED_MODEL_ID)
    kind = model.WhichOneof("prediction_resources")
    # Model.supported_deployment_resources_types of a custom container
    if kind not in {"dedicated_resources", "shared_resources"}:
        allowed = "dedicated_resources or shared_resources"
        raise invalid("deployed_model.prediction_resources", kind or "nothing", allowed)
    if len(model.display_name) > _LONGEST_DISPLAY_NAME:
        raise invalid("deployed_model.display_name", f"{len(model.display_name)} characters", "at most 128 characters")
    if kind == "dedicated_resources":
        dedicated(model.dedicated_resources, "deployed_model")


def dedicated(resources: Any, owner: str) -> None:
    """The rules of DedicatedResources; fills the defaults that its proto names."""
    field = f"{owner}.dedicated_resources"
    if not resources.HasField("machine_spec"):  # DedicatedResources.machine_spec: Required
        raise invalid(f"{field}.machine_spec", "nothing", "given")
    machine_spec(resources.machine_spec, f"{field}.machine_spec")
    replicas(resources, field)


def machine_spec(spec: Any, field: str) -> None:
    spec.machine_type = spec.machine_type or DEFAULT_MACHINE_TYPE
    affinity = spec.reservation_affinity
    if spec.HasField("reservation_affinity") and not affinity.reservation_affinity_type:  # Required in its proto
        raise invalid(f"{field}.reservation_affinity.reservation_affinity_type", "nothing", "given")
    if affinity.reservation_affinity_type == _SPECIFIC_RESERVATION and not (affinity.key and affinity.values):
        raise invalid(f"{field}.reservation_affinity", "SPECIFIC_RESERVATION", "given with key and values")
    if re.fullmatch(TPU_FAMILY, spec.machine_type) is not None:
        _tpu_machine(spec, field)
    else:
        _plain_machine(spec, field)


def _plain_machine(spec: Any, field: str) -> None:
    if re.fullmatch(PLAIN_MACHINE_TYPE, spec.machine_type) is None:
        raise invalid(f"{field}.machine_type", spec.machine_type, "a machine type")
    if spec.tpu_topology:
        raise invalid(f"{field}.tpu_topology", spec.tpu_topology, f"left out with {spec.machine_type}")
    if bool(spec.accelerator_type) != bool(spec.accelerator_count):  # MachineSpec.accelerator_count
        raise invalid(f"{field}.accelerator_type and accelerator_count", "one of them", "both or neither")


def _tpu_machine(spec: Any, field: str) -> None:
    if spec.machine_type not in TPU_MACHINE_TYPES:
        raise one_of(f"{field}.machine_type", spec.machine_type, TPU_MACHINE_TYPES)
    if spec.accelerator_type or spec.accelerator_count:
        # "The TPU accelerators are built into the machine type"; assumed: giving them is an error
        raise invalid(f"{field}.accelerator_type and accelerator_count", "given", f"left out with {spec.machine_type}")
    chips = TPU_MACHINE_TYPES[spec.machine_type]
    allowed = [SINGLE_HOST_TOPOLOGIES[chips], *MULTI_HOST_TOPOLOGIES.get(chips, ())]
    if spec.tpu_topology and spec.tpu_topology not in allowed:  # assumed: one of GKE's, or one host's own
        shapes = ", ".join(allowed)
        raise invalid(f"{field}.tpu_topology", spec.tpu_topology, f"{shapes} or left out with {spec.machine_type}")


def replicas(resources: Any, field: str = "deployed_model.dedicated_resources") -> None:
    """The rules of DedicatedResources on replicas; max_replica_count defaults to min_replica_count."""
    if resources.min_replica_count < 1:
        raise invalid(f"{field}.min_replica_count", resources.min_replica_count, "1 or more")
    resources.max_replica_count = resources.max_replica_count or resources.min_replica_count
    if resources.max_replica_count < resources.min_replica_count:
        found = f"{resources.max_replica_count} with min_replica_count {resources.min_replica_count}"
        raise invalid(f"{field}.max_replica_count", found, "min_replica_count or more")
    if not 0 <= resources.required_replica_count <= resources.max_replica_count:  # assumed: it must be reachable
        raise invalid(f"{field}.required_replica_count", resources.required_replica_count, "0 to max_replica_count")
    names = [spec.metric_name for spec in resources.autoscaling_metric_specs]
    if len(names) != len(set(names)):  # DedicatedResources.autoscaling_metric_specs
        raise invalid(f"{field}.autoscaling_metric_specs", names, "at most one entry a metric")


def reachable(version: Any, endpoint: Any) -> None:
    """Source: ModelContainerSpec.invoke_route_prefix; assumed: the code."""
    if version.container_spec.invoke_route_prefix and not endpoint.dedicated_endpoint_enabled:
        raise precondition("A model with invoke_route_prefix can only be deployed to a dedicated endpoint.")


def aliases(names: Iterable[str], field: str = "version_aliases") -> None:
    for name in names:
        matching(field, name, ALIAS)


def etag(given: str, current: str) -> None:
    """A stale etag is ABORTED, none is a blind overwrite. Endpoint.etag, Model.etag; assumed: the code."""
    if given and given != current:
        raise ApiError(
            Code.ABORTED, f"The etag {given!r} is stale; the current one is {current!r}. Read and try again."
        )
