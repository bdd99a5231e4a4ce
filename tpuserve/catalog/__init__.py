"""Facts about TPUs on Google Cloud, and pure rules on them. Importing it parses no data file.

Every row of `data/*.toml` has its source and date. A rule takes plain values or `UNKNOWN` and answers with
complete messages; it never raises for a user's value and never faults on what is not known yet.
"""

from tpuserve.catalog.accelerators import (
    AcceleratorType,
    accelerator_of_config,
    accelerator_type,
    accelerator_types,
    check_accelerator_type,
    check_topology,
)
from tpuserve.catalog.attachments import check_data_disks, check_reservation, check_subnetwork
from tpuserve.catalog.capacity import Need, charge_of, need_of_replicas, need_of_slices
from tpuserve.catalog.collections import COLLECTION, WORKLOAD_TYPES, check_collection, normalize_workload_type
from tpuserve.catalog.container_advice import advise_memlock, advise_routes
from tpuserve.catalog.container_specs import (
    check_any_path,
    check_container_spec,
    check_prebuilt_artifact,
    check_routes,
    presets_of,
)
from tpuserve.catalog.containers import (
    CONTAINER_ARGUMENTS,
    CUSTOM,
    PRESETS,
    ContainerPreset,
    Preset,
    check_container,
    container_presets,
    preset_arguments,
)
from tpuserve.catalog.endpoints import (
    EndpointKind,
    check_allowlist,
    check_enabled,
    check_endpoint,
    check_sampling_rate,
    endpoint_kind,
    endpoint_kinds,
)
from tpuserve.catalog.faults import UNKNOWN, Fault, Unclear, Unknown, all_known, known
from tpuserve.catalog.generations import Generation, generation, generations
from tpuserve.catalog.gke_collections import check_collection_group, check_collection_pool, collection_of
from tpuserve.catalog.grants import Grant, ServiceAgent, custom_roles, grants, role_of, service_agents
from tpuserve.catalog.identifiers import check_node_prefix, check_resource_id
from tpuserve.catalog.images import check_artifact_version, check_image_version
from tpuserve.catalog.labels import check_labels
from tpuserve.catalog.machines import (
    ACCELERATOR_FIELDS,
    MachineType,
    check_accelerator_fields,
    check_machine_type,
    machine_type,
    machine_types,
)
from tpuserve.catalog.node_pools import check_node_pool, pool_topologies
from tpuserve.catalog.numbers import check_count, check_duration, check_port, seconds, whole_number
from tpuserve.catalog.places import region_of
from tpuserve.catalog.prices import HOURS_A_MONTH, Price, list_price
from tpuserve.catalog.probes import check_at_least, check_probe
from tpuserve.catalog.queueing import check_not_over, check_queueing_policy
from tpuserve.catalog.quota_infos import granted
from tpuserve.catalog.quotas import (
    UNLIMITED,
    Account,
    Charge,
    Quota,
    QuotaLimits,
    Step,
    Use,
    check_quotas,
    limit_of,
    only_project,
    peak,
    place_of,
    quota_of,
    quotas,
)
from tpuserve.catalog.reading import at
from tpuserve.catalog.replicas import check_metrics, check_replicas
from tpuserve.catalog.reservations import check_reservation_affinity
from tpuserve.catalog.run_durations import check_run_duration, check_run_not_over
from tpuserve.catalog.runtimes import check_runtime, runtimes_for
from tpuserve.catalog.slices import accelerator_of, check_slice
from tpuserve.catalog.tiers import (
    FLEX_START,
    ProvisioningModel,
    check_provisioning_model,
    check_scheduling,
    check_tiers,
    normalize_provisioning_model,
)
from tpuserve.catalog.times import check_time, moment
from tpuserve.catalog.topologies import (
    check_tpu_topology,
    chips_of_replica,
    is_own_topology,
    multi_host_topologies,
)
from tpuserve.catalog.traffic import check_private_traffic, check_split_by_id, check_traffic_split
from tpuserve.catalog.zones import Zone, advise_location, check_node_zone, check_zone, regions_for, zones_for

__all__ = [
    "ACCELERATOR_FIELDS",
    "COLLECTION",
    "CONTAINER_ARGUMENTS",
    "CUSTOM",
    "FLEX_START",
    "HOURS_A_MONTH",
    "PRESETS",
    "UNKNOWN",
    "UNLIMITED",
    "WORKLOAD_TYPES",
    "AcceleratorType",
    "Account",
    "Charge",
    "ContainerPreset",
    "EndpointKind",
    "Fault",
    "Generation",
    "Grant",
    "MachineType",
    "Need",
    "Preset",
    "Price",
    "ProvisioningModel",
    "Quota",
    "QuotaLimits",
    "ServiceAgent",
    "Step",
    "Unclear",
    "Unknown",
    "Use",
    "Zone",
    "accelerator_of",
    "accelerator_of_config",
    "accelerator_type",
    "accelerator_types",
    "advise_location",
    "advise_memlock",
    "advise_routes",
    "all_known",
    "at",
    "charge_of",
    "check_accelerator_fields",
    "check_accelerator_type",
    "check_allowlist",
    "check_any_path",
    "check_artifact_version",
    "check_at_least",
    "check_collection",
    "check_collection_group",
    "check_collection_pool",
    "check_container",
    "check_container_spec",
    "check_count",
    "check_data_disks",
    "check_duration",
    "check_enabled",
    "check_endpoint",
    "check_image_version",
    "check_labels",
    "check_machine_type",
    "check_metrics",
    "check_node_pool",
    "check_node_prefix",
    "check_node_zone",
    "check_not_over",
    "check_port",
    "check_prebuilt_artifact",
    "check_private_traffic",
    "check_probe",
    "check_provisioning_model",
    "check_queueing_policy",
    "check_quotas",
    "check_replicas",
    "check_reservation",
    "check_reservation_affinity",
    "check_resource_id",
    "check_routes",
    "check_run_duration",
    "check_run_not_over",
    "check_runtime",
    "check_sampling_rate",
    "check_scheduling",
    "check_slice",
    "check_split_by_id",
    "check_subnetwork",
    "check_tiers",
    "check_time",
    "check_topology",
    "check_tpu_topology",
    "check_traffic_split",
    "check_zone",
    "chips_of_replica",
    "collection_of",
    "container_presets",
    "custom_roles",
    "endpoint_kind",
    "endpoint_kinds",
    "generation",
    "generations",
    "granted",
    "grants",
    "is_own_topology",
    "known",
    "limit_of",
    "list_price",
    "machine_type",
    "machine_types",
    "moment",
    "multi_host_topologies",
    "need_of_replicas",
    "need_of_slices",
    "normalize_provisioning_model",
    "normalize_workload_type",
    "only_project",
    "peak",
    "place_of",
    "pool_topologies",
    "preset_arguments",
    "presets_of",
    "quota_of",
    "quotas",
    "region_of",
    "regions_for",
    "role_of",
    "runtimes_for",
    "seconds",
    "service_agents",
    "whole_number",
    "zones_for",
]
