"""Every family of the pack, in the order in which they are shown."""

from . import (
    budget,
    collection,
    collections_gke,
    containers,
    containers_any_path,
    containers_memlock,
    containers_versions,
    locations,
    machine_types,
    production,
    quotas,
    shapes,
    traffic,
    traffic_private,
)
from .family import Family, StackFamily

FAMILIES: tuple[Family | StackFamily, ...] = (
    machine_types.FAMILY,
    shapes.FAMILY,
    collection.FAMILY,
    collections_gke.FAMILY,
    locations.FAMILY,
    locations.LISTED,
    quotas.FAMILY,
    traffic.FAMILY,
    traffic_private.FAMILY,
    containers.FAMILY,
    containers.ROUTES,
    containers_any_path.FAMILY,
    containers_versions.FAMILY,
    containers_memlock.FAMILY,
    production.FAMILY,
    budget.FAMILY,
)
